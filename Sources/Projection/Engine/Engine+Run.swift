import EventLog

extension Engine {
  /// Creates a node and records it. Called under the lock.
  func addNode(
    name: String, id: AnyHashable? = nil, tracking: Tracking, parent: Node?, cause: UInt64? = nil
  ) -> Node {
    let node = Node(
      id: core.addProjection(tracking: tracking), name: uniqueName(name, id: id, parent: parent),
      tracking: tracking, parent: parent, key: Node.Key(name: name, id: id))
    nodes[node.id] = node
    livingNames.insert(node.name)
    emit(.projection(name: node.name, parent: parent?.name, tracking: tracking), cause: cause)
    return node
  }

  /// `Row#42`; a child without an id takes its parent's, so that each row's label has a name of its own.
  private func uniqueName(_ name: String, id: AnyHashable?, parent: Node?) -> String {
    var instance = id.map { String(describing: $0.base) }
    if instance == nil, let parentName = parent?.name, let mark = parentName.firstIndex(of: "#") {
      instance = String(parentName[parentName.index(after: mark)...])
    }
    let wanted = instance.map { "\(name)#\($0)" } ?? name
    if !livingNames.contains(wanted) { return wanted }
    var number = 2
    while livingNames.contains("\(wanted)#\(number)") { number += 1 }
    return "\(wanted)#\(number)"
  }

  /// Runs a node now. Called outside the lock.
  func evaluate(_ node: Node) {
    let outer = Frame.current
    let frame: Frame? = lock.withLock {
      guard !node.isDisposed, !isClosed else { return nil }
      let inherited = outer?.engine === self ? outer?.cause : nil
      let cause = node.wokenBy ?? inherited
      node.isDirty = false
      node.wokenBy = nil
      node.isRunning = true
      node.wokenWhileRunning = []
      runsUnderWay += 1
      if isFlushing { queue.noteRun(node.id) }
      return Frame(engine: self, node: node, cause: cause, isTracking: true)
    }
    guard let frame else { return }
    let began = MonotonicClock.now()
    let changed = frame.run { node.run?(frame) ?? nil }
    let elapsed = MonotonicClock.now() &- began
    if let outer, outer.engine === self { outer.nestedTime += elapsed }
    let seq = lock.withLock {
      finish(node, frame, duration: elapsed - min(elapsed, frame.nestedTime), changed)
    }
    if !frame.firstAppearances.isEmpty {
      let after = Frame(engine: self, node: nil, cause: frame.cause ?? seq, isTracking: false)
      after.run { for action in frame.firstAppearances { action() } }
    }
    lock.withLock { runsUnderWay -= 1 }
    flush()
  }

  /// Registers what a run has read, and records that it ran.
  private func finish(_ node: Node, _ frame: Frame, duration: UInt64, _ changed: Bool?) -> UInt64? {
    node.isRunning = false
    guard !node.isDisposed else { return nil }
    subscribe(node, to: frame)
    let seq = emit(
      .evaluate(projection: node.name, duration: duration, changed: changed), cause: frame.cause)
    core.noteEvaluation(of: node.id)
    for measurement in measurements { measurement.noteEvaluation(of: node) }
    for child in node.children.values where !frame.visited.contains(ObjectIdentifier(child)) {
      dispose(child)
    }
    settleWakes(of: node, frame, seq)
    return seq
  }

  private func subscribe(_ node: Node, to frame: Frame) {
    let reads = Array(frame.reads.keys)
    if reads == node.lastReads, node.lastReadsShape == core.state.shapeVersion { return }
    node.lastReads = reads
    node.lastReadsShape = core.state.shapeVersion
    let paths = reads.map { path(ofPlace: $0) }
    guard paths != node.loggedPaths else { return }
    node.loggedPaths = paths
    emit(.reads(projection: node.name, paths: paths), cause: frame.cause)
    core.setReads(paths, of: node.id)
  }

  /// Between a read and the end of the run the place may have changed. The node runs again only if it
  /// has really seen an older value.
  private func settleWakes(of node: Node, _ frame: Frame, _ seq: UInt64) {
    let stale = changesDuringRuns.last { change in
      frame.reads.contains { read, since in
        since < change.seq && places.property(of: read) == change.property
      }
    }
    if let stale {
      node.isDirty = true
      node.wokenBy = node.wokenBy ?? stale.seq
      queue.insert(node.id)
    } else if !node.wokenWhileRunning.isEmpty {
      node.isDirty = false
      node.wokenBy = nil
    }
    if runsUnderWay == 1 { changesDuringRuns.removeAll(keepingCapacity: true) }
  }

  /// Ends a node and all below it: it never runs again, even if it waits already. Called under the lock.
  func dispose(_ node: Node) {
    guard !node.isDisposed else { return }
    node.isDisposed = true
    for child in node.children.values { dispose(child) }
    node.children = [:]
    node.run = nil
    core.removeProjection(node.id)
    nodes[node.id] = nil
    livingNames.remove(node.name)
    node.parent?.children[node.identity[node.identity.count - 1]] = nil
    emit(.dispose(projection: node.name))
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
}
