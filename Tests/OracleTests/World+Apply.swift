/// Why the model refuses a line.
enum Refusal: Error {
  /// The line does not fit the state; the engine must refuse it too.
  case invalid(String)
}

/// The place that an event concerned: its owner, and the place itself if there is one.
struct Touch {
  var owner: Int?
  var at: Spot?
}

extension World {
  /// Applies a line to the state; returns nil if the line does not concern the state.
  mutating func apply(_ body: Line.Body) throws(Refusal) -> Touch? {
    switch body {
    case .set(let route, let value, _): try set(route, value)
    case .splice(let route, let offset, let delete, let insert, _):
      try change(route) { world, slot throws(Refusal) in
        slot = try world.splice(slot, offset, delete, insert)
      }
    case .remove(let route, _): try remove(route)
    default: nil
    }
  }

  private mutating func set(_ route: Route, _ value: Plain) throws(Refusal) -> Touch {
    guard route.steps.isEmpty else {
      if start(of: route) == nil, route.number == nil, route.steps.count == 1, route.steps[0].name != nil {
        lastNumber += 1
        define(lastNumber, "", at: route.root)
      }
      return try change(route) { world, slot throws(Refusal) in slot = try world.adopt(value) }
    }
    guard route.number == nil else { throw .invalid("an object cannot be set by its number") }
    var object = value
    if case .map(let fields) = value { object = .object(number: lastNumber + 1, type: "", fields) }
    guard case .reference(let number) = try adopt(object) else { throw .invalid("a root is an object") }
    if let position = roots.firstIndex(where: { $0.name == route.root }) {
      roots[position].object = number
    } else {
      roots.append((route.root, number))
    }
    return Touch(at: Spot(owner: nil, steps: [.key(route.root)]))
  }

  private mutating func define(_ number: Int, _ type: String, at root: String? = nil) {
    objects[number] = Fields()
    types[number] = type
    lastNumber = max(lastNumber, number)
    if let root { roots.append((root, number)) }
  }

  private mutating func remove(_ route: Route) throws(Refusal) -> Touch {
    if route.steps.isEmpty {
      if let number = route.number {
        guard objects[number] != nil, !isHeld(number) else { throw .invalid("no such object, or it is held") }
        objects[number] = nil
        types[number] = nil
        return Touch(owner: number, at: Spot(owner: number, steps: []))
      }
      roots.removeAll { $0.name == route.root }
      return Touch(at: Spot(owner: nil, steps: [.key(route.root)]))
    }
    if route.steps.contains(where: \.isAspect) { throw .invalid("an aspect cannot be removed") }
    let trace = trace(route)
    guard let end = trace.end, place(end) != nil else { return Touch(owner: trace.owner) }
    return try change(route) { _, slot throws(Refusal) in slot = nil }
  }

  /// Whether a root or a value refers to an object.
  func isHeld(_ number: Int) -> Bool {
    roots.contains { $0.object == number }
      || objects.values.contains { $0.entries.contains { $0.value.refers(to: number) } }
  }

  private mutating func splice(
    _ value: Plain?, _ offset: Int, _ delete: Int, _ insert: Plain
  ) throws(Refusal) -> Plain {
    switch (value, insert) {
    case (.string(let text)?, .string(let inserted)):
      let bytes = Array(text.utf8)
      guard offset >= 0, delete >= 0, offset + delete <= bytes.count else { throw .invalid("out of range") }
      let parts = [bytes[..<offset], bytes[offset..<(offset + delete)], bytes[(offset + delete)...]]
      for part in parts where String(validating: part, as: UTF8.self) == nil {
        throw .invalid("splits a character")
      }
      return .string(String(decoding: parts[0] + Array(inserted.utf8) + parts[2], as: UTF8.self))
    case (.array(var elements)?, .array(let inserted)):
      guard offset >= 0, delete >= 0, offset + delete <= elements.count else {
        throw .invalid("out of range")
      }
      elements.removeSubrange(offset..<(offset + delete))
      for (position, element) in inserted.enumerated() {
        elements.insert(try adopt(element), at: offset + position)
      }
      return .array(elements)
    default: throw .invalid("nothing to splice")
    }
  }

  /// Turns the objects that a value defines into references.
  private mutating func adopt(_ value: Plain) throws(Refusal) -> Plain {
    switch value {
    case .object(let number, let type, let fields):
      guard number >= 1, objects[number] == nil else { throw .invalid("already defined") }
      define(number, type)
      for (name, field) in fields.entries {
        let adopted = try adopt(field)
        objects[number]?[name] = adopted
      }
      return .reference(number)
    case .reference(let number):
      guard objects[number] != nil else { throw .invalid("not defined") }
      return value
    case .array(let elements):
      var adopted: [Plain] = []
      for element in elements { adopted.append(try adopt(element)) }
      return .array(adopted)
    case .map(let fields):
      var adopted = Fields()
      for (name, field) in fields.entries { adopted[name] = try adopt(field) }
      return .map(adopted)
    default: return value
    }
  }
}

extension Plain {
  fileprivate func refers(to number: Int) -> Bool {
    switch self {
    case .reference(let other): other == number
    case .array(let elements): elements.contains { $0.refers(to: number) }
    case .map(let fields): fields.entries.contains { $0.value.refers(to: number) }
    default: false
    }
  }
}
