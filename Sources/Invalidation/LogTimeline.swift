import EventLog

/// The invalidation core driven by the rows of a log, in the ids of a run: events in, hits out.
///
/// A set of a scalar that only wakes its readers is not carried out at once: its value waits until something needs the
/// state. So most events of a long run cost no look at the state, and memory only where they wake somebody.
package struct LogTimeline: Sendable {
  /// A projection that the last event was found to put out of date.
  package struct Hit: Sendable {
    package var projection: ProjectionID
    package var causes: Causes
  }

  /// What is known of a path that scalars are written to.
  private struct Lane: Sendable {
    /// When it was last found to hold.
    var moment = InvalidationCore.Moment.never
    /// Where the path leads; nil before the second set, which is when it is worth knowing more.
    var place: Place?
    var isWrittenAgain = false
    var readers: [NodeID] = []
    /// Those of them that an equal value wakes too.
    var objectReaders: [NodeID] = []
    /// The same, where they are many and the caller takes them together: then these have numbers, and are not above.
    var crowd: Int32 = -1
    var objectCrowd: Int32 = -1
  }

  private var core: InvalidationCore
  // These three by the path, for an epoch of its ids.
  private var epoch: UInt32 = 0
  private var pending = PendingScalars()
  private var lanes = DenseMap<Int, Lane>(default: Lane())
  private var routes: [InvalidationCore.Route] = []
  private var routeIndices = DenseMap<Int, Int32?>(default: nil)
  private var routeVersion: UInt64 = 0
  /// The projections that live, as the core knows them; -1 for others.
  private var projections = ProjectionMap<Int32>(default: -1)
  /// By the core's projection: the run's; nil where it is gone.
  private var ids: [ProjectionID?] = []
  /// By the core's projection: the paths that it reads, if it was told by ids.
  private var reads: [[PathID]] = []
  private var chains = CauseChains()
  /// What the last event invalidated, in order of creation.
  package private(set) var hits: [Hit] = []

  private var crowds = Crowds()
  private var lastCrowd: Int32 = -1
  /// Whether what the last event invalidated is many at once; then there are no hits, and they are in ``crowd``.
  package var hasCrowd: Bool { lastCrowd >= 0 }
  /// What the last event invalidated, where that is many at once.
  package var crowd: ProjectionSet {
    _read { yield crowds[lastCrowd] }
  }
  /// Whether the caller looks at ``crowd``.
  package var givesCrowds = false

  private static let routesMax = 1 << 16

  /// Starts from a state, the empty one before the first event.
  package init(_ state: State = State()) { core = InvalidationCore(state) }

  /// The state after the events so far. Cost: a set for each value that waits.
  package var state: State {
    mutating get {
      pending.flush(into: &core.state)
      return core.state
    }
  }

  /// The first event in the chain of causes that led to this one, as far back as it is remembered, and how many
  /// steps away it is.
  @inline(__always)
  package func root(of seq: UInt64) -> (seq: UInt64, depth: Int) { chains.root(of: seq) }

  /// Begins with the next event: forgets the hits of the last, and notes what caused this one, 0 for nothing.
  @inline(__always)
  package mutating func advance(to seq: UInt64, cause: UInt64) throws(StateError) {
    if !hits.isEmpty { hits.removeAll(keepingCapacity: true) }
    lastCrowd = -1
    if cause == 0 { return }
    guard cause < seq else { throw StateError(nil, "the cause \(cause) does not come before the event") }
    chains.note(seq, causedBy: cause)
  }

  /// Forgets what it knows by ids of paths, which have started over.
  private mutating func begin(_ epoch: UInt32) {
    if epoch == self.epoch { return }
    self.epoch = epoch
    pending.flush(into: &core.state)
    pending.close()
    lanes.removeAll(keepingCapacity: true)
    routes.removeAll(keepingCapacity: true)
    routeIndices.removeAll(keepingCapacity: true)
  }
}

// MARK: Rows

extension LogTimeline {
  /// Takes in the next row, with the path and the projection that it names; false where the block is needed for it,
  /// which is then to be given to ``takeRest(_:of:path:projection:_:_:)``.
  ///
  /// The row comes in parts: as a whole it would be copied for each call.
  package mutating func take(
    _ kind: EventKind, seq: UInt64, cause: UInt64, path: PathID?, projection: ProjectionID?,
    value: borrowing Value,
    isSameValue: Bool
  ) throws(StateError) -> Bool {
    try advance(to: seq, cause: cause)
    switch kind {
    case .set:
      guard let path else { return false }
      return set(path, to: copy value, sameValue: isSameValue, seq: seq)
    case .evaluate: if let projection { noteEvaluation(of: projection) }
    case .invalidate, .mark: break
    default: return false
    }
    return true
  }

