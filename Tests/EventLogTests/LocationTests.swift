@testable import LogGenerator
import Testing

@testable import EventLog

/// A position leads to the same value as its path, whatever happened since the position was requested.
@Suite struct LocationTests {
  @Test(arguments: 0..<8)
  func aLocationHoldsWhatItsPathLeadsToOrNothing(share: UInt64) {
    for seed in share * 12..<share * 12 + 12 {
      let program = ObjectProgram(seed: seed)
      guard LocationJudge.fault(in: program, seed: seed) != nil else { continue }
      let small = program.shrunk { LocationJudge.fault(in: $0, seed: seed) != nil }
      Issue.record("seed \(seed), \(LocationJudge.fault(in: small, seed: seed) ?? "")\n\(small)")
      return
    }
  }

  private static func path(_ text: String) throws -> Path { try Path(parsing: text) }

  private static func object(_ number: UInt64, _ fields: NamedValues<Value>) -> Value {
    .object(ObjectDefinition(id: ObjectID(number), type: "Node", fields: fields))
  }

  @Test func aLocationOfAPropertyBehindOneThatIsRemovedLeadsNowhere() throws {
    var state = State()
    try state.apply(.set(Self.path("app"), Self.object(1, ["a": 1, "b": 2, "c": 3]), sameValue: false))
    let (a, b) = (
      state.propertyLocation(of: ObjectID(1), property: "a"),
      state.propertyLocation(of: ObjectID(1), property: "b")
    )
    let (first, second) = (try #require(a), try #require(b))
    let before = state.replaceScalar(at: second, by: 4)
    #expect(before == 2)
    try state.apply(.set(Self.path("app.d"), 5, sameValue: false))
    #expect(state.value(at: second) == 4)
    try state.apply(.remove(Self.path("app.a"), sameValue: false))
    #expect(state.value(at: first) == nil)
    #expect(state.value(at: second) == nil)
    let refused = state.replaceScalar(at: second, by: 6)
    #expect(refused == nil)
    #expect(state.objects[ObjectID(1)]?.fields == ["b": 4, "c": 3, "d": 5])
    #expect(state.propertyLocation(of: ObjectID(1), property: "b").flatMap { state.value(at: $0) } == 4)
  }

  @Test func aLocationOfAnObjectThatIsGoneIsNoneOfTheObjectThatTookItsEntry() throws {
    var state = State()
    try state.apply(
      .set(Self.path("app"), Self.object(1, ["child": Self.object(2, ["a": 1])]), sameValue: false))
    let found = state.propertyLocation(of: ObjectID(2), property: "a")
    let location = try #require(found)
    try state.apply(.remove(Self.path("app.child"), sameValue: false))
    // The object is still there, but that place no longer names it.
    #expect(state.value(at: location) == nil)
    let anew = state.propertyLocation(of: ObjectID(2), property: "a")
    #expect(try state.value(at: #require(anew)) == 1)
    try state.apply(.remove(Self.path("#2"), sameValue: false))
    #expect(try state.value(at: #require(anew)) == nil)
    try state.apply(.set(Self.path("app.child"), Self.object(3, ["a": 2]), sameValue: false))
    #expect(state.value(at: location) == nil)
    // A new object with the same number is a different object.
    try state.apply(.remove(Self.path("app.child"), sameValue: false))
    try state.apply(.remove(Self.path("#3"), sameValue: false))
    try state.apply(.set(Self.path("app.child"), Self.object(2, ["b": 3]), sameValue: false))
    #expect(state.value(at: location) == nil)
    let replaced = state.replaceWhole(at: location, by: 4)
    #expect(!replaced)
    #expect(state.value(at: try Self.path("#2.b")) == 3)
  }

  @Test func valuesDeepInOneObjectAreReachedByPositionToo() throws {
    var state = State()
    var value: Value = .map(["last": 1, "other": .reference(ObjectID(1))])
    var text = ".last"
    for depth in 0..<12 {
      let isArray = depth % 2 == 0
      value = isArray ? .array([.map(["id": 7]), value]) : .map(["a": 0, "below": value])
      text = (isArray ? "[1]" : ".below") + text
    }
    try state.apply(.set(Self.path("app"), Self.object(1, ["before": 0, "top": value]), sameValue: false))
    let path = try Self.path("app.top" + text)
    for count in 1...path.components.count {
      let part = Path(root: path.root, components: Array(path.components.prefix(count)))
      let location = try #require(LocationJudge.location(part, in: state), "\(part)")
      #expect(location.depth == count)
      #expect(state.value(at: location) == state.value(at: part), "\(part)")
      #expect(state.bound(part).components == part.components)
    }
    let other = Path(
      root: path.root, components: path.components.dropLast() + [.key("other"), .property("before")])
    #expect(state.bound(other) == (try Self.path("#1.before")))
    let location = try #require(LocationJudge.location(path, in: state))
    let copy = state
    let before = state.replaceScalar(at: location, by: 2)
    #expect(before == 1)
    #expect(state.value(at: path) == 2)
    #expect(copy.value(at: path) == 1)
    try state.apply(.set(path, 1, sameValue: false))
    #expect(state.objects[ObjectID(1)]?.fields == copy.objects[ObjectID(1)]?.fields)
  }

  @Test func aWriteThroughALocationLeavesCopiesOfTheStateAsTheyWere() throws {
    var state = State()
    try state.apply(.set(Self.path("app"), Self.object(1, ["a": "x", "rows": [1, 2]]), sameValue: false))
    let copy = state
    let (a, rows) = (
      state.propertyLocation(of: ObjectID(1), property: "a"),
      state.propertyLocation(of: ObjectID(1), property: "rows")
    )
    let replaced = state.replaceScalar(at: try #require(a), by: "y")
    #expect(replaced == "x")
    let array = state.replaceScalar(at: try #require(rows), by: "y")
    #expect(array == nil)
    #expect(state.value(at: try Self.path("app.a")) == "y")
    #expect(copy.value(at: try Self.path("app.a")) == "x")
    #expect(state.value(at: try Self.path("app.rows")) == [1, 2])
  }
}

/// Applies events, remembers the locations of properties and parts, and compares their values with those at their paths.
private struct LocationJudge {
  private var random: SplitMix64
  private var state = State()
  private var properties: [(location: PropertyLocation, path: Path)] = []
  private var locations: [(location: Location, path: Path, version: UInt64)] = []

  static func fault(in program: ObjectProgram, seed: UInt64) -> String? {
    var judge = LocationJudge(random: SplitMix64(seed: seed &+ 2))
    for (position, event) in program.events.enumerated() {
      if let fault = judge.fault(applying: event) { return "event \(position), \(event): \(fault)" }
    }
    return nil
  }

  private mutating func fault(applying event: Event.Body) -> String? {
    let before = state
    _ = try? state.apply(event)
    if let fault = propertyFault(since: before) ?? partFault() ?? writeFault() { return fault }
    for id in state.objects.keys.sorted() { remember(id) }
    while properties.count > 200 { properties.remove(at: random.pick(properties.count)) }
    while locations.count > 200 { locations.remove(at: random.pick(locations.count)) }
    return nil
  }

  private mutating func remember(_ id: ObjectID) {
    let names = (state.objects[id]?.fields.keys).map { Array($0) } ?? []
    guard !names.isEmpty else { return }
    let name = names[random.pick(names.count)]
    let path = Path(root: .object(id), components: [.property(name)])
    if let location = state.propertyLocation(of: id, property: name) { properties.append((location, path)) }
    for path in [state.path(of: id), path] {
      let path = path.components.isEmpty ? path.appending(.property(name)) : path
      let below = somethingBelow(path)
      if let location = Self.location(below, in: state) {
        locations.append((location, below, state.routeVersion))
      }
    }
  }

  private mutating func somethingBelow(_ path: Path) -> Path {
    var path = path
    while path.components.count < 8 {
      switch state.value(at: path) {
      case .array(let elements)? where !elements.isEmpty:
        let index = random.pick(elements.count)
        let id = random.oneIn(2) ? state.id(of: elements[index]) : nil
        path.components.append(id.map { .id($0) } ?? .index(index))
      case .map(let fields)? where !fields.isEmpty:
        path.components.append(.key(fields[random.pick(fields.count)].key))
      case .reference(let id)?:
        let fields = state.objects[id]?.fields ?? [:]
        if fields.isEmpty { return path }
        path.components.append(.property(fields[random.pick(fields.count)].key))
      default: return path
      }
      if random.oneIn(4) { return path }
    }
    return path
  }

  /// Follows a path step by step, with or without an index.
  static func location(_ path: Path, in state: State) -> Location? {
    var location: Location?
    switch path.root {
    case .named(let name): location = state.location(ofRoot: name)
    case .object(let id): location = state.location(of: id)
    }
    for component in path.components {
      if component != .exists, let object = location.flatMap({ state.reference(at: $0) }) {
        location = state.location(of: object)
      }
      location = location.flatMap { state.step(component, below: $0) }
    }
    return location
  }

  private func propertyFault(since before: State) -> String? {
    for (location, path) in properties {
      let value = state.value(at: location)
      if state.holds(location) != (value != nil) {
        return "\(path) has a location with \(value.map { "\($0)" } ?? "nothing")"
      }
      if let value {
        if state.value(at: path) != value { return "the location of \(path) has \(value)" }
        continue
      }
      guard before.holds(location), let object = state.objects[location.object],
        let old = before.objects[location.object]
      else { continue }
      // A location may become invalid when the place that names its object is written, see
      // `State.nameVersion(of:)`.
      let holder = old.home.map { NamedLocation(owner: $0.owner, steps: [$0.steps[0]]) }
      let isHeld = holder.map { before.value(at: $0) == state.value(at: $0) } ?? true
      if object.fields.keys.starts(with: old.fields.keys), isHeld { return "the location of \(path) is lost" }
    }
    return nil
  }

  private func partFault() -> String? {
    for (location, path, version) in locations {
      if let object = location.object, let value = state.value(at: location),
        let location = location.property
      {
        // A property is valid in any version.
        if state.value(at: location) != value { return "\(path) and its property differ" }
        guard case .object(object) = path.root, path.components.count == 1 else { continue }
        if state.value(at: path) != value { return "the property \(path) has \(value)" }
      }
      guard version == state.routeVersion else { continue }
      let (value, expected) = (state.value(at: location), state.value(at: path))
      if value != expected { return "the location of \(path) has \(value.map { "\($0)" } ?? "nothing")" }
    }
    return nil
  }

  /// Writes a scalar by a position, and compares with a write by the path.
  private mutating func writeFault() -> String? {
    guard !locations.isEmpty, !properties.isEmpty else { return nil }
    let value = Value.int(Int64(random.pick(1000)))
    let (location, path, version) = locations[random.pick(locations.count)]
    let (known, property) = properties[random.pick(properties.count)]
    var expected = state
    if random.oneIn(2) {
      if property.components.last == .property("id") { return nil }
      let old = expected.value(at: property)
      let before = state.replaceScalar(at: known, by: value)
      if before != nil { _ = try? expected.apply(.set(property, value, sameValue: false)) }
      if let before, before != old { return "\(property) was \(before)" }
    } else {
      guard version == state.routeVersion, state.reference(at: location) == nil else { return nil }
      if path.components.last?.isID ?? true { return nil }
      let isScalar = expected.value(at: path)?.isScalar ?? false
      let before = state.replaceScalar(at: location, by: value)
      if (before != nil) != isScalar { return "a write of the location of \(path) gave \(before ?? .null)" }
      if before != nil { _ = try? expected.apply(.set(path, value, sameValue: false)) }
    }
    for id in expected.objects.keys where expected.objects[id]?.fields != state.objects[id]?.fields {
      return "\(id) has \(state.objects[id]?.fields ?? [:]) instead of \(expected.objects[id]?.fields ?? [:])"
    }
    return nil
  }
}

extension PathComponent {
  /// Whether setting it may change the id of an element.
  fileprivate var isID: Bool {
    switch self {
    case .property("id"), .key("id"): true
    default: false
    }
  }
}
