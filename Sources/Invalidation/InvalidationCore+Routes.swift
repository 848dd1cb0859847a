import EventLog

extension InvalidationCore {
  /// A path that scalars are set at repeatedly, with what was cached of it at the last set.
  ///
  /// Where the path leads, its readers and their nodes stay the same as long as no reference moves and no projection
  /// reads something else, so most writes of a run use the cache.
  package struct Route: Sendable {
    let path: Path
    fileprivate var plan: Plan?
    /// The state's `routeVersion` at the last write that had no plan; two in a row are worth one.
    fileprivate var missedVersion: UInt64?

    package init(_ path: Path) { self.path = path }
  }

  /// A moment in which no reference moves, and no projection begins or ceases to read within an object.
  @usableFromInline package struct Moment: Sendable {
    /// The state's `routeVersion`.
    @usableFromInline var routeVersion: UInt64
    @usableFromInline var readers: SlotGraph.Readers

    /// None.
    package static var never: Moment { Moment(routeVersion: .max, readers: .never) }
  }

  /// This moment of an owner.
  func moment(of owner: Place.Owner) -> Moment {
    Moment(routeVersion: state.routeVersion, readers: graph.readers(in: owner))
  }

  /// What is cached of a slot that holds a scalar: the readers that are concerned when it is set to another scalar.
  package struct Plan: Sendable {
    package let place: Place
    /// The nodes that a change of the slot marks: those on the way to it that have readers.
    fileprivate let nodes: [SlotID]
    /// The projections that a change concerns, in order of creation: the readers of the nodes, and those of the whole
    /// object.
    package let readers: [NodeID]
    /// Those of them that read the object as a whole, which sets to equal values concern too; in order of creation.
    package let objectReaders: [NodeID]
    /// When it was made, or last found to hold.
    package var moment: Moment
    /// The nodes of which a transaction captures the values before.
    fileprivate let trail: SlotGraph.Trail
    /// The unit in which they were captured.
    fileprivate var unit: UInt64
  }

  /// Applies a `set` as ``apply(_:seq:)`` does, with the same result.
  ///
  /// Cost: if a scalar replaces another and the route is still valid, the write and one step a reader.
  package mutating func set(
    _ route: inout Route, to value: Value, sameValue: Bool, seq: UInt64
  ) throws(StateError) -> [Hit] {
    guard value.isScalar, let plan = route.plan, renew(&route.plan!.moment, of: route.path, at: plan.place)
    else {
      return try setSlowly(&route, to: value, sameValue: sameValue, seq: seq)
    }
    if unit.isOpen, plan.unit != unitNumber {
      capture(on: plan.trail)
      route.plan?.unit = unitNumber
    }
    guard let before = state.replaceScalar(at: plan.place, by: value) else {
      return try setSlowly(&route, to: value, sameValue: sameValue, seq: seq)
    }
    return note(plan, from: before, to: value, sameValue: sameValue, seq: seq)
  }

  /// Decides what a set of one scalar to another invalidates, without reading the state.
  private mutating func note(
    _ plan: Plan, from before: Value, to value: Value, sameValue: Bool, seq: UInt64
  ) -> [Hit] {
    if sameValue || unit.isOpen, !plan.objectReaders.isEmpty, case .object(let object) = plan.place.owner {
      unit.mark(object: object, seq)
    }
    if sameValue {
      if before != value { unit.hidesChanges = true }
    } else if unit.isOpen {
      let isForced = before == value
      for node in plan.nodes { unit.mark(node: node, seq, isForced: isForced) }
    } else {
      for reader in plan.readers { reconnect(reader) }
      return plan.readers.map { Hit(projection: $0, causes: [seq]) }
    }
    return unit.isOpen ? [] : finishUnit()
  }

  /// Whether a plan holds, if its path leads where it did. Cost: four comparisons.
  @inlinable @inline(__always)
  package func isCurrent(_ moment: Moment) -> Bool {
    moment.routeVersion == state.routeVersion && graph.areCurrent(moment.readers)
  }

