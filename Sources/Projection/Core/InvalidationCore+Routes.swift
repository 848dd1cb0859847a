import EventLog

extension InvalidationCore {
  /// A path that scalars are written to again and again, with what was found out about it the last time.
  ///
  /// Where the path leads, who reads there and where their nodes are stays true as long as no reference moves and
  /// nobody reads something else, so most writes of a run need not find it out again.
  package struct Route: Sendable {
    let path: Path
    fileprivate var plan: Plan?
    /// The state's `routeVersion` at the last write that had no plan; two in a row are worth one.
    fileprivate var missedVersion: UInt64?

    package init(_ path: Path) { self.path = path }
  }

  fileprivate struct Plan: Sendable {
    var place: Place
    /// The nodes that a change of this place marks: those on the way to it that have readers.
    var nodes: [DependencyGraph.NodeID]
    /// Their readers, in order of creation.
    var readers: [ProjectionID]
    var routeVersion: UInt64
    var readersVersion: UInt64
    /// The unit in which the values before were looked at.
    var unit: UInt64
  }

  /// Applies a `set` as ``apply(_:seq:)`` does, with the same result.
  ///
  /// Cost: where a scalar takes the place of another and the route is still true, the write and one step a reader.
  package mutating func set(
    _ route: inout Route, to value: Value, sameValue: Bool, seq: UInt64
  ) throws(StateError) -> [Hit] {
    guard value.isScalar, let plan = route.plan, isTrue(plan),
      let before = state.replaceScalar(at: plan.place, by: value)
    else { return try setSlowly(&route, to: value, sameValue: sameValue, seq: seq) }
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

  private func isTrue(_ plan: Plan) -> Bool {
    plan.routeVersion == state.routeVersion && plan.readersVersion == graph.readersVersion
      && (!unit.isOpen || plan.unit == unitNumber)
  }

  private mutating func setSlowly(
    _ route: inout Route, to value: Value, sameValue: Bool, seq: UInt64
  ) throws(StateError) -> [Hit] {
    // The unit that looks at the values before is the one that is open now.
    let unit = unitNumber
    let hits = try apply(.set(route.path, value, sameValue: sameValue), seq: seq)
    let version = state.routeVersion
    route.plan = route.missedVersion == version ? plan(of: route.path, unit: unit) : nil
    route.missedVersion = version
    return hits
  }

  /// The plan of a path, unless a scalar there may have to do with more than who reads it and what holds it.
  private func plan(of path: Path, unit: UInt64) -> Plan? {
    guard case .place(let place, _) = state.resolve(path), case .object(let object) = place.owner,
      case .name(let name)? = place.steps.last, name != "id", graph.objectReaders[object] == nil
    else { return nil }
    let trail = graph.trail(to: place, in: state)
    // Whoever reads below a scalar waits for something else to come there.
    for node in trail.at where graph.nodes[node].readersWithin > graph.nodes[node].readers.count {
      return nil
    }
    let nodes = (trail.above + trail.at).filter { !graph.nodes[$0].readers.isEmpty }
    let readers = nodes.reduce(into: Set()) { $0.formUnion(graph.nodes[$1].readers) }
    return Plan(
      place: place, nodes: nodes, readers: readers.sorted(), routeVersion: state.routeVersion,
      readersVersion: graph.readersVersion, unit: unit)
  }
}
