// Callbacks that are called less often than what they watch changes, and changes that are collected for a while. Time
// decides only when something runs. What is out of date, and because of which events, is recorded at once, so that a
// replay needs no clock.

extension Engine {
  /// Runs all nodes that are due, in the order of creation.
  private func runWhatIsDue() {
    withLock { $0.queueWhatIsDue() }
    flush()
  }

  /// Runs all that is out of date, also callbacks that may not run yet.
  func flushAll() {
    withLock { state in
      state.ignoresPace = true
      state.endCollection()
      for waiting in state.held.values { state.own.queue.insert(waiting.node) }
      state.flushes.adoptWaiting()
      state.held = [:]
    }
    flush()
    withLock { $0.ignoresPace = false }
  }

  /// Runs what is due at a time of the session's clock, on the actor on which the session was made.
  fileprivate func wait(until due: Duration) {
    let clock = clock
    withLock { $0.waits += 1 }
    Task.detached { [weak self] in
      await clock.sleep(due)
      await self?.runWhatIsDue(isolation: clock.isolation)
    }
  }

  private func runWhatIsDue(isolation: isolated (any Actor)?) async {
    runWhatIsDue()
    withLock { $0.waits -= 1 }
  }
}

extension EngineState {
  /// A callback that is out of date and may not run yet.
  struct HeldCallback {
    let node: Node
    /// When it may run, by the session's clock.
    var due: Duration
  }

  /// Queues all nodes that are due. A debounced node that was invalidated again meanwhile may have to wait longer.
  fileprivate func queueWhatIsDue() {
    let now = clock.elapsed()
    endCollectionIfDue()
    for waiting in held.values where waiting.due <= now {
      held[waiting.node.id] = nil
      if let pacing = waiting.node.pacing, now < pacing.earliestRun {
        hold(waiting.node, pacing)
      } else {
        own.queue.insert(waiting.node)
      }
    }
  }

  /// Notes that a callback with a pace of its own is about to run.
  func noteRun(of node: Node, _ pacing: Pacing) {
    pacing.noteRun(at: clock)
    held[node.id] = nil
  }

  /// Whether a node may not run yet; it is then queued again when its time comes.
  func holdsBack(_ node: Node) -> Bool {
    guard let pacing = node.pacing, !ignoresPace, clock.elapsed() < pacing.earliestRun else { return false }
    if held[node.id] == nil { hold(node, pacing) }
    return true
  }

  private func hold(_ node: Node, _ pacing: Pacing) {
    held[node.id] = HeldCallback(node: node, due: pacing.earliestRun)
    engine.wait(until: pacing.earliestRun)
  }

  /// Opens the transaction that collects changes, if the session's delivery wants one and none is open.
  func collect(cause: UInt64?) {
    guard delivery != .immediate, !isCollecting, !own.isFlushing, core.openTransactions == 0 else { return }
    isCollecting = true
    begin(nil, cause: cause)
  }

  /// Notes a change: the interval of a collection begins with its first change.
  func noteCollected() {
    guard isCollecting, collectionDue == nil, case .every(let interval) = delivery else { return }
    let due = clock.elapsed() + interval
    collectionDue = due
    engine.wait(until: due)
  }

  /// Ends the transaction that collects changes, if there is one and no other is open.
  func endCollection() {
    guard isCollecting, core.openTransactions == 1 else { return }
    isCollecting = false
    collectionDue = nil
    end(cause: nil)
  }

  /// Ends the collection if its time has come.
  func endCollectionIfDue() {
    if let due = collectionDue, due <= clock.elapsed() { endCollection() }
  }
}
