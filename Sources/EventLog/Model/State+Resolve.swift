extension State {
  /// Finds the place that a path names, following references. Cost: linear in the depth.
  package func resolve(_ path: Path) -> Resolution {
    switch path.root {
    case .named(let name):
      let place = Place(owner: .roots, steps: [.name(name)])
      guard let id = roots[name] else {
        return path.components.isEmpty
          ? .place(place, crossed: [])
          : .missing(container: place, crossed: [], rest: path.components[...])
      }
      if path.components.isEmpty { return .place(place, crossed: []) }
      if path.components == [.exists] {
        // It does not matter which object it is.
        return .place(Place(owner: .roots, steps: [.name(name), .aspect(.exists)]), crossed: [])
      }
      return resolve(path.components[...], in: id, crossed: [place])
    case .object(let id):
      guard objects[id] != nil else {
        let nowhere = Place(owner: .object(id), steps: [])
        return .missing(container: nowhere, crossed: [], rest: path.components[...])
      }
      return resolve(path.components[...], in: id, crossed: [])
    }
  }

  /// Finds the place that a path names from an object on.
  package func resolve(
    _ components: ArraySlice<PathComponent>, in object: ObjectID, crossed: [Place] = []
  ) -> Resolution {
    var crossed = crossed
    var place = Place(owner: .object(object), steps: [])
    place.steps.reserveCapacity(components.count)
    var value: Value?
    for position in components.indices {
      let component = components[position]
      if case .reference(let id)? = value, component != .exists {
        crossed.append(place)
        place = Place(owner: .object(id), steps: [])
        value = nil
      }
      let isLast = position == components.endIndex - 1
      if component.isAspect {
        guard isLast else {
          return .missing(container: place, crossed: crossed, rest: components[position...])
        }
        place.steps.append(.aspect(component))
        return .place(place, crossed: crossed)
      }
      guard let (step, below) = self.step(component, from: value, at: place) else {
        return .missing(container: place, crossed: crossed, rest: components[position...])
      }
      place.steps.append(step)
      value = below
      if below == nil, !isLast {
        return .missing(container: place, crossed: crossed, rest: components[(position + 1)...])
      }
    }
    return .place(place, crossed: crossed)
  }

  /// One step down: nil where the container cannot have such a member; `below` is nil where it can but has not.
  private func step(
    _ component: PathComponent, from value: Value?, at place: Place
  ) -> (step: Place.Step, below: Value?)? {
    if place.steps.isEmpty {
      guard case .object(let id) = place.owner, let name = component.name else { return nil }
      return (.name(name), objects[id]?.fields[name])
    }
    switch (value, component) {
    case (.map(let fields)?, .property(let name)), (.map(let fields)?, .key(let name)):
      return (.name(name), fields[name])
    case (.array(let elements)?, .index(let index)):
      guard elements.indices.contains(index) else { return nil }
      return (.element(index: index, id: nil), elements[index])
    case (.array(let elements)?, .id(let id)):
      guard let index = index(ofID: id, in: elements, at: place) else { return nil }
      return (.element(index: index, id: id), elements[index])
    default:
      return nil
    }
  }

  /// The value at a resolved place.
  package func value(at place: Place) -> Value? {
    var steps = place.steps[...]
    var value: Value?
    switch place.owner {
    case .roots:
      guard case .name(let name)? = steps.popFirst() else { return nil }
      value = roots[name].map { .reference($0) }
    case .object(let id):
      guard let fields = objects[id]?.fields else { return nil }
      guard let step = steps.popFirst() else { return .map(fields) }
      switch step {
      case .name(let name): value = fields[name]
      case .aspect(let aspect): return project(.map(fields), aspect)
      case .element: return nil
      }
    }
    for step in steps {
      switch step {
      case .name(let name): value = value.flatMap { project($0, .key(name)) }
      case .element(let index, _): value = value.flatMap { project($0, .index(index)) }
      case .aspect(let aspect):
        return aspect == .exists ? .bool(value != nil) : value.flatMap { project($0, aspect) }
      }
    }
    return value
  }

  /// The part of a value that one component addresses, or nil. References are not followed.
  package func project(_ value: Value, _ component: PathComponent) -> Value? {
    switch (value, component) {
    case (_, .exists): .bool(true)
    case (.map(let fields), .property(let name)), (.map(let fields), .key(let name)): fields[name]
    case (.map(let fields), .count): .int(Int64(fields.count))
    case (.map(let fields), .order): .map(fields.mapValues { _ in .null })
    case (.array(let elements), .index(let index)): elements.element(at: index)
    case (.array(let elements), .id(let id)): elements.first { self.id(of: $0) == id }
    case (.array(let elements), .count): .int(Int64(elements.count))
    case (.array(let elements), .order): .array(elements.map { identity(of: $0) })
    default: nil
    }
  }
}

extension [Value] {
  /// The element, if there is one.
  package func element(at index: Int) -> Value? { indices.contains(index) ? self[index] : nil }
}

extension PathComponent {
  /// The member's name, for the two spellings of it.
  var name: String? {
    switch self {
    case .property(let name), .key(let name): name
    default: nil
    }
  }
}
