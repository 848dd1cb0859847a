extension Generator {
  /// A route to an existing place, to an aspect of one, or to a place that may exist later.
  mutating func readRoute() -> Route {
    var route = isKeyed && random.chance(60) ? keyedRoute() : writeRoute()
    if random.chance(6) { return start() }
    if random.chance(2) { route.root = "#\(oracle.world.lastNumber + 1 + random.upTo(1))" }
    while random.chance(20) { route.steps.append(anyStep()) }
    switch random.upTo(99) {
    case ..<10: route.steps.append(.count)
    case ..<20: route.steps.append(.order)
    case ..<30: route.steps.append(.exists)
    default: break
    }
    // The existence of an object by id cannot be written.
    if route.number != nil, route.steps.first == .exists { route.steps = [] }
    return route
  }

  /// A route to or into an element with an id.
  private mutating func keyedRoute() -> Route {
    var route = Route(root: "store", steps: [.property("items"), .id(.int(Int64(random.upTo(3))))])
    if random.chance(70) { route.steps.append(.property(random.pick(["n", "id", "name", "child"]))) }
    return route
  }

  private mutating func anyStep() -> Step {
    switch random.upTo(3) {
    case 0: .index(random.upTo(3))
    case 1: .id(id())
    case 2: .key(name())
    default: .property(name())
    }
  }
}
