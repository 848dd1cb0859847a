import EventLog

/// The invalidation core driven by the rows of a log, in the ids of a run: events in, hits out.
package struct LogTimeline: ~Copyable, Sendable {
  /// A projection that the last event invalidated.
  package struct Hit: Sendable {
    package var projection: ProjectionID
    package var causes: Causes
    /// The event that its run names as the cause: the last one. But the end of what a session collected belongs to no action;
    /// there it is the last write among the causes, if that has a cause.
    package var unit: UInt64
  }

  private var core: InvalidationCore
  private var slots = PathSlots()
  /// The id of the living projection of each node, if any. A node's id is the index of the projection's id.
  private var projections = DenseMap<Int, ProjectionID?>(default: nil)
  private var chains = CauseChains()
  /// Bounds the state and its readers in a log that is read.
  private var budget: StateBudget
  private let limits: ReadLimits?
  /// The present event, and its strand.
  private var present: (seq: UInt64, strand: Int) = (0, 0)
  /// The seq of the first event, and the hits of all events before the last one.
  private var firstSeq: UInt64?
  private var hitCount: UInt64 = 0
  /// How many times as many hits it may have as a recording: more under rules that someone asked for.
  package var hitFactor: UInt64 = 1
  /// The hits of the last event, in order of creation, without the readers in `core.crowds`.
  package private(set) var hits: [Hit] = []
  /// The slots of the latest change of reads, kept to reuse the memory.
  private var added: [SlotID] = []
  private var dropped: [SlotID] = []

  /// Creates a timeline with a state: by default the empty state before the first event.
  ///
  /// - Parameter limits: How much the events may make it hold; nil for any amount.
  package init(_ state: State = State(), limits: ReadLimits? = nil) {
    core = InvalidationCore(state)
    core.findsContradictions = true
    self.limits = limits
    budget = StateBudget(limits)
    core.causesMax = limits.map { $0.nameBytes / 8 } ?? .max
  }

  /// How the last event contradicts what was recorded, if it does.
  package var contradiction: InvalidationCore.Contradiction? { core.contradiction }

  /// An independent timeline that continues from here. Cost: the tables are copied when one of the two changes
  /// them.
  package func copy() -> LogTimeline {
    var copy = LogTimeline(limits: limits)
    copy.core = core.copy()
    copy.slots = slots.copy()
    (copy.projections, copy.chains, copy.budget) = (projections, chains, budget)
    (copy.present, copy.firstSeq, copy.hitCount, copy.hits) = (present, firstSeq, hitCount, hits)
    copy.hitFactor = hitFactor
    return copy
  }

  /// The state after all events so far.
  package var state: State { core.state }

  /// The name that a bound path has now, as ``State/currentName(of:)``.
  package mutating func currentName(of bound: Path) -> Path { core.state.currentName(of: bound) }

  /// The path, bound to the object into which it leads now, as ``State/bound(_:)``.
  package mutating func bound(_ path: Path) -> Path { core.state.indexedBound(path) }

  /// The rank of a living projection in the order of creation; nil if there is none.
  package func order(of projection: ProjectionID) -> UInt64? {
    let node = NodeID(projection.denseIndex)
    return core.graph.contains(node) ? core.order(of: node) : nil
  }

  /// Updates the current reads of a projection by one of its events.
  package mutating func apply(_ reads: Reads, to live: inout BoundReads?) {
    live.apply(reads, in: &core.state)
  }

  /// The same as ``currentName(of:)``, in the ids of a run.
  package mutating func currentName(
    of bound: PathID, _ names: inout ReadNames, _ tables: inout RunTables
  ) -> PathID { names.name(of: bound, in: &core.state, &tables) }

  /// The first event of the cause chain that led to this event, as far back as is remembered, and the number
  /// of steps to it.
  @inline(__always)
  package mutating func root(of seq: UInt64) -> (seq: UInt64, depth: Int) { chains.root(of: seq) }

  /// Starts the next event, of a strand: clears the last hits, and records the event's cause; 0 for none.
  @inline(__always)
  package mutating func advance(to seq: UInt64, cause: UInt64, on strand: Int = 0) throws(StateError) {
    core.select(strand)
    present = (seq, strand)
    if !hits.isEmpty {
      hitCount &+= UInt64(hits.count)
      hits.removeAll(keepingCapacity: true)
      try checkHits(before: seq)
    }
    if budget.isDue(at: core.state.work) { try checkSize() }
    core.crowds.removeEach()
    core.contradiction = nil
    if cause == 0 { return }
    guard cause < seq else { throw StateError(nil, "the cause \(cause) does not come before the event") }
    chains.insert(seq, causedBy: cause)
  }

  /// Throws if the events so far have led to too many hits.
  private mutating func checkHits(before seq: UInt64) throws(StateError) {
    guard let limits else { return }
    let first = firstSeq ?? seq
    firstSeq = first
    guard hitCount > hitFactor &* limits.invalidations(byEvent: seq - min(first, seq)) else { return }
    throw .overLimit("the events before it invalidate projections \(hitCount) times")
  }

  private mutating func checkSize() throws(StateError) {
    try budget.check(core.state, and: core.graph.bytesHeld)
  }

  /// Forgets everything that it knows by path ids, if these have started over.
  private mutating func begin(_ epoch: UInt32) {
    if slots.begin(epoch) { core.sweep() }
  }
}