  /// Whether what was found at a moment of a path and its readers holds. If references have moved since, the path is
  /// resolved again, and mostly leads where it did.
  package func renew(_ moment: inout Moment, of path: Path, at place: Place) -> Bool {
    guard graph.areCurrent(moment.readers) else { return false }
    if moment.routeVersion == state.routeVersion { return true }
    // Elements of arrays may have other ids now, and so other readers.
    guard !place.hasElements, case .place(place, _) = state.resolve(path) else { return false }
    moment.routeVersion = state.routeVersion
    return true
  }

  /// The plan of a path, for use outside a transaction; nil if a set to a scalar may concern more than its readers.
  /// Readers of the whole object are not covered, unless the caller invalidates them for equal values too.
  ///
  /// - Parameter withElements: Whether the path may name an element of an array by its offset.
  package mutating func plan(
    of path: Path, withObjectReaders: Bool = false, withElements: Bool = false
  ) -> Plan? {
    guard let plan = plan(of: path, unit: .max, withObjectReaders, withElements) else { return nil }
    let version = graph.readersVersion
    for reader in plan.readers { reconnect(reader) }
    if version == graph.readersVersion { return plan }
    return self.plan(of: path, unit: .max, withObjectReaders, withElements)
  }

  /// Replaces one scalar by another. The caller invalidates the readers that its plan lists.
  package mutating func put(_ value: Value, at place: Place) { _ = state.replaceScalar(at: place, by: value) }

  /// Replaces the value of a property, whatever it is, by another. Neither holds objects, and no path that is in use
  /// leads into them. The caller invalidates the readers that its plan lists.
  package mutating func putWhole(_ value: Value, at place: Place) { state.replaceWhole(at: place, by: value) }

  /// Grows whenever a plan may have become invalid.
  @inlinable package var plansVersion: UInt64 { state.routeVersion &+ graph.readersVersion }

  /// Invalidates every plan.
  package mutating func forgetPlans() { graph.forgetPlans() }

  private mutating func setSlowly(
    _ route: inout Route, to value: Value, sameValue: Bool, seq: UInt64
  ) throws(StateError) -> [Hit] {
    // The unit that captures the values before is the one that is open now.
    let unit = unitNumber
    let hits = try apply(.set(route.path, value, sameValue: sameValue), seq: seq)
    let version = state.routeVersion
    route.plan =
      route.missedVersion == version ? plan(of: route.path, unit: unit, true, false) : nil
    route.missedVersion = version
    return hits
  }

  /// The plan of a path; nil if a set to a scalar may concern more than the readers of the slot and of what holds it.
  private mutating func plan(
    of path: Path, unit: UInt64, _ withObjectReaders: Bool, _ withElements: Bool
  ) -> Plan? {
    guard case .place(let place, _) = state.resolve(path), case .object(let object) = place.owner,
      place.mayHavePlan(withElements), withObjectReaders || graph.objectReaders[object] == nil
    else { return nil }
    let trail = graph.trail(to: place, in: state)
    // A projection that reads below a scalar depends on its becoming a container.
    for node in trail.at where graph[node].readersWithin > graph[node].readers.count {
      return nil
    }
    let nodes = (trail.above + trail.at).filter { !graph[$0].readers.isEmpty }
    let objectReaders = graph.objectReadersInOrder(of: object)
    return Plan(
      place: place, nodes: nodes, readers: readers(of: nodes, and: objectReaders),
      objectReaders: objectReaders, moment: moment(of: place.owner), trail: trail,
      unit: unit)
  }

  /// The readers of some nodes and others, in order of creation. Mostly one of the two is empty.
  private func readers(of nodes: [SlotID], and others: [NodeID]) -> [NodeID] {
    if nodes.isEmpty { return others }
    if nodes.count == 1, others.isEmpty { return graph[nodes[0]].readers.sorted() }
    return nodes.reduce(into: Set(others)) { $0.formUnion(graph[$1].readers) }.sorted()
  }
}

extension Place {
  /// Whether a set of one scalar to another here concerns none but the readers of what the place is in. One of an id
  /// does not; nor does one of an element, unless it holds a scalar, which has no id.
  fileprivate func mayHavePlan(_ withElements: Bool) -> Bool {
    switch steps.last {
    case .name(let name)?: name != "id"
    case .element(_, id: nil)?: withElements
    default: false
    }
  }
}
