extension State {
  /// Puts one scalar in the place of another, and returns the other; nil, with nothing done, where there is none.
  ///
  /// No path can lead elsewhere for it, as long as the place is neither an element of an array nor an id. Cost: one
  /// hash a step.
  package mutating func replaceScalar(at place: Place, by value: Value) -> Value? {
    guard case .object(let id) = place.owner, case .name(let name)? = place.steps.first,
      let position = objects.index(forKey: id)
    else { return nil }
    newObjects.removeAll(keepingCapacity: true)
    return Self.replaceScalar(
      in: &objects.values[position].fields[name], steps: place.steps, from: 1, by: value)
  }

  private static func replaceScalar(
    in slot: inout Value?, steps: [Place.Step], from position: Int, by value: Value
  ) -> Value? {
    guard position < steps.count else {
      guard let before = slot, before.isScalar else { return nil }
      slot = value
      return before
    }
    switch steps[position] {
    case .name(let name):
      guard var fields = slot.takeMap() else { return nil }
      defer { slot = .map(fields) }
      return replaceScalar(in: &fields[name], steps: steps, from: position + 1, by: value)
    case .element(let index, _):
      guard var elements = slot.takeArray() else { return nil }
      defer { slot = .array(elements) }
      guard elements.indices.contains(index) else { return nil }
      var element: Value? = .null
      swap(&element, &elements[asOptional: index])
      defer { elements[index] = element ?? .null }
      return replaceScalar(in: &element, steps: steps, from: position + 1, by: value)
    case .aspect: return nil
    }
  }
}

extension Value {
  /// Whether it is neither a container nor an object, nor a reference to one.
  package var isScalar: Bool {
    switch self {
    case .null, .bool, .int, .uint, .double, .string, .bytes, .redacted, .opaque: true
    case .array, .map, .object, .reference: false
    }
  }
}
