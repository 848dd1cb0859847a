import EventLog

extension Engine {
  /// Creates a node and records it. Called under the lock.
  func addNode(
    name: String, id: AnyHashable? = nil, tracking: Tracking, parent: Node?, cause: UInt64? = nil,
    site: String? = nil
  ) -> Node {
    let instance = uniqueName(name, id: id, parent: parent)
    let node = Node(
      id: core.addProjection(tracking: tracking), name: instance, loggedName: loggedName(instance),
      tracking: tracking, site: site, parent: parent, key: Node.Key(name: name, id: id))
    nodes[node.id] = node
    livingNames.insert(node.name)
    emit(.projection(name: node.name, parent: parent?.name, tracking: tracking), cause: cause, site: site)
    return node
  }

  private func loggedName(_ name: String) -> LogWriter.NameID {
    do { return try uncountedLog?.takeUnretainedValue().defineProjection(name) ?? 0 } catch {
      fail(error)
      return 0
    }
  }

  /// `Row#42`; a child without an id takes its parent's, so that each row's label has a name of its own.
  private func uniqueName(_ name: String, id: AnyHashable?, parent: Node?) -> String {
    var instance = id.map { String(describing: $0.base) }
    if instance == nil, let parentName = parent?.name, let mark = parentName.utf8.firstIndex(of: 0x23) {
      instance = String(parentName[parentName.utf8.index(after: mark)...])
    }
    let wanted = instance.map { "\(name)#\($0)" } ?? name
    if !livingNames.contains(wanted) { return wanted }
    // All numbers below are taken: trying each again would make the cost of many of one name grow as their square.
    var number = nextNumbers[wanted] ?? 2
    while livingNames.contains("\(wanted)#\(number)") { number += 1 }
    nextNumbers[wanted] = number + 1
    return "\(wanted)#\(number)"
  }

  /// A name that may be given again.
  private func free(_ name: String) {
    livingNames.remove(name)
    guard !nextNumbers.isEmpty, let mark = name.utf8.lastIndex(of: 0x23),
      let number = Int(name[name.utf8.index(after: mark)...]), number >= 2,
      let next = nextNumbers[String(name[..<mark])]
    else { return }
    nextNumbers[String(name[..<mark])] = min(number, next)
  }

  /// Runs a node now. Called outside the lock.
  func evaluate(_ node: Node) {
    let outer = Frame.current
    lock.lock()
    let own = own
    let frame = start(node, within: outer, own)
    lock.unlock()
    guard let frame else { return }
    run(node, frame, within: outer, own)
    lock.lock()
    own.recycle(frame)
    flushAndUnlock()
  }

  /// Makes the frame in which a node is about to run. Called under the lock.
  func start(_ node: Node, within outer: Frame?, _ own: ThreadFlush) -> Frame? {
    guard !node.isDisposed, !isClosed else { return nil }
    let inherited = outer?.engine === self ? outer?.cause : nil
    let cause = node.wokenBy ?? inherited
    node.isDirty = false
    node.wokenBy = nil
    node.isRunning = true
    if !node.wokenWhileRunning.isEmpty { node.wokenWhileRunning = [] }
    // Whatever it reads is looked after when it is read.
    node.derived?.mayBeStale = false
    node.runner = RecursiveLock.currentThread
    runsUnderWay += 1
    own.runs += 1
    if own.isFlushing { own.queue.noteRun(node) }
    if let pacing = node.pacing { noteRun(of: node, pacing) }
    let frame = own.frame(for: node, of: self, cause: cause, outer: outer)
    if !node.cleanups.isEmpty { frame.cleanups = takeCleanups(of: node) }
    if !measurements.isEmpty {
      for measurement in measurements { measurement.noteStart(of: node, in: frame) }
    }
    return frame
  }

  /// Runs a node that was started. Called outside the lock; it flushes nothing.
  func run(_ node: Node, _ frame: Frame, within outer: Frame?, _ own: ThreadFlush) {
    if !frame.cleanups.isEmpty { clean(after: frame.cleanups, in: frame, within: outer) }
    let began = MonotonicClock.now()
    let changed = frame.run { node.run?(frame) ?? nil }
    let ended = MonotonicClock.now()
    let elapsed = ended &- began
    if let outer, outer.engine === self { outer.nestedTime += elapsed }
    lock.lock()
    let seq = finish(node, frame, at: ended, duration: elapsed - min(elapsed, frame.nestedTime), changed)
    // It was ended while it ran, and its body went on.
    if node.isDisposed || isClosed { own.cleanups += takeCleanups(of: node) }
    if !own.cleanups.isEmpty {
      let cleanups = own.cleanups
      own.cleanups = []
      lock.unlock()
      clean(after: cleanups, in: frame, cause: seq, within: outer)
      lock.lock()
    }
    if !frame.firstAppearances.isEmpty {
      let after = Frame(engine: self, node: nil, cause: frame.cause ?? seq, isTracking: false, outer: outer)
      for measurement in measurements { measurement.note(after, continues: frame) }
      lock.unlock()
      after.run { callOut { for action in frame.firstAppearances { action() } } }
      lock.lock()
      for measurement in measurements { measurement.noteEnd(of: after) }
    }
    if !measurements.isEmpty { for measurement in measurements { measurement.noteEnd(of: frame) } }
    runsUnderWay -= 1
    own.runs -= 1
    lock.unlock()
  }

  /// What the body of a node's last run wants done, in the order in which it is done. Called under the lock.
  func takeCleanups(of node: Node) -> [() -> Void] {
    defer { node.cleanups = [] }
    return node.cleanups.reversed()
  }

