import EventLog

// Derived values publish their results as events, so the core invalidates their readers as after any other event. A
// value that becomes out of date marks all derived values that depend on it, directly or not. A read brings only a
// marked value up to date, so that reading one without a mark costs nothing.

extension Engine {
  /// The root under which derived values are published.
  static let derivedRoot = "derived"

  /// Makes a node one of a derived value.
  func makeDerived(_ node: Node) {
    lock.withLock {
      let path = Path(root: .named(Self.derivedRoot), components: [.property(node.name)])
      let derived = DerivedState(path: path, pathID: paths.intern(path), engine: self)
      node.derived = derived
      derivedByPath[derived.pathID] = node
    }
  }

  /// Notes that the app has released a derived value: it ends as soon as it has no readers. The last reference may be
  /// released on any thread, also while that holds the lock.
  func abandon(_ node: Node) {
    lock.withLock {
      guard !isClosed, let derived = node.derived else { return }
      derived.isAbandoned = true
      if derived.readers.isEmpty { abandoned.append(node) }
      // Code of this thread that holds the lock may be in the middle of recording an event.
      if !lock.isTakenAgain { endAbandoned() }
    }
  }

  /// Ends the derived values that were released and have no readers. Does nothing while a projection runs: it may have
  /// read one, and becomes a reader only when it ends. Called under the lock.
  func endAbandoned() {
    if runsUnderWay > 0 { return }
    while let node = abandoned.popLast() {
      if node.derived?.readers.isEmpty == true { end(node) }
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
    lock.lock()
    let thread = RecursiveLock.currentThread
    // A value that runs on another thread is being brought up to date there.
    let (isRunning, isOwn) = (node.isRunning, node.runner == thread)
    guard !isRunning, !node.isDisposed, let derived = node.derived, mayBeStale(node, derived) else {
      lock.unlock()
      return isRunning && isOwn ? Circle(running: node) : nil
    }
    let (sources, outerPull) = (node.sources, derived.pulledBy)
    derived.pulledBy = thread
    lock.unlock()
    var circle: Circle?
    for source in sources {
      let isToBePulled = lock.withLock {
        // A value known to be stale runs, and its run decides which sources it still reads. In a circle each value is
        // visited once.
        !isKnownStale(node) && source.derived?.pulledBy != thread
      }
      if isToBePulled, let found = bringUpToDate(source) { circle = found }
    }
    let isStale = lock.withLock {
      derived.pulledBy = outerPull
      let isStale = isKnownStale(node)
      if circle == nil || isStale {
        derived.mayBeStale = false
        derived.checkedAt = lastMutation
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

  /// Whether a derived value is surely up to date, decided by its marks alone. Called under the lock.
  @inline(__always)
  func isCurrent(_ node: Node) -> Bool {
    guard !node.isDirty, !node.isRunning, core.openTransactions == 0, let derived = node.derived else {
      return false
    }
    return !derived.mayBeStale
  }

  /// Called under the lock.
  private func mayBeStale(_ node: Node, _ derived: DerivedState) -> Bool {
    core.openTransactions > 0 ? derived.checkedAt != lastMutation : node.isDirty || derived.mayBeStale
  }

  /// Whether anything that a node has read differs now. Called under the lock.
  private func isKnownStale(_ node: Node) -> Bool {
    if node.isDirty || core.openTransactions == 0 { return node.isDirty }
    settle()
    return core.isOutOfDate(node.id)
  }

  /// Marks all derived values that depend on one that is out of date. Called under the lock.
  func markDependents(of node: Node) {
    var marked = [node]
    while let next = marked.popLast() {
      guard let readers = next.derived?.readers.values else { continue }
      for reader in readers {
        guard let derived = reader.derived, !derived.mayBeStale else { continue }
        derived.mayBeStale = true
        marked.append(reader)
      }
    }
  }

  /// Records a new output of a derived value, which invalidates its readers as any other event does.
  func publish(_ value: Value, of node: Node, cause: UInt64?) {
    guard let derived = node.derived else { return }
    lock.withLock {
      guard !isClosed else { return }
      if value.isScalar, core.openTransactions == 0, isOpen(derived) {
        put(value, isSame: false, in: derived.slot, of: derived, cause: cause, logged: derived.path)
      } else {
        do {
          try emitMutation(.set(derived.path, value, sameValue: false), cause: cause)
        } catch {
          report(.init(message: "not recorded: \(error)"))
        }
        let version = core.plansVersion
        if derived.slot.pointee.missedVersion == version, core.openTransactions == 0 {
          open(derived.slot, at: derived.path, logged: derived.path)
        }
        derived.slot.pointee.missedVersion = version
      }
      if runsUnderWay > 0 { changesDuringRuns.append((lastMutation, derived.pathID, false)) }
    }
  }

  /// Whether a flush must run a derived value: it has a reader that runs only if the value differs. A reader that is
  /// out of date already runs anyway, and reads the value itself if it still needs it. Called under the lock.
  func isAwaited(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    return derived.readers.values.contains { reader in
      !reader.isDirty && (reader.derived == nil || isObserved(derived: reader))
    }
  }

  /// Whether a projection or callback depends on a derived value, directly or not. Called under the lock.
  func isObserved(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    if let known = derived.observation, known.version == core.plansVersion { return known.isObserved }
    // While the readers are visited this counts as not observed, so that a circle ends, and does not make its members
    // observed.
    derived.observation = (core.plansVersion, false)
    let isObserved = derived.readers.values.contains { reader in
      reader.derived == nil || self.isObserved(derived: reader)
    }
    derived.observation = (core.plansVersion, isObserved)
    return isObserved
  }

  /// Whether the slot of a derived value may be used. A derived value keeps its own readers, so the slot stays usable
  /// when projections begin to read something else. Called under the lock.
  private func isOpen(_ derived: DerivedState) -> Bool {
    let slot = derived.slot
    let version = core.plansVersion
    if slot.pointee.version == version { return true }
    guard let place = slot.pointee.place, slot.pointee.routeVersion == core.state.routeVersion,
      !core.isReadWhole(place.owner), core.state.value(at: place)?.isScalar == true
    else { return false }
    slot.pointee.readers = derived.readersInOrder
    slot.pointee.version = version
    return true
  }
}
