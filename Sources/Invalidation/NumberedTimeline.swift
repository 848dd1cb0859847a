import EventLog

/// The invalidation core driven by a log whose paths and names are numbers of the caller's: events in, hits out.
///
/// A set of a scalar that only wakes its readers is not carried out at once: its value waits until something needs the
/// state. So most events of a long run cost no look at the state, and memory only where they wake somebody.
package struct NumberedTimeline: Sendable {
  /// A projection that the last event was found to put out of date.
  package struct Hit: Sendable {
    /// The number of its name.
    package var name: Int
    package var causes: Causes
  }

  /// What is known of a path that scalars are written to, as long as the version is that of the core's plans.
  private struct Lane: Sendable {
    var version = UInt64.max
    /// The version at the last set that had to look; two in a row are worth knowing more.
    var missed = UInt64.max
    var readers: [InvalidationCore.ProjectionID] = []
    /// Those of them that an equal value wakes too.
    var objectReaders: [InvalidationCore.ProjectionID] = []
    /// The same, where they are many and whoever asks takes them together: then these have numbers, and are not above.
    var crowd: Int32 = -1
    var objectCrowd: Int32 = -1
  }

  private var core: InvalidationCore
  /// By the number of the path.
  private var pending = PendingScalars()
  private var lanes = DenseMap<Int, Lane>(default: Lane())
  private var routes: [InvalidationCore.Route] = []
  private var routeIndices = DenseMap<Int, Int32?>(default: nil)
  private var routeVersion: UInt64 = 0
  /// By the number of the name; -1 where no such projection lives.
  private var projections = DenseMap<Int, Int32>(default: -1)
  /// By the projection; -1 where it is gone.
  private var names: [Int32] = []
  /// By the projection: the numbers of the paths that it reads, if it was told by numbers.
  private var reads: [[Int32]] = []
  private var chains = CauseChains()
  /// What the last event invalidated, in order of creation.
  package private(set) var hits: [Hit] = []

  private var crowds = Crowds()
  private var lastCrowd: Int32 = -1
  /// Whether what the last event invalidated is many at once; then there are no hits, and they are in ``crowd``.
  package var hasCrowd: Bool { lastCrowd >= 0 }
  /// What the last event invalidated, where that is many at once.
  package var crowd: NameSet {
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

  /// Forgets what it knows by numbers of paths: they will stand for others.
  package mutating func forgetPaths() {
    pending.flush(into: &core.state)
    pending.close()
    lanes.removeAll(keepingCapacity: true)
    routes.removeAll(keepingCapacity: true)
    routeIndices.removeAll(keepingCapacity: true)
    for projection in reads.indices { reads[projection] = [] }
  }
}

// MARK: What touches the state

extension NumberedTimeline {
  /// Applies a set of a path that is known well enough; false if it is not, and nothing was done.
  ///
  /// Cost: a few ns, and some for each reader.
  @inline(__always)
  package mutating func set(_ path: Int, to value: Value, sameValue: Bool, seq: UInt64) -> Bool {
    guard isKnown(path), value.isScalar, !core.unit.isOpen, !sameValue, pending.put(value, at: path)
    else { return false }
    lastCrowd = lanes.values[path].crowd
    for reader in lanes.values[path].readers { add(reader, Causes(seq)) }
    return true
  }

  /// Whether a path has a lane that holds. Its lane is then read in place, as a copy of it would retain its arrays.
  @inline(__always)
  private func isKnown(_ path: Int) -> Bool {
    path < lanes.values.count && lanes.values[path].version == core.plansVersion
  }

  /// Applies a set of a path.
  package mutating func set(
    _ number: Int, at path: Path, to value: Value, sameValue: Bool, seq: UInt64
  ) throws(StateError) {
    if sameValue, !core.unit.isOpen, isKnown(number), pending.value(at: number, in: core.state) == value {
      // Equal values may differ in bits: a zero of the other sign.
      _ = pending.put(value, at: number)
      lastCrowd = lanes.values[number].objectCrowd
      for reader in lanes.values[number].objectReaders { add(reader, Causes(seq)) }
      return
    }
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

  /// Lets the next sets of a path wait, if they only wake its readers.
  private mutating func open(_ number: Int, at path: Path) {
    if core.unit.isOpen { return }
    let version = core.plansVersion
    defer { lanes[number].missed = version }
    guard lanes[number].missed == version, let plan = core.plan(of: path, withObjectReaders: true),
      core.state.value(at: plan.place)?.isScalar == true
    else { return }
    var lane = Lane(version: core.plansVersion, readers: plan.readers, objectReaders: plan.objectReaders)
    if givesCrowds {
      lane.crowd = crowds.number(of: plan.readers, names, at: lane.version)
      lane.objectCrowd = crowds.number(of: plan.objectReaders, names, at: lane.version)
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

extension NumberedTimeline {
  /// Adds a projection; false, with nothing done, if there is one of this name.
  package mutating func addProjection(_ name: Int, tracking: Tracking) -> Bool {
    guard projection(name) == nil else { return false }
    add(name, tracking)
    return true
  }

  /// Notes what a projection reads, by the numbers of the paths; the paths are asked for where that is new.
  package mutating func setReads(
    _ numbers: [Int32], of name: Int, paths: () -> [Path]
  ) {
    let projection = projection(name) ?? add(name, .element)
    if !numbers.isEmpty, reads[projection] == numbers {
      if core.openTransactions > 0 { pending.flush(into: &core.state) }
      core.repeatReads(of: projection)
    } else {
      reads[projection] = numbers
      pending.flush(into: &core.state)
      core.setReads(paths(), of: projection)
    }
  }

  /// Notes what a projection reads.
  package mutating func setReads(_ paths: [Path], of name: Int) { setReads([], of: name) { paths } }

  /// Notes that a projection ran.
  @inline(__always)
  package mutating func noteEvaluation(of name: Int) {
    if projections[name] >= 0, core.openTransactions == 0 { return }
    let projection = projection(name) ?? add(name, .element)
    pending.flush(into: &core.state)
    core.noteEvaluation(of: projection)
  }

  /// Removes a projection; false if there is none of this name.
  package mutating func removeProjection(_ name: Int) -> Bool {
    guard let projection = projection(name) else { return false }
    projections[name] = -1
    names[projection] = -1
    reads[projection] = []
    core.removeProjection(projection)
    return true
  }

  private func projection(_ name: Int) -> InvalidationCore.ProjectionID? {
    projections[name] >= 0 ? Int(projections[name]) : nil
  }

  @discardableResult
  private mutating func add(_ name: Int, _ tracking: Tracking) -> InvalidationCore.ProjectionID {
    let projection = core.addProjection(tracking: tracking)
    projections[name] = Int32(projection)
    names.append(Int32(name))
    reads.append([])
    return projection
  }

  @inline(__always)
  private mutating func add(_ projection: InvalidationCore.ProjectionID, _ causes: Causes) {
    let name = names[projection]
    if name >= 0 { hits.append(Hit(name: Int(name), causes: causes)) }
  }

  private mutating func add(_ found: [InvalidationCore.Hit]) {
    // Many that are hit together have the same causes.
    var last: (seqs: [UInt64], causes: Causes) = ([], Causes([]))
    for hit in found {
      if hit.causes != last.seqs { last = (hit.causes, Causes(hit.causes)) }
      add(hit.projection, last.causes)
    }
  }
}
