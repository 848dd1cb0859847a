extension Generator {
  mutating func name() -> String {
    random.pick(["a", "b", "child", "items", "items", "dict", "name", "id", "n"])
  }

  mutating func word() -> String { random.pick(["", "x", "xy", "é", "e\u{301}"]) }

  mutating func id() -> Plain {
    random.chance(70)
      ? .int(Int64(random.upTo(3))) : random.pick([.string("x"), .double(-0.0), .double(0), .bool(true)])
  }

  /// A value that mostly suits a property's name.
  mutating func value(for name: String?, depth: Int) -> Plain {
    if random.chance(15) { return anything(depth: depth) }
    switch name {
    case "child": return random.chance(20) ? .null : anObject(depth: depth)
    case "items": return array(depth: depth)
    case "dict": return map(depth: depth)
    case "name": return .string(word())
    case "id": return id()
    case "n": return random.pick([.int(0), .int(1), .double(0), .double(-0.0), .double(.nan), .double(1.5)])
    case nil: return element(depth: depth)
    default: return anything(depth: depth)
    }
  }

  mutating func element(depth: Int) -> Plain {
    switch random.upTo(9) {
    case ..<4: map(depth: depth - 1)
    case ..<8: anObject(depth: depth - 1)
    default: scalar()
    }
  }

  /// A new object, or an existing one.
  mutating func anObject(depth: Int) -> Plain {
    if oracle.world.lastNumber > 0, depth <= 0 || random.chance(60) {
      return .reference(random.upTo(oracle.world.lastNumber - 1) + 1)
    }
    return object(depth: depth)
  }

  /// A new object. Another object in the same line may have its number; such a line does not fit.
  mutating func object(depth: Int) -> Plain {
    lastGiven = max(lastGiven, oracle.world.lastNumber + 1) + 1
    let number = lastGiven
    return .object(number: number, type: random.pick(["Item", ""]), fields(depth: depth - 1))
  }

  private mutating func array(depth: Int) -> Plain {
    let count = random.chance(4) ? 18 : random.upTo(3)
    return .array((0..<count).map { _ in element(depth: depth - 1) })
  }

  private mutating func map(depth: Int) -> Plain { .map(fields(depth: depth)) }

  private mutating func fields(depth: Int) -> Fields {
    var fields = Fields()
    for _ in 0...random.upTo(2) {
      let name = random.chance(40) ? "id" : name()
      fields[name] = depth <= 0 && name != "id" ? scalar() : value(for: name, depth: depth)
    }
    return fields
  }

  private mutating func scalar() -> Plain {
    random.chance(30)
      ? .string(word()) : random.pick([.null, .bool(true), .int(0), .int(1), .int(2), .double(.nan)])
  }

  private mutating func anything(depth: Int) -> Plain {
    guard depth > 0 else { return scalar() }
    return switch random.upTo(4) {
    case 0: array(depth: depth)
    case 1: map(depth: depth)
    case 2: anObject(depth: depth)
    default: scalar()
    }
  }
}
