extension World {
  typealias Edit = (inout World, inout Plain?) throws(Refusal) -> Void

  /// Rewrites the value at the end of a route; nil removes it.
  mutating func change(_ route: Route, _ edit: Edit) throws(Refusal) -> Touch {
    let trace = trace(route)
    guard let owner = trace.owner, let end = trace.end, !end.steps.isEmpty, let place = place(end) else {
      throw .invalid("there is no such place")
    }
    var value = objects[owner].map { Plain.map($0) }
    try change(&value, place.steps[...], edit)
    // Objects that the edit defined meanwhile stay; only this object is rewritten.
    if case .map(let fields)? = value { objects[owner] = fields }
    return Touch(owner: owner, at: place)
  }

  private mutating func change(
    _ value: inout Plain?, _ steps: ArraySlice<Step>, _ edit: Edit
  ) throws(Refusal) {
    guard let step = steps.first else { return try edit(&self, &value) }
    switch (value, step) {
    case (.map(var fields)?, .key(let name)):
      var field = fields[name]
      try change(&field, steps.dropFirst(), edit)
      fields[name] = field
      value = .map(fields)
    case (.array(var elements)?, .index(let index)):
      var element: Plain? = elements[index]
      try change(&element, steps.dropFirst(), edit)
      if let element { elements[index] = element } else { elements.remove(at: index) }
      value = .array(elements)
    default: throw .invalid("there is no such place")
    }
  }

  /// The spot with elements named by offset, if its container exists and can hold it.
  func place(_ spot: Spot) -> Spot? {
    guard let owner = spot.owner, let object = objects[owner] else { return nil }
    var value: Plain? = .map(object)
    var steps: [Step] = []
    for step in spot.steps {
      switch (value, step) {
      case (.map?, .key), (.map?, .property): steps.append(step)
      case (.array(let elements)?, .index(let index)) where elements.indices.contains(index):
        steps.append(step)
      case (.array(let elements)?, .id(let id)):
        guard let index = position(of: id, in: elements) else { return nil }
        steps.append(.index(index))
      default: return nil
      }
      value = below(value, step)
    }
    return Spot(owner: owner, steps: steps)
  }

  /// Whether a spot is a place or contains it.
  func spot(_ spot: Spot, isAtOrAbove place: Spot) -> Bool {
    guard !spot.isWay, spot.owner == place.owner, spot.steps.count <= place.steps.count else { return false }
    var value: Plain? = spot.owner.flatMap { objects[$0] }.map { .map($0) }
    for (step, taken) in zip(spot.steps, place.steps) {
      if case .id(let id) = step, case .array(let elements)? = value, case .index(let index) = taken {
        if position(of: id, in: elements) != index { return false }
      } else if step != taken {
        return false
      }
      value = below(value, taken)
    }
    return true
  }

  /// Whether a line would leave every value as it is.
  func staysSame(_ body: Line.Body) -> Bool {
    switch body {
    case .set(let route, let value, _):
      let spot = trace(route).end.flatMap { $0.steps.isEmpty ? nil : $0 }
      return look(spot ?? Spot(owner: nil, steps: [.key(route.root)] + route.steps)) == .value(value)
    case .splice(let route, let offset, let delete, .array(let inserted), _):
      guard case .value(.array(let elements))? = trace(route).end.map(look) else { return false }
      return Array(elements.dropFirst(max(offset, 0)).prefix(max(delete, 0))) == inserted
    case .splice(let route, let offset, let delete, .string(let inserted), _):
      guard case .value(.string(let text))? = trace(route).end.map(look) else { return false }
      return Array(text.utf8.dropFirst(max(offset, 0)).prefix(max(delete, 0))) == Array(inserted.utf8)
    case .remove(let route, _):
      guard let end = trace(route).end, !route.steps.isEmpty else { return start(of: route) == nil }
      return place(end).map { look($0) == .missing } ?? true
    default: return false
    }
  }
}
