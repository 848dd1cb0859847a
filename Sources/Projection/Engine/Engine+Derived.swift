import EventLog

// Derived values publish their results as events, so the core wakes their readers as by any other. Which of them must be
// looked after when one is read is told by marks that are made ahead: whoever becomes out of date marks all derived values
// that depend on it, so that reading one without a mark costs nothing.

extension Engine {
  /// The root under which derived values are published.
  static let derivedRoot = "derived"

  /// Makes a node one of a derived value.
  func makeDerived(_ node: Node) {
    lock.withLock {
      let path = Path(root: .named(Self.derivedRoot), components: [.property(node.name)])
      let derived = DerivedState(path: path, place: places.intern(path), engine: self)
      node.derived = derived
      derivedByPlace[derived.place] = node
    }
  }

  /// Notes that nobody holds a derived value any more: it ends as soon as nobody depends on it. The last reference may go
  /// anywhere, on any thread and while the lock is held.
  func abandon(_ node: Node) {
    lock.withLock {
      guard !isClosed, let derived = node.derived else { return }
      derived.isAbandoned = true
      if derived.readers.isEmpty { abandoned.append(node) }
      // What holds the lock may be between the two halves of an event.
      if !lock.isTakenAgain { endAbandoned() }
    }
  }

  /// Ends the derived values that nobody holds and nobody depends on; not while something runs, which may have read one
  /// and is no reader of it before its end. Called under the lock.
  func endAbandoned() {
    if runsUnderWay > 0 { return }
    while let node = abandoned.popLast() {
      if node.derived?.readers.isEmpty == true { end(node) }
    }
  }

  /// Brings a derived value up to date, after those that it reads itself.
  ///
  /// - Returns: The circle that reading it closes, if it is to be computed from what the current thread is computing.
  func pull(_ node: Node) -> DerivedCycle? {
    lookAfter(node).map { cycle(backTo: $0.running, through: $0.names.reversed()) }
  }

  /// A value that is being computed, and the names on the way back to it.
  private struct Circle {
    let running: Node
    var names: [String] = []
  }

  private func lookAfter(_ node: Node) -> Circle? {
    lock.lock()
    let thread = RecursiveLock.currentThread
    // On another thread it is brought up to date already.
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
        // Once it is known to be stale, its run tells what it still reads. In a circle each is looked after once.
        !isKnownStale(node) && source.derived?.pulledBy != thread
      }
      if isToBePulled, let found = lookAfter(source) { circle = found }
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

  /// Whether a derived value is what it would be if it were computed now, as far as can be told at once. Called under the
  /// lock.
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

  /// Whether anything that a node has read differs by now. Called under the lock.
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

  /// Records a new output of a derived value: its readers are woken as by any other event.
  func publish(_ value: Value, of node: Node, cause: UInt64?) {
    guard let derived = node.derived else { return }
    lock.withLock {
      guard !isClosed else { return }
      if value.isScalar, core.openTransactions == 0, isOpen(derived) {
        put(value, isSame: false, in: derived.slot, of: derived, cause: cause)
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
      if runsUnderWay > 0 { changesDuringRuns.append((lastMutation, derived.place, false)) }
    }
  }

  /// Whether a derived value has a turn of its own: somebody waits to hear whether it is another. Whoever is out of date
  /// too does not; he will read it himself, if he still does. Called under the lock.
  func isAwaited(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    return derived.readers.values.contains { reader in
      !reader.isDirty && (reader.derived == nil || isObserved(derived: reader))
    }
  }

  /// Whether anyone who runs by itself depends on a derived value. Called under the lock.
  func isObserved(derived node: Node) -> Bool {
    guard let derived = node.derived else { return false }
    if let known = derived.observation, known.version == core.plansVersion { return known.isObserved }
    // Who depends on itself by a circle is not observed for that.
    derived.observation = (core.plansVersion, false)
    let isObserved = derived.readers.values.contains { reader in
      reader.derived == nil || self.isObserved(derived: reader)
    }
    derived.observation = (core.plansVersion, isObserved)
    return isObserved
  }

  /// Whether the slot of a derived value is good. Of a derived value it is known who reads it, so that others who begin to
  /// read something else make it no worse. Called under the lock.
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
