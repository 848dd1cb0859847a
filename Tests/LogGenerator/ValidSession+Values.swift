import EventLog

extension ValidSession {
  /// An existing place, or one step beside an existing place.
  mutating func place() -> Path {
    let isByNumber = random.oneIn(8)
    let root: Path.Root
    var value: Value
    if isByNumber, let id = state.objects.keys.sorted().randomElement(using: &random) {
      (root, value) = (.object(id), .reference(id))
    } else if let (name, id) = state.roots.randomElement(using: &random) {
      (root, value) = (.named(name), .reference(id))
    } else {
      (root, value) = (.named("app"), .null)
    }
    var path = Path(root: root)
    while path.components.count < 5, let (step, below) = step(into: value) {
      path.components.append(step)
      guard let below, !random.oneIn(3) else { break }
      value = below
    }
    return path
  }

  private mutating func step(into value: Value) -> (PathComponent, Value?)? {
    switch value {
    case .reference(let id): member(of: state.objects[id]?.fields ?? [:])
    case .map(let fields): member(of: fields)
    case .array(let elements): element(of: elements)
    default: nil
    }
  }

  private mutating func member(of fields: NamedValues<Value>) -> (PathComponent, Value?) {
    let name = fields.isEmpty || random.oneIn(6) ? name() : fields.keys[random.pick(fields.count)]
    return (random.oneIn(3) ? .key(name) : .property(name), fields[name])
  }

  private mutating func element(of elements: [Value]) -> (PathComponent, Value?)? {
    if elements.isEmpty { return nil }
    let index = random.pick(elements.count)
    if random.oneIn(2), let id = state.id(of: elements[index]) { return (.id(id), elements[index]) }
    return (.index(index), elements[index])
  }

  // MARK: Values

  mutating func value(depth: Int) -> Value {
    switch random.pick(depth > 2 ? 11 : 17) {
    case 0: return .null
    case 1: return .bool(random.oneIn(2))
    case 2, 3: return .int(Int64(bitPattern: random.next() >> UInt64(random.pick(64))))
    case 4: return .uint(UInt64(Int64.max) + 1 + UInt64(random.pick(1000)))
    case 5: return .double(double())
    case 6: return hasDatesAndActions ? .date(double()) : .double(double())
    case 7: return .string(text())
    case 8: return .bytes((0..<random.pick(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case 9: return .redacted
    case 10: return .opaque(type: "Type\(random.pick(3))", identity: random.next() >> UInt64(random.pick(64)))
    case 11:
      let ids = state.objects.keys.sorted()
      return ids.randomElement(using: &random).map { .reference($0) } ?? .null
    case 12: return depth == 0 ? object() : .null
    case 13: return .map(fields(depth: depth + 1))
    case 14: return .array((0..<random.pick(4)).map { _ in value(depth: depth + 1) })
    default:
      // Rows with ids, sometimes the same one twice.
      return .array(
        (0..<random.pick(5)).map { _ in
          let id: Value =
            random.oneIn(2) ? .int(Int64(random.pick(6))) : .string(["a", "b", "ü"][random.pick(3)])
          return .map(["id": id, "count": .int(Int64(random.pick(9)))])
        })
    }
  }

  mutating func object() -> Value {
    .object(
      ObjectDefinition(
        id: state.freeObjectID, type: ["Store", "Row", ""][random.pick(3)], fields: fields(depth: 1)))
  }

  mutating func fields(depth: Int) -> NamedValues<Value> {
    var fields: NamedValues<Value> = [:]
    for _ in 0..<random.pick(4) { fields[name()] = value(depth: depth + 1) }
    return fields
  }

  private mutating func name() -> String {
    ["rows", "text", "count", "id", "isLoading", "a b", "$ref", "", "été"][random.pick(9)]
  }

  mutating func text() -> String {
    [
      "", "a", "playing", "u\u{308}\u{301}", "é", "\u{0}\n\"\u{202E}", "👩‍👩‍👧",
      String(repeating: "long ", count: 12),
    ][random.pick(8)]
  }

  private mutating func double() -> Double {
    if random.oneIn(6) { return Double(bitPattern: random.next()) }
    if random.oneIn(4) {
      return [-0.0, 0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e16, 1e-5][random.pick(8)]
    }
    return Double(random.pick(1000)) / 10
  }
}
