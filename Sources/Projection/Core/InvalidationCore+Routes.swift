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

  /// What was found out about one place that holds a scalar: who is concerned when another scalar comes there.
  package struct Plan: Sendable {
    package let place: Place
    /// The nodes that a change of this place marks: those on the way to it that have readers.
    fileprivate let nodes: [DependencyGraph.NodeID]
    /// Their readers, in order of creation.
    package let readers: [ProjectionID]
    fileprivate let routeVersion: UInt64
    fileprivate let readersVersion: UInt64
    /// The unit in which the values before were looked at.
    fileprivate let unit: UInt64
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
    return note(plan, from: before, to: value, sameValue: sameValue, seq: seq)
  }

  /// Decides what a set of one scalar to another invalidates, without a look at the state: putting the value there is
  /// up to the caller, who may do so later, before anything else asks for the state.
  package mutating func note(
    _ plan: Plan, from before: Value, to value: Value, sameValue: Bool, seq: UInt64
  ) -> [Hit] {
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

  /// Whether a plan holds for the present state, readers and unit.
  package func isTrue(_ plan: Plan) -> Bool {
    plan.routeVersion == state.routeVersion && plan.readersVersion == graph.readersVersion
      && (!unit.isOpen || plan.unit == unitNumber)
  }

  /// The plan of a path, made for between two units; nil where a scalar may have to do with more than who reads it.
  package mutating func plan(of path: Path) -> Plan? {
    guard let plan = plan(of: path, unit: .max) else { return nil }
    let version = graph.readersVersion
    for reader in plan.readers { reconnect(reader) }
    return version == graph.readersVersion ? plan : self.plan(of: path, unit: .max)
  }

  /// Puts a scalar in the place of another, for ``note(_:from:to:sameValue:seq:)``.
  package mutating func put(_ value: Value, at place: Place) { _ = state.replaceScalar(at: place, by: value) }

  /// Grows whenever a plan may have become untrue.
  package var plansVersion: UInt64 { state.routeVersion &+ graph.readersVersion }

  /// Makes every plan untrue, so that who holds one asks again.
  package mutating func forgetPlans() { graph.forgetPlans() }

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
