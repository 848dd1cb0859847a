import EventLog
import Invalidation

extension Engine {
  /// Runs a node now. Called outside the lock.
  func evaluate(_ node: Node) {
    let outer = Frame.current
    let state = lock()
    let own = state.own
    let frame = state.start(node, of: self, within: outer, own)
    unlock()
    guard let frame else { return }
    run(node, frame, within: outer, own)
    _ = lock()
    own.recycle(frame)
    flushAndUnlock(state)
  }

  /// Runs a node that was started. Called outside the lock; it flushes nothing.
  ///
  /// - Parameter moment: The present time of the system's clock, if it was just read.
  /// - Returns: When it ended by the clock; nil if code of the app has run since.
  @discardableResult
  func run(
    _ node: Node, _ frame: Frame, within outer: Frame?, _ own: ThreadFlush, from moment: UInt64? = nil
  ) -> UInt64? {
    var moment = moment
    if !frame.cleanups.isEmpty {
      clean(after: frame.cleanups, in: frame, within: outer)
      moment = nil
    }
    let began = moment ?? TickClock.now()
    let changed = frame.run { node.run?(frame) ?? nil }
    return finish(node, frame, within: outer, own, from: began, changed)
  }

  /// Records a run whose body is over, and runs what is to run right after it. Called outside the lock.
  ///
  /// - Returns: When the body ended by the clock; nil if code of the app has run since.
  @inline(__always)
  func finish(
    _ node: Node, _ frame: Frame, within outer: Frame?, _ own: ThreadFlush, from began: UInt64,
    _ changed: Bool?
  ) -> UInt64? {
    let ended = TickClock.now()
    var moment: UInt64? = ended
    let elapsed = ended > began ? ended - began : 0
    if let outer, outer.engine === self { outer.nestedTime += elapsed }
    let state = lock()
    let seq = state.finish(
      node, frame, at: ended, duration: elapsed - min(elapsed, frame.nestedTime), changed)
    // The node was ended while it ran, and its body went on.
    if node.isDisposed || isClosed { own.cleanups += state.takeCleanups(of: node) }
    if !own.cleanups.isEmpty {
      let cleanups = own.cleanups
      own.cleanups = []
      unlock()
      clean(after: cleanups, in: frame, cause: seq, within: outer)
      moment = nil
      _ = lock()
    }
    if !frame.firstAppearances.isEmpty {
      let after = Frame(engine: self, node: nil, cause: frame.cause ?? seq, isTracking: false, outer: outer)
      for measurement in state.measurements { measurement.note(after, continues: frame) }
      unlock()
      after.run { callOut { for action in frame.firstAppearances { action() } } }
      moment = nil
      _ = lock()
      for measurement in state.measurements { measurement.noteEnd(of: after) }
    }
    if !state.measurements.isEmpty {
      for measurement in state.measurements { measurement.noteEnd(of: frame) }
    }
    state.runs.end()
    own.runs -= 1
    unlock()
    return moment
  }

  /// Runs the cleanups of ended runs; `frame` is the run that they precede. Called outside the lock.
  private func clean(
    after cleanups: [() -> Void], in frame: Frame, cause: UInt64? = nil, within outer: Frame?
  ) {
    let aside = Frame(engine: self, node: nil, cause: frame.cause ?? cause, isTracking: false, outer: outer)
    withLock { for measurement in $0.measurements { measurement.note(aside, continues: frame) } }
    aside.run { for cleanup in cleanups { cleanup() } }
    withLock { for measurement in $0.measurements { measurement.noteEnd(of: aside) } }
  }

  /// Runs the cleanups of nodes that the current thread has just ended, then what these made out of date. Called
  /// outside the lock.
  func cleanEnded() {
    let cleanups = withLock { state in
      let own = state.own
      defer { own.cleanups = [] }
      return own.cleanups
    }
    if cleanups.isEmpty { return }
    hold()
    defer { release() }
    let aside = Frame(engine: self, node: nil, cause: currentCause, isTracking: false)
    aside.run { for cleanup in cleanups { cleanup() } }
  }
}