// MARK: Rows

extension LogTimeline {
  /// Applies the next row, with its path and projection. Returns false if the row needs its block; the caller
  /// then passes it to ``applyRest(_:of:path:projection:_:_:)``.
  ///
  /// The row is passed in parts, since each call would copy a whole row.
  package mutating func apply(
    _ kind: EventKind, seq: UInt64, cause: UInt64, strand: Int, path: PathID?, projection: ProjectionID?,
    value: borrowing Value,
    isSameValue: Bool
  ) throws(StateError) -> Bool {
    try advance(to: seq, cause: cause, on: strand)
    switch kind {
    case .set:
      guard let path else { return false }
      return set(path, to: copy value, sameValue: isSameValue, seq: seq)
    case .evaluate: if let projection { markEvaluation(of: projection) }
    case .invalidate, .mark, .action, .finish: break
    default: return false
    }
    return true
  }

  /// Applies a row for which ``apply(_:seq:cause:strand:path:projection:value:isSameValue:)`` returned false. It does
  /// not change the rows, which are `inout` only so that they are not copied.
  package mutating func applyRest(
    _ row: borrowing Row, of rows: inout BlockRows, path: PathID?, projection: ProjectionID?,
    _ ids: borrowing BlockIDs, _ tables: borrowing RunTables
  ) throws(StateError) {
    let block = rows.tables
    switch row.kind {
    case .set:
      guard let path, let id = row.path else { return }
      try set(
        path, at: block.path(id), to: row.value, sameValue: row.isSameValue, seq: row.seq, tables)
    case .splice:
      guard let path, let id = row.path else { return }
      try splice(
        path, at: block.path(id), offset: row.offset, delete: row.delete, insert: row.value,
        sameValue: row.isSameValue, seq: row.seq, tables)
    case .remove: try apply(rows.body(of: row), seq: row.seq)
    case .projection:
      guard let projection, !addProjection(projection, tracking: row.tracking) else { return }
      throw StateError(nil, "the projection \(tables.name(projection)) exists already; dispose it first")
    case .reads:
      guard let projection else { return }
      try limits?.checkReads(row, of: rows)
      let paths = rows.readPaths
      if row.isChangeOfReads {
        let dropped = rows.droppedPaths
        changeReads(
          added: paths.map { ids.path($0) }, dropped: dropped.map { ids.path($0) }, of: projection, tables)
      } else {
        setReads(paths.map { block.path($0) }, of: projection)
      }
    case .dispose:
      guard let projection, !removeProjection(projection) else { return }
      throw StateError(nil, "there is no projection \(tables.name(projection)) to dispose")
    case .begin: begin()
    case .end: try end()
    case .evaluate, .invalidate, .mark, .action, .finish: break
    }
  }
}

