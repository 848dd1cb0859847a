// Callbacks that are called less often than what they watch changes, and changes that are collected for a while.
// Time decides only when something runs. What is out of date, and on whose account, is recorded at once, so that a
// replay needs no clock.

extension Engine {
  /// A callback that is out of date and may not run yet.
  struct Held {
    let node: Node
    /// When it may run, by the session's clock.
    var due: Duration
  }

  /// Notes that a callback with a pace of its own has become out of date. Called under the lock.
  func noteWake(of node: Node, at pace: Pace) {
    if case .debounced(let quiet) = pace { node.earliestRun = clock.elapsed() + quiet }
  }

  /// Notes that a callback with a pace of its own is about to run. Called under the lock.
  func noteRun(of node: Node, at pace: Pace) {
    if case .throttled(let interval) = pace { node.earliestRun = clock.elapsed() + interval }
    held[node.id] = nil
  }

  /// Whether a node must wait for its time; then it is queued again when that comes. Called under the lock.
  func holdsBack(_ node: Node) -> Bool {
    guard node.pace != nil, !ignoresPace, clock.elapsed() < node.earliestRun else { return false }
    if held.updateValue(Held(node: node, due: node.earliestRun), forKey: node.id) == nil {
      let id = node.id
      wait(until: node.earliestRun) { engine in engine.endWait(of: id) }
    }
    return true
  }

  private func endWait(of id: Node.ID) {
    lock.withLock {
      guard let waiting = held[id] else { return }
      if clock.elapsed() < waiting.node.earliestRun {
        let due = waiting.node.earliestRun
        return wait(until: due) { engine in engine.endWait(of: id) }
      }
      held[id] = nil
      own.queue.insert(waiting.node)
    }
    flush()
  }

  /// Runs what is held back without waiting for its time.
  func flushHeld() {
    lock.withLock {
      ignoresPace = true
      for waiting in held.values { own.queue.insert(waiting.node) }
      adoptWaiting()
      held = [:]
    }
    flush()
    lock.withLock { ignoresPace = false }
  }

  /// Opens the transaction that collects changes, if the session's delivery wants one and none is open. Called under
  /// the lock.
  func collect(cause: UInt64?) {
    guard delivery != .immediate, !isCollecting, !own.isFlushing, core.openTransactions == 0 else { return }
    isCollecting = true
    begin(nil, cause: cause)
    if case .every(let interval) = delivery {
      wait(until: clock.elapsed() + interval) { engine in engine.flushCollected() }
    }
  }

  /// Does something at a time of the session's clock, on the actor on which the session was made.
  private func wait(until due: Duration, _ action: @escaping @Sendable (Engine) -> Void) {
    let clock = clock
    Task.detached { [weak self] in
      await clock.sleep(due)
      await self?.act(action, isolation: clock.isolation)
    }
  }

  private func act(
    _ action: @Sendable (Engine) -> Void, isolation: isolated (any Actor)?
  ) async {
    action(self)
  }
}