  /// Does what ended runs wanted done, on account of a run. Called outside the lock.
  private func clean(
    after cleanups: [() -> Void], in frame: Frame, cause: UInt64? = nil, within outer: Frame?
  ) {
    let aside = Frame(engine: self, node: nil, cause: frame.cause ?? cause, isTracking: false, outer: outer)
    lock.withLock { for measurement in measurements { measurement.note(aside, continues: frame) } }
    aside.run { for cleanup in cleanups { cleanup() } }
    lock.withLock { for measurement in measurements { measurement.noteEnd(of: aside) } }
  }

  /// Does what nodes wanted done that the current thread has just ended, then runs what that made out of date. Called
  /// outside the lock.
  func cleanEnded() {
    let cleanups = lock.withLock {
      let own = own
      defer { own.cleanups = [] }
      return own.cleanups
    }
    if cleanups.isEmpty { return }
    hold()
    defer { release() }
    let aside = Frame(engine: self, node: nil, cause: currentCause, isTracking: false)
    aside.run { for cleanup in cleanups { cleanup() } }
  }

  /// Registers what a run has read, and records that it ran.
  private func finish(
    _ node: Node, _ frame: Frame, at clock: UInt64, duration: UInt64, _ changed: Bool?
  ) -> UInt64? {
    node.isRunning = false
    guard !node.isDisposed else {
      // Its body went on making children.
      disposeChildren(of: node)
      return nil
    }
    subscribe(node, to: frame)
    // Whether its output changed may tell whether the secret did.
    let mayBeHidden = !redactedPlaces.isEmpty || !frame.earlyReads.isEmpty
    let isHidden = mayBeHidden && redaction(ofRun: frame) == .hidden
    let changed = isHidden ? nil : changed
    let seq = append(at: time(atClock: clock)) { log, time throws(LogError) in
      try log.appendEvaluate(
        node.loggedName, duration: duration, changed: changed, time: time, cause: frame.cause)
    }
    if core.openTransactions > 0 {
      settle()
      core.noteEvaluation(of: node.id)
    }
    if !measurements.isEmpty {
      for measurement in measurements { measurement.noteEvaluation(of: node, in: frame, changed) }
    }
    if !node.children.isEmpty { disposeUnvisited(node, frame) }
    settleWakes(of: node, frame, seq)
    return seq
  }

  private func disposeUnvisited(_ node: Node, _ frame: Frame) {
    var gone: [Node] = []
    node.children.removeAll { _, child in
      if frame.visited.contains(ObjectIdentifier(child)) { return false }
      gone.append(child)
      return true
    }
    for child in gone { dispose(child) }
  }

  private func subscribe(_ node: Node, to frame: Frame) {
    if !frame.earlyReads.isEmpty || !node.earlyReads.isEmpty {
      setEarlyReads(frame.settleEarlyReads(), of: node)
    }
    let shape = core.state.shapeVersion
    if frame.reads.isAsExpected, node.lastReadsShape == shape { return }
    node.lastReads = Array(frame.reads.places)
    node.lastReadsShape = shape
    if !derivedByPlace.isEmpty { node.follow(node.lastReads.compactMap { derivedByPlace[$0] }) }
    let paths = node.lastReads.map { path(ofPlace: $0) }
    guard paths != node.loggedPaths else { return }
    node.loggedPaths = paths
    emit(.reads(projection: node.name, paths: paths), cause: frame.cause)
    settle()
    core.setReads(paths, of: node.id)
  }

  /// Between a read and the end of the run the place may have changed. The node runs again only if it
  /// has really seen an older value.
  private func settleWakes(of node: Node, _ frame: Frame, _ seq: UInt64) {
    // Of what changed before its first read it has seen the latest.
    let later = changesDuringRuns.reversed().prefix { frame.mayHaveRead(before: $0.seq) }
    let stale = later.first { change in
      if node.tracking == .object { return frame.hasRead(objectOf: change.property, before: change.seq) }
      return !change.isSame && frame.hasRead(change.property, before: change.seq)
    }
    if stale != nil || frame.sawUnattached {
      node.isDirty = true
      node.wokenBy = node.wokenBy ?? stale?.seq
      // The core did not know yet that it reads there.
      if node.wokenWhileRunning.isEmpty { node.pacing?.noteWake(at: clock) }
      own.queue.insert(node)
    } else if !node.wokenWhileRunning.isEmpty {
      node.isDirty = false
      node.wokenBy = nil
    }
    if runsUnderWay > 1 { return }
    if !changesDuringRuns.isEmpty { changesDuringRuns.removeAll(keepingCapacity: true) }
    if !attachedDuringRuns.isEmpty { attachedDuringRuns = [:] }
  }

  /// Ends a node and all below it: it never runs again, even if it waits already. Called under the lock.
  func dispose(_ node: Node) {
    guard !node.isDisposed else { return }
    node.isDisposed = true
    disposeChildren(of: node)
    if !node.cleanups.isEmpty { own.cleanups += takeCleanups(of: node) }
    setEarlyReads([], of: node)
    node.end()
    if !held.isEmpty { held[node.id] = nil }
    core.removeProjection(node.id)
    nodes[node.id] = nil
    free(node.name)
    _ = append { log, time throws(LogError) in try log.appendDispose(node.loggedName, time: time) }
  }

  private func disposeChildren(of node: Node) {
    for child in node.children.values { dispose(child) }
    node.children = [:]
  }
}

extension PathTable {
  /// The property that a place lies in, for a place named from its object.
  func property(of place: ID) -> ID {
    var place = place
    while case .step(let parent, _) = self[place] {
      if case .root = self[parent] { return place }
      place = parent
    }
    return place
  }

  /// The object that a place lies in, for a place named from its object.
  func object(of place: ID) -> ID {
    var place = place
    while case .step(let parent, _) = self[place] { place = parent }
    return place
  }
}