extension EngineState {
  /// Creates a node and records it.
  func addNode(
    name: String, id: AnyHashable? = nil, tracking: Tracking, parent: Node?, cause: UInt64? = nil,
    site: String? = nil
  ) -> Node {
    // The app's code may describe the id.
    let wanted = NodeRegistry.wantedName(name, id: id, parent: parent)
    let instance = nodes.claimName(wanted)
    let number = core.addNode(tracking: tracking)
    let node = Node(
      id: number, order: core.order(of: number), name: instance, tracking: tracking, site: site,
      parent: parent, key: Node.Key(name: name, id: id))
    nodes.add(node)
    recorder.emit(
      .projection(name: node.name, parent: parent?.name, tracking: tracking), cause: cause, site: site)
    return node
  }

  /// Makes the frame in which a node is about to run.
  func start(_ node: Node, of engine: Engine, within outer: Frame?, _ own: ThreadFlush) -> Frame? {
    guard !node.isDisposed, !engine.isClosed else { return nil }
    let cause = node.invalidatedBy ?? inheritedCause(of: node, within: outer)
    node.isDirty = false
    node.invalidatedBy = nil
    node.isRunning = true
    if !node.invalidatedWhileRunning.isEmpty { node.invalidatedWhileRunning = [] }
    // What it reads is brought up to date when it is read.
    node.derived?.mayBeStale = false
    node.runner = RecursiveLock.currentThread
    runs.begin()
    own.runs += 1
    if own.isFlushing { own.queue.noteRun(node) }
    if let pacing = node.pacing { noteRun(of: node, pacing) }
    let frame = own.frame(for: node, of: engine, cause: cause, outer: outer)
    if !node.cleanups.isEmpty { frame.cleanups = takeCleanups(of: node) }
    if !measurements.isEmpty {
      for measurement in measurements { measurement.noteStart(of: node, in: frame) }
    }
    return frame
  }

  /// Why a node runs that nothing has invalidated.
  private func inheritedCause(of node: Node, within outer: Frame?) -> UInt64? {
    let isInOuter = outer?.engine === engine
    if core.openTransactions > 0, node.hosting != nil || node.derived != nil && isInOuter,
      let change = core.lastChange(of: node.id)
    {
      // It runs within a transaction, which has changed what it read.
      return change
    }
    if let hosting = node.hosting { return cause(ofHosted: node.parent, hosting, within: outer) }
    return isInOuter ? outer?.cause : nil
  }

  /// Removes the cleanups of a node's last run, and returns them in the order in which they run.
  func takeCleanups(of node: Node) -> [() -> Void] {
    defer { node.cleanups = [] }
    return node.cleanups.reversed()
  }

  /// Registers what a run has read, and records that it ran.
  fileprivate func finish(
    _ node: Node, _ frame: Frame, at clock: UInt64, duration: UInt64, _ changed: Bool?
  ) -> UInt64? {
    node.isRunning = false
    guard !node.isDisposed else {
      // The node was ended while it ran, and its body made further children.
      disposeChildren(of: node)
      return nil
    }
    subscribe(node, to: frame)
    // Whether the output changed may show whether a redacted value did.
    let mayBeHidden = !redactedSlots.isEmpty || !frame.earlyReads.isEmpty
    let isHidden = mayBeHidden && redaction(ofRun: frame) == .hidden
    let changed = isHidden ? nil : changed
    let inputChanged = node.inputChanged.flatMap { mayShowHidden(inputOf: node, frame) ? nil : $0 }
    let seq = recorder.append(atClock: clock) { log, time throws(LogError) in
      try log.appendEvaluate(
        &node.loggedName, duration: duration, changed: changed, inputChanged: inputChanged, time: time,
        cause: frame.cause)
    }
    // It has that input until its parent hands in another.
    if node.input != nil { node.inputChanged = false }
    if core.openTransactions > 0 { core.noteEvaluation(of: node.id) }
    if !measurements.isEmpty {
      for measurement in measurements { measurement.noteEvaluation(of: node, in: frame, changed) }
    }
    if !node.children.isEmpty { disposeUnvisited(node, frame) }
    settleInvalidations(of: node, frame, seq)
    return seq
  }