// MARK: State

extension LogTimeline {
  /// Applies a set of a path whose slots are known; returns false, with nothing done, if they are not.
  ///
  /// Cost: some 10 ns, and a few for each reader.
  @inline(__always)
  package mutating func set(_ path: PathID, to value: Value, sameValue: Bool, seq: UInt64) -> Bool {
    guard slots.set(path, to: value, sameValue: sameValue, in: &core) else { return false }
    budget.add(text: value)
    addInvalidated(seq)
    return true
  }

  /// Applies a set of a path.
  ///
  /// - Parameter path: The path with the id.
  package mutating func set(
    _ id: PathID, at path: @autoclosure () -> Path, to value: Value, sameValue: Bool, seq: UInt64,
    _ tables: borrowing RunTables
  ) throws(StateError) {
    begin(id.epoch)
    if slots.set(id, to: value, sameValue: sameValue, in: &core, tables) {
      budget.add(text: value)
      addInvalidated(seq)
    } else {
      try apply(.set(path(), value, sameValue: sameValue), seq: seq)
    }
  }

  /// Applies a splice of a path.
  ///
  /// - Parameter path: The path with the id.
  package mutating func splice(
    _ id: PathID, at path: @autoclosure () -> Path, offset: Int, delete: Int, insert: Value, sameValue: Bool,
    seq: UInt64, _ tables: borrowing RunTables
  ) throws(StateError) {
    begin(id.epoch)
    if !sameValue, case .string(let text) = insert,
      slots.splice(id, offset: offset, delete: delete, insert: text, in: &core, tables)
    {
      budget.add(text: insert)
      addInvalidated(seq)
    } else {
      let body = Event.Body.splice(
        path(), offset: offset, delete: delete, insert: insert, sameValue: sameValue)
      try apply(body, seq: seq)
    }
  }

  /// Applies an event that changes the state.
  package mutating func apply(_ body: Event.Body, seq: UInt64) throws(StateError) {
    core.forgetInvalidated()
    add(try core.apply(body, seq: seq))
    budget.add(body)
  }

  package mutating func begin() { core.begin() }

  /// Closes the innermost transaction. Closing the outermost one adds its hits.
  package mutating func end() throws(StateError) { add(try core.end()) }

  /// Adds a hit for each node that the last set invalidated.
  @inline(__always)
  private mutating func addInvalidated(_ seq: UInt64) {
    for position in core.invalidated.indices { add(core.invalidated[position], Causes(seq), seq) }
  }

  /// Whether the readers of a slot with many readers may be left out of ``hits``. A caller that sets this
  /// uses ``join(_:among:)`` to get all of them.
  package var givesCrowds: Bool {
    get { core.givesCrowds }
    set { core.givesCrowds = newValue }
  }

  /// Adds the projections that the last event invalidated to a set, as far as they are in another set.
  ///
  /// Cost: linear in ``hits``; of the readers left out of it, one step for every 64.
  @inline(__always)
  package mutating func join(_ set: inout ProjectionSet, among known: borrowing ProjectionSet) {
    for hit in hits where known.contains(hit.projection) { set.insert(hit.projection) }
    if !core.crowds.isEmpty { joinCrowds(&set, known) }
  }

  private mutating func joinCrowds(_ set: inout ProjectionSet, _ known: borrowing ProjectionSet) {
    for slot in core.crowds { set.insert(core.graph.crowd(of: slot), among: known) }
  }

  private mutating func add(_ found: [InvalidationCore.Hit]) {
    // Hits of one unit mostly have the same causes, so these are shared.
    var last: (seqs: [UInt64], causes: Causes, unit: UInt64) = ([], Causes([]), present.seq)
    for hit in found {
      if hit.causes != last.seqs { last = (hit.causes, Causes(hit.causes), unit(of: hit.causes)) }
      add(hit.node, last.causes, last.unit)
      // A list of causes takes about as long as an invalidation for each sixteen of them.
      hitCount &+= UInt64(hit.causes.count / 16)
    }
  }

