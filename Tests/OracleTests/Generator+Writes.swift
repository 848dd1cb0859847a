extension Generator {
  mutating func addWrite() {
    let route = writeRoute()
    var same = flag()
    var value = route.steps.isEmpty ? object(depth: 2) : value(for: route.steps.last?.name, depth: 2)
    // Same-value sets are common in apps.
    if random.chance(15), let end = oracle.world.trace(route).end, !end.steps.isEmpty,
      case .value(let present) = oracle.world.look(end)
    {
      value = present
      if random.chance(60) { same = nil }
    }
    add(.set(route, value, same: same))
  }

  mutating func addRestore() {
    guard !earlier.isEmpty else { return }
    let (route, value) = random.pick(earlier)
    add(.set(route, value, same: nil))
  }

  mutating func addRemoval() {
    // Removes an object by its number; it fits only if nothing refers to the object.
    if random.chance(20),
      let number = oracle.world.objects.keys.sorted().last(where: { !oracle.world.isHeld($0) })
    {
      return add(.remove(Route(root: "#\(number)", steps: []), same: flag()))
    }
    add(.remove(random.chance(90) ? writeRoute() : readRoute(), same: flag()))
  }

  mutating func addSplice() {
    let world = oracle.world
    var candidates: [(Route, Plain)] = []
    for _ in 0..<12 {
      let route = writeRoute()
      guard let end = world.trace(route).end, !end.steps.isEmpty, case .value(let value) = world.look(end)
      else {
        continue
      }
      switch value {
      case .array, .string: candidates.append((route, value))
      default: break
      }
    }
    guard !candidates.isEmpty else { return }
    let (route, value) = random.pick(candidates)
    switch value {
    case .array(let elements):
      let offset = random.upTo(elements.count)
      let delete = random.chance(40) ? 0 : random.upTo(min(2, elements.count - offset))
      var insert: [Plain] = []
      if random.chance(20) {
        insert = Array(elements[offset..<(offset + delete)].reversed())
      } else {
        for _ in 0..<random.upTo(2) { insert.append(element(depth: 1)) }
      }
      if random.chance(3) { for _ in 0..<17 { insert.append(element(depth: 0)) } }
      add(.splice(route, offset: offset, delete: delete, insert: .array(insert), same: flag()))
    case .string(let text):
      let offset = random.upTo(text.utf8.count)
      let delete = random.upTo(text.utf8.count - offset)
      add(.splice(route, offset: offset, delete: delete, insert: .string(word()), same: flag()))
    default: break
    }
  }

  /// A route to an existing place, or to one that could be inserted.
  mutating func writeRoute() -> Route {
    var route = start()
    if isKeyed, random.chance(50), let store = oracle.world.object(ofRoot: "store"),
      case .array(let elements)? = oracle.world.objects[store]?["items"], !elements.isEmpty
    {
      route = Route(root: "store", steps: [.property("items")])
      if random.chance(40) { return route }
      let element = random.pick(elements)
      route.steps.append(
        oracle.world.id(of: element).flatMap { random.chance(60) ? .id($0) : nil }
          ?? .index(random.upTo(elements.count - 1)))
      if random.chance(70) { route.steps.append(.property(random.pick(["n", "id", "id", "name"]))) }
      return route
    }
    if route.number == nil, random.chance(4) { return route }
    guard var object = oracle.world.start(of: route) else {
      return Route(root: route.root, steps: [.property(name())])
    }
    var value: Plain?
    while route.steps.count < 7 {
      let world = oracle.world
      if case .reference(let next)? = value {
        object = next
        value = nil
      }
      let container = route.steps.isEmpty || value == nil ? world.objects[object].map { .map($0) } : value
      guard let step = step(into: container, isObject: value == nil) else { break }
      route.steps.append(step)
      value = world.below(container, step)
      if value == nil || random.chance(30) { break }
    }
    return route
  }

  private mutating func step(into container: Plain?, isObject: Bool) -> Step? {
    switch container {
    case .map(let fields)?:
      let name = fields.entries.isEmpty || random.chance(12) ? name() : random.pick(fields.entries).name
      return random.chance(isObject ? 85 : 50) ? .property(name) : .key(name)
    case .array(let elements)? where !elements.isEmpty:
      let index = random.upTo(elements.count - 1)
      if random.chance(50), let id = oracle.world.id(of: elements[index]) { return .id(id) }
      return .index(index)
    default: return nil
    }
  }

  mutating func start() -> Route {
    if random.chance(15), oracle.world.lastNumber > 0 {
      return Route(root: "#\(random.upTo(oracle.world.lastNumber - 1) + 1)", steps: [])
    }
    return Route(root: random.pick(["store", "store", "app"]), steps: [])
  }
}