  /// Takes in the rest of a row.
  package mutating func takeRest(
    _ row: borrowing Row, of rows: borrowing BlockRows, path: PathID?, projection: ProjectionID?,
    _ ids: borrowing BlockIDs, _ tables: borrowing RunTables
  ) throws(StateError) {
    let block = rows.tables
    switch row.kind {
    case .set:
      guard let path, let id = row.path else { return }
      try set(path, at: block.path(id), to: row.value, sameValue: row.isSameValue, seq: row.seq)
    case .splice, .remove: try apply(rows.body(of: row), seq: row.seq)
    case .projection:
      guard let projection, !addProjection(projection, tracking: row.tracking) else { return }
      throw StateError(nil, "the projection \(tables.name(projection)) exists already; dispose it first")
    case .reads:
      guard let projection else { return }
      let paths = rows.readPaths
      if row.isChangeOfReads {
        changeReads(
          added: paths.map { block.path($0) }, dropped: rows.droppedPaths.map { block.path($0) },
          of: projection)
      } else {
        setReads(paths.map { ids.path($0) }, of: projection) { paths.map { block.path($0) } }
      }
    case .dispose:
      guard let projection, !removeProjection(projection) else { return }
      throw StateError(nil, "there is no projection \(tables.name(projection)) to dispose")
    case .begin: begin()
    case .end: try end()
    case .evaluate, .invalidate, .mark: break
    }
  }
}

// MARK: What touches the state

extension LogTimeline {
  /// Applies a set of a path that is known well enough; false if it is not, and nothing was done.
  ///
  /// Cost: a few ns, and some for each reader.
  @inline(__always)
  package mutating func set(_ path: PathID, to value: Value, sameValue: Bool, seq: UInt64) -> Bool {
    let index = Int(path.index)
    guard isKnown(path), value.isScalar, !core.unit.isOpen, !sameValue, pending.put(value, at: index)
    else { return false }
    lastCrowd = lanes.values[index].crowd
    for reader in lanes.values[index].readers { add(reader, Causes(seq)) }
    return true
  }

  /// Whether a path has a lane that holds. Its lane is then read in place, as a copy of it would retain its arrays.
  @inline(__always)
  private func isKnown(_ path: PathID) -> Bool {
    path.epoch == epoch && path.index < lanes.values.count
      && core.isCurrent(lanes.values[Int(path.index)].moment)
  }

  /// Applies a set of a path.
  package mutating func set(
    _ id: PathID, at path: Path, to value: Value, sameValue: Bool, seq: UInt64
  ) throws(StateError) {
    begin(id.epoch)
    let number = Int(id.index)
    let isKnown = isKnown(id) || renew(number, at: path)
    if sameValue, isKnown, !core.unit.isOpen, pending.value(at: number, in: core.state) == value {
      // Equal values may differ in bits: a zero of the other sign.
      _ = pending.put(value, at: number)
      lastCrowd = lanes.values[number].objectCrowd
      for reader in lanes.values[number].objectReaders { add(reader, Causes(seq)) }
      return
    }
    if isKnown, set(id, to: value, sameValue: sameValue, seq: seq) { return }
    pending.flush(into: &core.state)
    if let route = route(number, at: path) {
      add(try core.set(&routes[route], to: value, sameValue: sameValue, seq: seq))
      closeIfMoved()
      open(number, at: path)
    } else {
      add(try core.apply(.set(path, value, sameValue: sameValue), seq: seq))
      closeIfMoved()
    }
  }

  /// Applies a splice or a removal.
  package mutating func apply(_ body: Event.Body, seq: UInt64) throws(StateError) {
    pending.flush(into: &core.state)
    add(try core.apply(body, seq: seq))
    // Where a scalar went away nothing else tells of it.
    if case .remove = body { pending.close() }
    closeIfMoved()
  }

  package mutating func begin() { core.begin() }

  /// Closes the innermost transaction; the outermost has hits.
  package mutating func end() throws(StateError) {
    pending.flush(into: &core.state)
    add(try core.end())
    closeIfMoved()
  }

  private mutating func route(_ number: Int, at path: Path) -> Int? {
    if let index = routeIndices[number] { return Int(index) }
    guard routes.count < Self.routesMax else { return nil }
    routes.append(InvalidationCore.Route(path))
    routeIndices[number] = Int32(routes.count - 1)
    return routes.count - 1
  }

  /// Finds whether the lane of a path still holds after references have moved.
  private mutating func renew(_ number: Int, at path: Path) -> Bool {
    guard !core.unit.isOpen, let place = lanes[number].place,
      core.renew(&lanes[number].moment, of: path, at: place)
    else { return false }
    if !pending.isOpen(number) {
      guard core.state.value(at: place)?.isScalar == true else { return false }
      pending.open(number, at: place)
    }
    return true
  }

