import EventLog
import Invalidation

// Derived values publish their results as events, so the core invalidates their readers as after any other event. A
// value that becomes out of date marks all derived values that depend on it, directly or not. A read brings only a
// marked value up to date, so that reading one without a mark costs nothing.

extension Engine {
  /// The root under which derived values are published.
  static let derivedRoot = "derived"

  /// Makes a node one of a derived value.
  func makeDerived(_ node: Node) {
    withLock { state in
      let path = Path(root: .named(Self.derivedRoot), components: [.property(node.name)])
      node.derived = DerivedState(path: path, node: node, state)
    }
  }

  /// Notes that the app has released a derived value: it ends as soon as it has no readers. The last reference may be
  /// released on any thread, also while that holds the lock.
  func abandon(_ node: Node) {
    withLock { state in
      guard !isClosed, let derived = node.derived else { return }
      derived.isAbandoned = true
      if derived.readers.isEmpty { state.abandoned.append(node) }
      // Code of this thread that holds the lock may be in the middle of recording an event.
      if !isTakenAgain { state.endAbandoned() }
    }
  }

  /// Brings a derived value up to date, after those that it reads itself.
  ///
  /// - Returns: The circle that this read closes, if the value depends on one that the current thread is computing.
  func pull(_ node: Node) -> DerivedCycle? {
    bringUpToDate(node).map { cycle(backTo: $0.running, through: $0.names.reversed()) }
  }

  /// A value that is being computed, and the names on the way back to it.
  private struct Circle {
    let running: Node
    var names: [String] = []
  }

  private func bringUpToDate(_ node: Node) -> Circle? {
    let state = lock()
    let thread = RecursiveLock.currentThread
    // A value that runs on another thread is being brought up to date there.
    let (isRunning, isOwn) = (node.isRunning, node.runner == thread)
    guard !isRunning, !node.isDisposed, let derived = node.derived, state.mayBeStale(node, derived) else {
      unlock()
      return isRunning && isOwn ? Circle(running: node) : nil
    }
    let (sources, outerPull) = (node.sources, derived.pulledBy)
    derived.pulledBy = thread
    unlock()
    var circle: Circle?
    for source in sources {
      let isToBePulled = withLock { state in
        // A value known to be stale runs, and its run decides which sources it still reads. In a circle each value is
        // visited once.
        !state.isKnownStale(node) && source.derived?.pulledBy != thread
      }
      if isToBePulled, let found = bringUpToDate(source) { circle = found }
    }
    let isStale = withLock { state in
      derived.pulledBy = outerPull
      let isStale = state.isKnownStale(node)
      if circle == nil || isStale {
        derived.mayBeStale = false
        derived.checkedAt = state.lastMutation
      }
      return isStale
    }
    if isStale {
      evaluate(node)
      return nil
    }
    circle?.names.append(node.name)
    return circle
  }

  /// Records a new output of a derived value.
  func publish(_ value: Value, of node: Node, cause: UInt64?) {
    guard let derived = node.derived else { return }
    withLock { state in
      if !isClosed { state.publish(value, of: derived, cause: cause) }
    }
  }
}

extension EngineState {
  /// Records a new output of a derived value, which invalidates its readers as any other event does.
  func publish(_ value: Value, of derived: DerivedState, cause: UInt64?) {
    withoutWriting {
      if value.isScalar, put(value, of: derived, cause: cause) { return }
      do {
        try emitMutation(.set(derived.path, value, sameValue: false), cause: cause)
      } catch {
        diagnostics.report("not recorded: \(error)")
      }
    }
    if !runs.isNone { runs.noteChange(of: slot(of: derived), isSame: false, by: lastMutation) }
  }

  /// Ends the hosted projections that were released, and the derived values that were and have no readers. Does nothing
  /// while a projection runs: it may have read one, and becomes a reader only when it ends.
  func endAbandoned() {
    if !runs.isNone { return }
    while let node = abandoned.popLast() {
      if node.derived?.readers.isEmpty ?? true { end(node) }
    }
  }

