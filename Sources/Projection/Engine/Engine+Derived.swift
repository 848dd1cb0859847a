import EventLog
import Invalidation

// Derived values publish their results as events, so the core invalidates their readers as after any other
// event. A value that becomes out of date marks all derived values that depend on it, directly or indirectly.
// A read updates a value only if it is marked, so that reading an unmarked value costs nothing.

extension Engine {
  /// The root under which derived values are published.
  static let derivedRoot = "derived"

  /// Makes a node the node of a derived value.
  func makeDerived(_ node: Node) {
    withLock { state in
      let path = Path(root: .named(Self.derivedRoot), components: [.property(node.name)])
      node.derived = DerivedState(path: path, node: node, state)
    }
  }

  /// Records that the app has released a derived value, which ends as soon as it has no readers. The app may
  /// release the last reference on any thread, even on one that holds the lock.
  func abandon(_ node: Node) {
    withLock { state in
      guard !isClosed, let derived = node.derived else { return }
      derived.isAbandoned = true
      if derived.readers.isEmpty { state.abandoned.append(node) }
      // If this thread already holds the lock, it may be in the middle of recording an event.
      if !isTakenAgain { state.endAbandoned() }
    }
  }

  /// Brings a derived value up to date, after the values that it reads.
  ///
  /// - Returns: The cycle that this read closes, if the value depends on one that this thread is computing.
  func pull(_ node: Node) -> DerivedCycle? {
    bringUpToDate(node).map { cycle(backTo: $0.running, through: $0.names.reversed()) }
  }

  /// The value that is being computed, and the names from there back to it.
  private struct Circle {
    let running: Node
    var names: [String] = []
  }

  private func bringUpToDate(_ node: Node) -> Circle? {
    let state = lock()
    let thread = RecursiveLock.currentThread
    // A value that runs on another thread is brought up to date there.
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
        // A value that is known to be stale runs anyway, and the run decides which sources it reads. In a
        // cycle each value is visited once.
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

  /// Records a new value of a derived value.
  func publish(_ value: Value, of node: Node, cause: UInt64?) {
    guard let derived = node.derived else { return }
    withLock { state in
      if !isClosed { state.publish(value, of: derived, cause: cause) }
    }
  }
}

extension EngineState {
  /// Records a new value of a derived value. The event invalidates its readers like any other.
  func publish(_ value: Value, of derived: DerivedState, cause: UInt64?) {
    if hasHeldRuns { releaseHeldRuns(reading: slot(of: derived)) }
    withoutWriting {
      if value.isScalar, value.sharesBlock, put(value, of: derived, cause: cause) { return }
      do {
        try emitMutation(.set(derived.path, value, sameValue: false), cause: cause)
      } catch {
        report("not recorded: \(error)")
      }
    }
    if !runs.isNone { runs.markChange(of: slot(of: derived), isSame: false, by: lastMutation) }
  }

  /// Ends the hosted projections that were released, and the derived values that were released and have no
  /// readers. Does nothing while a projection runs, because it may have read such a value and becomes a
  /// reader only when the run ends.
  func endAbandoned() {
    if !runs.isNone { return }
    while let node = abandoned.popLast() {
      if node.derived?.readers.isEmpty ?? true { end(node) }
    }
  }

  /// Whether a derived value is certainly up to date, judged by its marks only.
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

  /// Whether something that a node has read is known to differ now.
  fileprivate func isKnownStale(_ node: Node) -> Bool {
    if node.isDirty || core.openTransactions == 0 { return node.isDirty }
    return core.isOutOfDate(node.id)
  }

  /// Marks all derived values that depend on a node that is out of date.
  func markDependents(of node: Node) {
    guard let derived = node.derived else { return }
    // Most are already marked, and then nothing is allocated.
    var marked: [DerivedState] = []
    derived.markReaders(&marked)
    while let next = marked.popLast() { next.markReaders(&marked) }
  }

  /// Whether a flush must run a derived value, because a reader runs only if the value differs. A reader that
  /// is out of date runs anyway, and reads the value itself if it still needs it. But what reads followed objects runs before
  /// its readers, which would otherwise be observed to read the same.
  func isAwaited(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    return derived.readers.values.contains { reader in
      (!reader.isDirty || node.readsFollowed) && (reader.derived == nil || isObserved(derived: reader))
    }
  }

  /// Whether a projection or callback depends on a derived value, directly or indirectly.
  func isObserved(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    if let known = derived.observation, known.version == core.readersVersion { return known.isObserved }
    // The value counts as unobserved while its readers are visited. This ends the recursion in a cycle, and
    // the members of a cycle do not make each other observed.
    derived.observation = (core.readersVersion, false)
    let isObserved = derived.readers.values.contains { reader in
      reader.derived == nil || self.isObserved(derived: reader)
    }
    derived.observation = (core.readersVersion, isObserved)
    return isObserved
  }

  /// The slot at which the values of a derived value are or will be published.
  func slot(of derived: DerivedState) -> SlotID {
    if let slot = derived.slot, derived.isBound { return slot }
    // Before the first value is published, no object holds the values.
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

  /// Publishes a scalar in the fast way. Returns false and does nothing if that is not possible. A value is published
  /// while a projection runs and in a flush, and has no receivers, so the conditions are fewer than for a property.
  private func put(_ value: Value, of derived: DerivedState, cause: UInt64?) -> Bool {
    guard measurements.isEmpty, !recorder.recordsOrigins, !earlyReaders.haveLate, find(derived),
      replace(&derived.write, by: value, isSame: false)
    else { return false }
    append(value, isSame: false, cause: cause, at: derived.write.loggedPath) { log throws(LogError) in
      let path = try log.logged(derived.path, renewing: derived.write.loggedPath)
      derived.write.loggedPath = path
      return path
    }
    return true
  }

  /// Finds where a value is; false before the first value is published.
  private func find(_ derived: DerivedState) -> Bool {
    let slot = slot(of: derived)
    if derived.write.slot != slot { (derived.write.slot, derived.write.slots) = (slot, WrittenSlots()) }
    if derived.write.location != nil { return true }
    guard case .object(let object) = core.state.bound(derived.path).root else { return false }
    derived.write.location = core.state.propertyLocation(of: object, property: derived.name)
    return derived.write.location != nil
  }
}