  @inline(__always)
  private mutating func add(_ node: NodeID, _ causes: Causes, _ unit: UInt64) {
    if let id = projections[node.denseIndex] { hits.append(Hit(projection: id, causes: causes, unit: unit)) }
  }

  /// The unit of an invalidation by the present event; see ``Hit/unit``.
  private func unit(of causes: [UInt64]) -> UInt64 {
    guard present.strand == OpenTransactions.session, let last = causes.last, last < present.seq,
      chains.root(of: last).depth > 0
    else {
      return present.seq
    }
    return last
  }
}

// MARK: Projections

extension LogTimeline {
  /// Adds a projection; returns false, with nothing done, if it lives already.
  package mutating func addProjection(_ id: ProjectionID, tracking: Tracking) -> Bool {
    if lives(id) { return false }
    add(id, tracking)
    return true
  }

  /// Replaces all that a projection reads; each path is bound to the slot to which it leads now.
  package mutating func setReads(_ paths: [Path], of id: ProjectionID) {
    countReads(paths.count)
    core.setReads(paths, of: node(id))
  }

  /// Records what a projection reads, as an event states it.
  package mutating func apply(_ reads: Reads, of id: ProjectionID) {
    switch reads {
    case .paths(let paths): setReads(paths, of: id)
    case .change(let added, let dropped): changeReads(added: added, dropped: dropped, of: id)
    }
  }

  /// Changes what a projection reads; each path is bound to the slot to which it leads now.
  package mutating func changeReads(added: [Path], dropped: [Path], of id: ProjectionID) {
    core.changeReads(added: added, dropped: dropped, of: node(id))
  }

  /// The same by the ids of the paths. Cost: a few steps for each path; see ``PathSlots``.
  package mutating func changeReads(
    added: [PathID], dropped: [PathID], of id: ProjectionID,
    _ tables: borrowing RunTables
  ) {
    begin(tables.epoch)
    let node = node(id)
    // A projection that depends on whole properties or objects keeps its reads as paths.
    guard core.graph.node(node).tracking == .element else {
      var paths: (added: [Path], dropped: [Path]) = ([], [])
      for path in added { paths.added.append(tables.path(path)) }
      for path in dropped { paths.dropped.append(tables.path(path)) }
      return core.changeReads(added: paths.added, dropped: paths.dropped, of: node)
    }
    countReads(added.count)
    self.added.removeAll(keepingCapacity: true)
    self.dropped.removeAll(keepingCapacity: true)
    for path in dropped { self.dropped.append(slots.slot(ofRead: path, in: &core, tables)) }
    for path in added { self.added.append(slots.slot(ofRead: path, in: &core, tables)) }
    core.changeReads(added: self.added, dropped: self.dropped, of: node)
  }

  private mutating func countReads(_ count: Int) { budget.add(Self.readBytes * count) }

  /// About the bytes that a path takes which a projection reads.
  private static let readBytes = 192

  /// Records that a projection ran.
  @inline(__always)
  package mutating func markEvaluation(of id: ProjectionID) {
    if lives(id), core.openTransactions == 0 { return }
    core.markEvaluation(of: node(id))
  }

  /// Removes a projection; returns false if it does not live.
  package mutating func removeProjection(_ id: ProjectionID) -> Bool {
    guard lives(id) else { return false }
    projections[id.denseIndex] = nil
    core.removeNode(NodeID(id.denseIndex))
    core.sweep()
    return true
  }

  @inline(__always)
  private func lives(_ id: ProjectionID) -> Bool { projections[id.denseIndex] == id }

  /// The node of a projection; added if there is none.
  private mutating func node(_ id: ProjectionID) -> NodeID {
    lives(id) ? NodeID(id.denseIndex) : add(id, .element)
  }

  @discardableResult
  private mutating func add(_ id: ProjectionID, _ tracking: Tracking) -> NodeID {
    let node = NodeID(id.denseIndex)
    // The index is reused only after the projection that had it ended, so the old node can go.
    if projections[id.denseIndex] != nil { core.removeNode(node) }
    core.addNode(node, tracking: tracking)
    projections[id.denseIndex] = id
    return node
  }
}
