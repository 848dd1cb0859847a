extension Oracle {
  struct Projection {
    var name: String
    var tracker: Tracker
    /// The bound routes.
    private(set) var routes: [Route] = []
    private(set) var spots: [Spot] = []
    private(set) var owners: Set<Int> = []
    /// The routes as they were listed, if the list has each spot on their way and so all that decides what they lead
    /// to. Nil once the projection was invalidated, since they may lead elsewhere then.
    private(set) var listed: [Route]?

    init(name: String, tracker: Tracker) {
      self.name = name
      self.tracker = tracker
    }
  }

  struct Entry: Equatable, CustomStringConvertible {
    var seq: Int
    var projection: String
    var causes: [Int]
    var cascade: Int
    var depth: Int

    var description: String {
      "{\"seq\":\(seq),\"projection\":\"\(projection)\",\"causes\":\(causes),\"cascade\":\(cascade),\"depth\":\(depth)}"
    }
  }
}

extension Oracle.Projection {
  /// Replaces all routes.
  mutating func list(_ all: [Route], in world: World) {
    routes = []
    change(added: all, dropped: [], in: world)
    // A root alone is what it refers to, not what is in it.
    if all.allSatisfy({ !$0.steps.isEmpty && world.trace($0).holders.allSatisfy(spots.contains) }) {
      listed = all
    }
  }

  /// Drops some routes, and adds others that are not there.
  mutating func change(added: [Route], dropped: [Route], in world: World) {
    listed = nil
    let gone = dropped.map { Self.slot(world.bound($0)) }
    routes.removeAll { gone.contains(Self.slot($0)) }
    for route in added.map({ world.bound($0) })
    where !routes.contains(where: { Self.slot($0) == Self.slot(route) }) {
      routes.append(route)
    }
    (spots, owners) = parts
  }

  /// Records that it was invalidated.
  mutating func invalidate() { listed = nil }

  /// The meaning of a bound route, however its steps are spelled.
  private static func slot(_ route: Route) -> [String] {
    [route.root] + Spot(owner: nil, steps: route.steps).steps.map { "\($0)" }
  }

  /// The spots that the routes consist of, and the objects that are read as a whole.
  private var parts: ([Spot], Set<Int>) {
    var spots: [Spot] = []
    var owners: Set<Int> = []
    for route in routes {
      let trace = Trace(bound: route)
      spots += trace.holders
      guard let end = trace.end else { continue }
      switch (tracker, end.owner) {
      case (.element, _), (_, nil): spots.append(end)
      case (.property, let owner?):
        spots.append(Spot(owner: owner, steps: Array(end.steps.prefix(1))))
        spots.append(Spot(owner: owner, steps: end.steps, isWay: true))
      case (.object, let owner?):
        spots.append(Spot(owner: owner, steps: end.steps, isWay: true))
        owners.insert(owner)
      }
    }
    return (spots, owners)
  }

  /// The events of a unit that invalidated it; none if it is up to date.
  func causes(_ unit: Oracle.Unit, now: World) -> [Int] {
    let (then, unseen) = (unit.then(for: name), unit.unseen(by: name))
    var causes: Set<Int> = []
    for spot in spots {
      guard
        then.look(spot) != now.look(spot) || unseen.contains(where: { $0.forced.contains(spot) })
          || unit.wasChangedByOthers(spot, unseenBy: name)
      else { continue }
      for happening in unseen where happening.changed.contains(spot) || happening.forced.contains(spot) {
        causes.insert(happening.seq)
      }
    }
    for happening in unseen {
      if let owner = happening.owner, owners.contains(owner) { causes.insert(happening.seq) }
      if !owners.isDisjoint(with: happening.born) { causes.insert(happening.seq) }
    }
    return causes.sorted()
  }

  /// The rule is defined by the values that reads see. This checks that the spots give the same result.
  func contradiction(_ causes: [Int], _ unit: Oracle.Unit, now: World) -> String? {
    let (then, unseen) = (unit.then(for: name), unit.unseen(by: name))
    guard tracker == .element, let listed, !unseen.contains(where: { !$0.forced.isEmpty }) else {
      return nil
    }
    let differs = listed.contains { then.sight($0) != now.sight($0) }
    return differs == !causes.isEmpty ? nil : "\(name) reads \(listed.map(\.text)), causes \(causes)"
  }
}
