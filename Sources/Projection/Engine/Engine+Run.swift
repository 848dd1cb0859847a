import EventLog
import Invalidation

extension Engine {
  /// Runs a node now. Call it outside the lock.
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

  /// Runs a node that was started. Call it outside the lock. It does not flush.
  ///
  /// - Parameter moment: The time of the system's clock, if it was just read.
  /// - Returns: The time at which the run ended; nil if the app's code has run since.
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
    // The body is called in two places, because a closure around it would be copied for each run.
    let changed =
      mayObserve(node)
      ? frame.run { observedIfDue(node, frame) { node.run?(frame) ?? nil } }
      : frame.run { node.run?(frame) ?? nil }
    return finish(node, frame, within: outer, own, from: began, changed)
  }

  /// Records a run whose body has ended, and runs what must follow it directly. Call it outside the lock.
  ///
  /// - Returns: The time at which the body ended; nil if the app's code has run since.
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
    // The node was ended during its run, so its new cleanups run now.
    if node.isDisposed || isClosed { own.cleanups += state.popCleanups(of: node) }
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
      for measurement in state.measurements { measurement.append(after, continues: frame) }
      unlock()
      after.run { callOut { for action in frame.firstAppearances { action() } } }
      moment = nil
      _ = lock()
      for measurement in state.measurements { measurement.markEnd(of: after) }
    }
    if !state.measurements.isEmpty {
      for measurement in state.measurements { measurement.markEnd(of: frame) }
    }
    state.runs.end()
    own.runs -= 1
    unlock()
    return moment
  }

  /// Runs the cleanups of earlier runs, before the run of `frame`. Call it outside the lock.
  private func clean(
    after cleanups: [() -> Void], in frame: Frame, cause: UInt64? = nil, within outer: Frame?
  ) {
    let aside = Frame(engine: self, node: nil, cause: frame.cause ?? cause, isTracking: false, outer: outer)
    withLock { for measurement in $0.measurements { measurement.append(aside, continues: frame) } }
    aside.run { carrying(aside.cause) { for cleanup in cleanups { cleanup() } } }
    withLock { for measurement in $0.measurements { measurement.markEnd(of: aside) } }
  }

  /// Runs the cleanups of nodes that the current thread has just ended, then what these made out of date.
  /// Call it outside the lock.
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
    aside.run { carrying(aside.cause) { for cleanup in cleanups { cleanup() } } }
  }
}

extension EngineState {
  /// Creates a node and records it.
  func addNode(
    name: String, id: AnyHashable? = nil, tracking: Tracking, parent: Node?, cause: UInt64? = nil,
    site: String? = nil
  ) -> Node {
    checkLock()
    // Describing the id may call the app's code.
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

  /// Makes the frame for the next run of a node.
  func start(_ node: Node, of engine: Engine, within outer: Frame?, _ own: ThreadFlush) -> Frame? {
    checkLock()
    guard !node.isDisposed, !engine.isClosed else { return nil }
    let cause = cause(ofRunOf: node, within: outer)
    node.isDirty = false
    node.invalidatedBy = nil
    node.isRunning = true
    if !node.invalidatedWhileRunning.isEmpty { node.invalidatedWhileRunning = [] }
    // The run updates each value when it reads it, so the node's own mark is cleared now.
    node.derived?.mayBeStale = false
    node.runner = RecursiveLock.currentThread
    runs.begin()
    own.runs += 1
    if own.isFlushing {
      own.queue.countRun(node)
      if own.queue.rounds > 0 { followRun(of: node, within: outer, in: own) }
    }
    if let pacing = node.pacing { countRun(of: node, pacing) }
    let frame = own.frame(for: node, of: engine, cause: cause, outer: outer)
    if !node.cleanups.isEmpty { frame.cleanups = popCleanups(of: node) }
    if !measurements.isEmpty {
      for measurement in measurements { measurement.markStart(of: node, in: frame) }
    }
    node.checkState()
    return frame
  }

  /// The cause of a node's run: the last change of what it had read.
  @inline(__always)
  private func cause(ofRunOf node: Node, within outer: Frame?) -> UInt64? {
    guard let seq = node.invalidatedBy else { return inheritedCause(of: node, within: outer) }
    if core.openTransactions == 0 { return seq }
    // What a transaction has changed since, which is still open, is seen by this run too.
    return max(seq, core.lastChange(of: node.id) ?? 0)
  }

  /// The cause of a node's run if no event has invalidated the node.
  private func inheritedCause(of node: Node, within outer: Frame?) -> UInt64? {
    let isInOuter = outer?.engine === engine
    if core.openTransactions > 0, node.hosting != nil || node.derived != nil && isInOuter,
      let change = core.lastChange(of: node.id)
    {
      // It runs within a transaction that changed a value it had read.
      return change
    }
    if let hosting = node.hosting { return cause(ofHosted: node.parent, hosting, within: outer) }
    return (isInOuter ? outer?.cause : nil) ?? AmbientCause.seq(in: engine)
  }

  /// Removes the cleanups of a node's last run, and returns them in the order in which they must run.
  func popCleanups(of node: Node) -> [() -> Void] {
    defer { node.cleanups = [] }
    return node.cleanups.reversed()
  }

  /// Registers the reads of a run, and records the run.
  fileprivate func finish(
    _ node: Node, _ frame: Frame, at clock: UInt64, duration: UInt64, _ changed: Bool?
  ) -> UInt64? {
    checkLock()
    node.isRunning = false
    guard !node.isDisposed else {
      // The node was ended during its run, and its body has made more children.
      disposeChildren(of: node)
      return nil
    }
    subscribe(node, to: frame)
    // Whether the output changed may reveal whether a redacted value did.
    let mayBeHidden = !redactedSlots.isEmpty || !frame.earlyReads.isEmpty
    let isHidden = mayBeHidden && redaction(ofRun: frame) == .hidden
    let changed = isHidden ? nil : changed
    let inputChanged = node.inputChanged.flatMap { mayShowHidden(inputOf: node, frame) ? nil : $0 }
    let comparing = min(frame.comparingTime, duration)
    var seq: UInt64?
    if node.hosting != nil, holdsRun(of: node) {
      hold(
        HeldRun(
          ended: clock, duration: duration, comparing: comparing, cause: frame.cause,
          inputChanged: inputChanged, isHidden: isHidden), of: node)
    } else {
      seq = recorder.append(atClock: clock) { log, time throws(LogError) in
        try log.appendEvaluate(
          &node.loggedName, duration: duration, changed: changed, inputChanged: inputChanged,
          comparing: comparing, time: time, cause: frame.cause)
      }
    }
    // The input counts as unchanged until the parent passes another.
    if node.input != nil { node.inputChanged = false }
    if core.openTransactions > 0 { core.markEvaluation(of: node.id) }
    if !measurements.isEmpty {
      for measurement in measurements { measurement.markEvaluation(of: node, in: frame, changed) }
    }
    if !node.children.isEmpty { disposeUnvisited(node, frame) }
    settleInvalidations(of: node, frame)
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
      setEarlyReads(frame.settleEarlyReads(in: self), of: node)
    }
    if let reader = node.trackedReader { frame.add(reader.learned) }
    if frame.reads.isAsExpected { return }
    setReads(Array(frame.reads.slots), of: node, cause: frame.cause)
  }

