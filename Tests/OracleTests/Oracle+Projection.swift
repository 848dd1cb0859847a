extension Oracle {
  struct Projection {
    var name: String
    var tracker: Tracker
    var routes: [Route] = []
    /// Whether the routes are bound.
    var isBound = false
    var spots: [Spot] = []
    var owners: Set<Int> = []
    /// The part of the unit that the projection has seen, and the state at that time.
    var seen = 0
    var then: World
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
  /// Finds the spots that the routes consist of in a state.
  mutating func settle(in world: World) {
    (spots, owners) = parts(in: world)
  }

  /// Drops some bound routes, and adds others that are not there.
  mutating func change(added: [Route], dropped: [Route], in world: World) {
    if !isBound { routes = routes.map { world.bound($0) } }
    isBound = true
    let gone = dropped.map { Self.slot(world.bound($0)) }
    routes.removeAll { gone.contains(Self.slot($0)) }
    for route in added.map({ world.bound($0) })
    where !routes.contains(where: { Self.slot($0) == Self.slot(route) }) {
      routes.append(route)
    }
  }

  /// The meaning of a bound route, however its steps are spelled.
  private static func slot(_ route: Route) -> [String] {
    [route.root] + Spot(owner: nil, steps: route.steps).steps.map { "\($0)" }
  }

  /// Whether the routes still consist of the same spots.
  func isSettled(in world: World) -> Bool { parts(in: world) == (spots, owners) }

  private func parts(in world: World) -> ([Spot], Set<Int>) {
    var spots: [Spot] = []
    var owners: Set<Int> = []
    for route in routes {
      let trace = isBound ? Trace(bound: route) : world.trace(route)
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

  /// The events that invalidated it; none if it is up to date.
  func causes(_ unit: [Oracle.Happening], now: World) -> [Int] {
    let unseen = unit[seen...]
    var causes: Set<Int> = []
    for spot in spots {
      guard then.look(spot) != now.look(spot) || unseen.contains(where: { $0.forced.contains(spot) }) else {
        continue
      }
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
  func contradiction(_ causes: [Int], _ unit: [Oracle.Happening], now: World) -> String? {
    guard tracker == .element, !isBound, !unit[seen...].contains(where: { !$0.forced.isEmpty }) else {
      return nil
    }
    let differs = routes.contains { then.sight($0) != now.sight($0) }
    return differs == !causes.isEmpty ? nil : "\(name) reads \(routes.map(\.text)), causes \(causes)"
  }
}