  /// Lets the next sets of a path wait, if they only wake its readers.
  private mutating func open(_ number: Int, at path: Path) {
    if core.unit.isOpen { return }
    guard lanes[number].isWrittenAgain else {
      lanes[number].isWrittenAgain = true
      return
    }
    if crowds.isFull {
      // The lanes that have their numbers hold no longer.
      core.forgetPlans()
      crowds = Crowds()
    }
    guard let plan = core.plan(of: path, withObjectReaders: true),
      core.state.value(at: plan.place)?.isScalar == true
    else {
      lanes[number].moment = .never
      return
    }
    var lane = Lane(
      moment: plan.moment, place: plan.place, isWrittenAgain: true, readers: plan.readers,
      objectReaders: plan.objectReaders)
    if givesCrowds {
      lane.crowd = crowds.number(of: plan.readers, ids)
      lane.objectCrowd = crowds.number(of: plan.objectReaders, ids)
      if lane.crowd >= 0 { lane.readers = [] }
      if lane.objectCrowd >= 0 { lane.objectReaders = [] }
    }
    lanes[number] = lane
    pending.open(number, at: plan.place)
  }

  private mutating func closeIfMoved() {
    guard routeVersion != core.state.routeVersion else { return }
    routeVersion = core.state.routeVersion
    pending.close()
  }
}

// MARK: Projections

extension LogTimeline {
  /// Adds a projection; false, with nothing done, if it lives already.
  package mutating func addProjection(_ id: ProjectionID, tracking: Tracking) -> Bool {
    guard projection(id) == nil else { return false }
    add(id, tracking)
    return true
  }

  /// Notes what a projection reads; the paths themselves are asked for where that is new.
  package mutating func setReads(
    _ ids: [PathID], of id: ProjectionID, paths: () -> [Path]
  ) {
    if let epoch = ids.first?.epoch { begin(epoch) }
    let projection = projection(id) ?? add(id, .element)
    if !ids.isEmpty, reads[projection] == ids {
      if core.openTransactions > 0 { pending.flush(into: &core.state) }
      core.repeatReads(of: projection)
    } else {
      reads[projection] = ids
      pending.flush(into: &core.state)
      core.setReads(paths(), of: projection)
    }
  }

  /// Notes what a projection reads.
  package mutating func setReads(_ paths: [Path], of id: ProjectionID) { setReads([], of: id) { paths } }

  /// Notes what a projection reads.
  package mutating func note(_ reads: Reads, of id: ProjectionID) {
    switch reads {
    case .paths(let paths): setReads(paths, of: id)
    case .change(let added, let dropped): changeReads(added: added, dropped: dropped, of: id)
    }
  }

  /// Changes what a projection reads; each path is bound to the slot that it leads to now.
  package mutating func changeReads(added: [Path], dropped: [Path], of id: ProjectionID) {
    let projection = projection(id) ?? add(id, .element)
    reads[projection] = []
    // Within a transaction the core notes the values that were seen.
    if core.openTransactions > 0 { pending.flush(into: &core.state) }
    core.changeReads(added: added, dropped: dropped, of: projection)
  }

  /// Notes that a projection ran.
  @inline(__always)
  package mutating func noteEvaluation(of id: ProjectionID) {
    if projections[id] >= 0, core.openTransactions == 0 { return }
    let projection = projection(id) ?? add(id, .element)
    pending.flush(into: &core.state)
    core.noteEvaluation(of: projection)
  }

  /// Removes a projection; false if it does not live.
  package mutating func removeProjection(_ id: ProjectionID) -> Bool {
    guard let projection = projection(id) else { return false }
    projections[id] = -1
    ids[projection] = nil
    reads[projection] = []
    core.removeNode(projection)
    return true
  }

  private func projection(_ id: ProjectionID) -> NodeID? {
    projections[id] >= 0 ? Int(projections[id]) : nil
  }

  @discardableResult
  private mutating func add(_ id: ProjectionID, _ tracking: Tracking) -> NodeID {
    let projection = core.addNode(tracking: tracking)
    projections[id] = Int32(projection)
    ids.append(id)
    reads.append([])
    return projection
  }

  @inline(__always)
  private mutating func add(_ projection: NodeID, _ causes: Causes) {
    if let id = ids[projection] { hits.append(Hit(projection: id, causes: causes)) }
  }

  private mutating func add(_ found: [InvalidationCore.Hit]) {
    // Many that are hit together have the same causes.
    var last: (seqs: [UInt64], causes: Causes) = ([], Causes([]))
    for hit in found {
      if hit.causes != last.seqs { last = (hit.causes, Causes(hit.causes)) }
      add(hit.node, last.causes)
    }
  }
}