  private func disposeUnvisited(_ node: Node, _ frame: Frame) {
    var gone: [Node] = []
    node.children.removeAll { _, child in
      if frame.visited.contains(ObjectIdentifier(child)) { return false }
      gone.append(child)
      return true
    }
    for child in gone { disposeNode(child) }
  }

  private func subscribe(_ node: Node, to frame: Frame) {
    if !frame.earlyReads.isEmpty || !node.earlyReads.isEmpty {
      earlyReaders.set(frame.settleEarlyReads(in: self), of: node)
    }
    if frame.reads.isAsExpected { return }
    setReads(Array(frame.reads.slots), of: node, cause: frame.cause)
  }

  /// Replaces what a node reads, and records the difference.
  ///
  /// Cost: linear in the reads that differ, apart from a comparison of all.
  func setReads(_ reads: [SlotID], of node: Node, cause: UInt64?) {
    var reads = reads
    // What was read before it had an object may have one by now.
    if !derivedBySlot.isEmpty { for position in reads.indices { reads[position] = bound(reads[position]) } }
    let (added, dropped) = ReadList.difference(from: node.lastReads, to: reads)
    node.lastReads = reads
    if added.isEmpty, dropped.isEmpty { return }
    if !derivedBySlot.isEmpty { node.follow(reads.compactMap { derivedBySlot[$0] }) }
    changeReads(added: added, dropped: dropped, of: node, cause: cause)
  }

  /// The slot that a derived value has by now, if a slot is one that it had before it was published; else the same.
  private func bound(_ slot: SlotID) -> SlotID {
    guard let derived = derivedBySlot[slot]?.derived, !derived.isBound else { return slot }
    return self.slot(of: derived)
  }

  /// Records a change of what a node reads.
  func changeReads(
    added: [SlotID], dropped: [SlotID], of node: Node, cause: UInt64?
  ) {
    if recorder.isRecording {
      let (added, dropped) = (added.map { name(ofRead: $0) }, dropped.map { name(ofRead: $0) })
      recorder.emit(.reads(projection: node.name, .change(added: added, dropped: dropped)), cause: cause)
    } else {
      recorder.skipSeq()
    }
    core.changeReads(added: added, dropped: dropped, of: node.id)
  }

  /// The path by which the log calls a read: by the number of the object, or by the name of the root.
  private func name(ofRead slot: SlotID) -> Path { core.state.logged(core.path(of: slot)) }

  /// Decides whether a node that just ran must run again: what it read may have changed before the run ended. It runs
  /// again only if it has read an older value.
  private func settleInvalidations(of node: Node, _ frame: Frame, _ seq: UInt64) {
    // The usual case: nothing has changed since it began.
    if runs.hasNoChanges, !frame.sawUnattached, node.invalidatedWhileRunning.isEmpty {
      return runs.forgetIfLast()
    }
    // It has seen all changes before its first read.
    let stale = runs.changes(during: frame).first { change in
      if node.tracking == .object {
        return frame.hasRead(objectOf: change.property, before: change.seq, in: self)
      }
      return !change.isSame && frame.hasRead(change.property, before: change.seq, in: self)
    }
    if stale != nil || frame.sawUnattached {
      node.isDirty = true
      node.invalidatedBy = node.invalidatedBy ?? stale?.seq
      // The core did not know yet of this read, and so did not report it.
      if node.invalidatedWhileRunning.isEmpty { node.pacing?.noteInvalidation(at: clock) }
      own.queue.insert(node)
    } else if !node.invalidatedWhileRunning.isEmpty {
      node.isDirty = false
      node.invalidatedBy = nil
    }
    runs.forgetIfLast()
  }

  /// Ends a node and all below it: it never runs again, even if it is queued.
  func disposeNode(_ node: Node) {
    guard !node.isDisposed else { return }
    node.isDisposed = true
    disposeChildren(of: node)
    if !node.cleanups.isEmpty { own.cleanups += takeCleanups(of: node) }
    earlyReaders.set([], of: node)
    node.end()
    held.remove(node)
    core.removeNode(node.id)
    nodes.remove(node)
    _ = recorder.append { log, time throws(LogError) in try log.appendDispose(&node.loggedName, time: time) }
  }

  private func disposeChildren(of node: Node) {
    for child in node.children.values { disposeNode(child) }
    node.children = [:]
  }
}
