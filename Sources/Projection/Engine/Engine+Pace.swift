import EventLog

// Callbacks that run less often than their values change, and changes that are collected for a while. Time
// decides only when something runs. Invalidations and their causes are recorded at once, so that a replay
// needs no clock.

/// The callbacks that are out of date but may not run yet.
struct HeldCallbacks {
  private struct Entry {
    let node: Node
    /// The time at which it may run, by the session's clock.
    let due: Duration
  }

  private var entries: [Node.ID: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  func contains(_ node: Node) -> Bool { entries[node.id] != nil }

  /// Whether a callback is due.
  func isAnyDue(at now: Duration) -> Bool { entries.values.contains { $0.due <= now } }

  mutating func add(_ node: Node, until due: Duration) { entries[node.id] = Entry(node: node, due: due) }

  mutating func remove(_ node: Node) {
    if !entries.isEmpty { entries[node.id] = nil }
  }

  /// Removes and returns the callbacks that are due, in no particular order.
  mutating func pop(dueAt now: Duration) -> [Node] {
    let due = entries.values.filter { $0.due <= now }.map(\.node)
    for node in due { entries[node.id] = nil }
    return due
  }

  /// Removes and returns all callbacks, in no particular order.
  mutating func popAll() -> [Node] {
    defer { entries = [:] }
    return entries.values.map(\.node)
  }
}

extension Engine {
  /// Runs all nodes that are due, in the order of creation.
  func runWhatIsDue(on actor: (any Actor)? = nil) {
    flush(on: actor) { $0.queueWhatIsDue() }
  }

  /// Runs everything that is out of date, including callbacks that may not run yet.
  ///
  /// - Parameter actor: The actor whose code calls it; nil if that is not known.
  func flushAll(on actor: (any Actor)? = nil) {
    flush(on: actor, looking: true) { state in
      state.own.ignoresPace = true
      state.endCollection()
      for node in state.held.popAll() { state.deliver(node) }
      state.deliverHandedOver()
    }
    withLock { $0.own.ignoresPace = false }
  }

  /// Waits until a time of the session's clock and then runs what is due, on the actor on which the session
  /// was made.
  fileprivate func wait(until due: Duration) {
    let clock = clock
    if let driven = clock.driven { return driven.add(due) }
    withLock { $0.waits += 1 }
    Task.detached { [weak self] in
      await clock.sleep(due)
      await self?.runWhatIsDue(isolation: clock.isolation)
    }
  }

  private func runWhatIsDue(isolation: isolated (any Actor)?) async {
    runWhatIsDue(on: isolation)
    withLock { $0.waits -= 1 }
  }
}

extension EngineState {
  /// Queues all nodes that are due. A debounced node that was invalidated again meanwhile may have to wait
  /// longer.
  fileprivate func queueWhatIsDue() {
    let now = clock.elapsed()
    endCollectionIfDue()
    for node in held.pop(dueAt: now) {
      if let pacing = node.pacing, now < pacing.earliestRun {
        hold(node, pacing)
      } else {
        deliver(node)
      }
    }
  }

  /// Whether something is due, and this thread may run it.
  ///
  /// A loop on the session's actor that awaits nothing keeps the task that waits for the clock from running. So
  /// that it gets what is due all the same, each flush on that actor looks at the clock.
  @inline(__always)
  var isOverdue: Bool {
    guard collectionDue != nil || !held.isEmpty, let actor = clock.isolation else { return false }
    return isDue(on: actor)
  }

  @inline(never)
  private func isDue(on actor: any Actor) -> Bool {
    guard CurrentActor.isOn(actor) else { return false }
    let now = clock.elapsed()
    return collectionDue.map { $0 <= now } ?? false || held.isAnyDue(at: now)
  }

  /// Queues what is overdue, unless the thread may not flush now; the flush in which it may does so.
  func queueWhatIsOverdue(_ own: ThreadFlush) {
    if own.isFree { queueWhatIsDue() }
  }

  /// Records that a callback with a pace is about to run.
  func countRun(of node: Node, _ pacing: Pacing) {
    pacing.countRun(at: clock)
    held.remove(node)
  }

  /// Whether a node may not run yet. If so, it is queued again when it is due.
  func holdsBack(_ node: Node) -> Bool {
    guard let pacing = node.pacing, !own.ignoresPace, clock.elapsed() < pacing.earliestRun else {
      return false
    }
    if !held.contains(node) { hold(node, pacing) }
    return true
  }

  private func hold(_ node: Node, _ pacing: Pacing) {
    held.add(node, until: pacing.earliestRun)
    engine.wait(until: pacing.earliestRun)
  }

  /// Opens the transaction that collects changes, if the session's delivery requires one and none is open.
  /// The transaction has no cause, even if a run makes its first change, because its end has none either.
  func collect() {
    guard delivery != .immediate, !isCollecting, !own.isFlushing, !core.isInTransaction else { return }
    isCollecting = true
    beginForAll()
  }

  /// Starts the interval of a collection at its first change.
  func markCollected() {
    guard isCollecting, collectionDue == nil, case .every(let interval) = delivery else { return }
    let due = clock.elapsed() + interval
    collectionDue = due
    engine.wait(until: due)
  }

  /// Ends the transaction that collects changes, if it is open, unless the current thread is within another.
  func endCollection() {
    guard isCollecting, !isInOwnTransaction else { return }
    isCollecting = false
    collectionDue = nil
    endForAll()
  }

  /// Ends the collection if its interval is over.
  func endCollectionIfDue() {
    if let due = collectionDue, due <= clock.elapsed() { endCollection() }
  }
}