  /// Replaces the reads of a node, and records the difference.
  ///
  /// Cost: linear in the reads that differ, besides one comparison of all reads.
  func setReads(_ reads: [SlotID], of node: Node, cause: UInt64?) {
    var reads = reads
    // A value that was read before an object held it may have one now.
    if !derivedBySlot.isEmpty { for position in reads.indices { reads[position] = bound(reads[position]) } }
    let (added, dropped) = ReadList.difference(from: node.lastReads, to: reads)
    node.lastReads = reads
    if added.isEmpty, dropped.isEmpty { return }
    if !derivedBySlot.isEmpty { node.follow(reads.compactMap { derivedBySlot[$0] }) }
    changeReads(added: added, dropped: dropped, of: node, cause: cause)
  }

  /// The present slot of a derived value, for a slot that it had before it was published; otherwise the same
  /// slot.
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
      Reads.forEachChange(added: added, dropped: dropped) { change in
        recorder.emit(.reads(projection: node.name, change), cause: cause)
      }
    } else {
      recorder.skipSeq()
    }
    core.changeReads(added: added, dropped: dropped, of: node.id)
  }

  /// The path of a read in the log: by the object's number, or by the root's name.
  private func name(ofRead slot: SlotID) -> Path { core.state.logged(core.path(of: slot)) }

  /// Decides whether a node that has just run must run again, because what it read changed before the run
  /// ended. It runs again only if it has read an older value.
  private func settleInvalidations(of node: Node, _ frame: Frame) {
    // Usually nothing has changed since the run began.
    if runs.hasNoChanges, !frame.sawUnattached, node.invalidatedWhileRunning.isEmpty {
      return runs.forgetIfLast()
    }
    // The run has seen all changes before its first read.
    let stale = runs.changes(during: frame).first { change in
      if node.tracking == .object {
        return frame.hasRead(objectOf: change.property, before: change.seq, in: self)
      }
      return !change.isSame && frame.hasRead(change.property, before: change.seq, in: self)
    }
    if stale != nil || frame.sawUnattached {
      node.isDirty = true
      node.invalidatedBy = node.invalidatedBy ?? stale?.seq
      // The core did not know of this read yet, so it has not reported the invalidation.
      if node.invalidatedWhileRunning.isEmpty { node.pacing?.markInvalidation(at: clock) }
      own.queue.insert(node)
      if node.hosting != nil { insertOutOfDate(hosted: node) }
    } else if !node.invalidatedWhileRunning.isEmpty {
      node.isDirty = false
      node.invalidatedBy = nil
      for measurement in measurements { measurement.markSeen(by: node) }
    }
    runs.forgetIfLast()
    node.checkState()
  }

  /// Ends a node and its children. They never run again, even if they are queued.
  func disposeNode(_ node: Node) {
    guard !node.isDisposed else { return }
    releaseHeldRun(of: node)
    node.isDisposed = true
    disposeChildren(of: node)
    if !node.cleanups.isEmpty { own.cleanups += popCleanups(of: node) }
    setEarlyReads([], of: node)
    node.trackedReader?.end(in: self)
    node.end()
    held.remove(node)
    for measurement in measurements { measurement.markEnd(of: node) }
    core.removeNode(node.id)
    nodes.remove(node)
    _ = recorder.append { log, time throws(LogError) in try log.appendDispose(&node.loggedName, time: time) }
  }

  private func disposeChildren(of node: Node) {
    for child in node.children.values { disposeNode(child) }
    node.children = [:]
  }
}