  /// Whether a derived value is surely up to date, decided by its marks alone.
  @inline(__always)
  func isCurrent(_ node: Node) -> Bool {
    guard !node.isDirty, !node.isRunning, core.openTransactions == 0, let derived = node.derived else {
      return false
    }
    return !derived.mayBeStale
  }

  fileprivate func mayBeStale(_ node: Node, _ derived: DerivedState) -> Bool {
    core.openTransactions > 0 ? derived.checkedAt != lastMutation : node.isDirty || derived.mayBeStale
  }

  /// Whether anything that a node has read differs now.
  fileprivate func isKnownStale(_ node: Node) -> Bool {
    if node.isDirty || core.openTransactions == 0 { return node.isDirty }
    return core.isOutOfDate(node.id)
  }

  /// Marks all derived values that depend on one that is out of date.
  func markDependents(of node: Node) {
    guard let derived = node.derived else { return }
    // Most have been marked before, and then nothing is allocated.
    var marked: [DerivedState] = []
    derived.markReaders(&marked)
    while let next = marked.popLast() { next.markReaders(&marked) }
  }

  /// Whether a flush must run a derived value: it has a reader that runs only if the value differs. A reader that is
  /// out of date already runs anyway, and reads the value itself if it still needs it.
  func isAwaited(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    return derived.readers.values.contains { reader in
      !reader.isDirty && (reader.derived == nil || isObserved(derived: reader))
    }
  }

  /// Whether a projection or callback depends on a derived value, directly or not.
  func isObserved(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    if let known = derived.observation, known.version == core.readersVersion { return known.isObserved }
    // While the readers are visited this counts as not observed, so that a circle ends, and does not make its members
    // observed.
    derived.observation = (core.readersVersion, false)
    let isObserved = derived.readers.values.contains { reader in
      reader.derived == nil || self.isObserved(derived: reader)
    }
    derived.observation = (core.readersVersion, isObserved)
    return isObserved
  }

  /// The slot at which the values of a derived value are published, or will be.
  func slot(of derived: DerivedState) -> SlotID {
    if let slot = derived.slot, derived.isBound { return slot }
    // Before the first is published there is no object that holds them.
    let path = core.state.bound(derived.path)
    let slot = core.slot(ofBound: path)
    if let known = derived.slot {
      if known == slot { return slot }
      core.release(known)
      derivedBySlot[known] = nil
      redactedSlots[slot] = redactedSlots.removeValue(forKey: known)
    }
    core.hold(slot)
    derived.slot = slot
    if case .object = path.root { derived.isBound = true }
    derivedBySlot[slot] = derived.node
    return slot
  }

  /// Publishes a scalar in the short way; false, with nothing done, where that is not possible.
  private func put(_ value: Value, of derived: DerivedState, cause: UInt64?) -> Bool {
    guard measurements.isEmpty, core.openTransactions == 0, !recorder.recordsOrigins, !earlyReaders.haveLate,
      let cell = derived.cell ?? cell(of: derived), core.findReaders(of: slot(of: derived))
    else { return false }
    guard core.state.putScalar(value, in: cell) else {
      if core.value(in: cell) == nil { derived.cell = nil }
      return false
    }
    let seq = recorder.append { log, time throws(LogError) in
      if let path = derived.loggedPath,
        log.setQuickly(path, value, sameValue: false, time: time, cause: cause)
      {
        return
      }
      let path = try log.logged(derived.path, renewing: derived.loggedPath)
      derived.loggedPath = path
      _ = try log.setUnderLock(path, value, sameValue: false, time: time, cause: cause)
    }
    wake(by: seq)
    return true
  }

  /// Where the core's state keeps the value; nil before the first was published.
  private func cell(of derived: DerivedState) -> Cell? {
    guard case .object(let object) = core.state.bound(derived.path).root else { return nil }
    derived.cell = core.state.cell(of: object, property: derived.name)
    return derived.cell
  }
}
