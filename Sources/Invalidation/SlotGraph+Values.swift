import EventLog

extension SlotGraph {
  /// The current value of a slot. If the path to the slot now crosses another object, returns a value that
  /// stands for this.
  func value(at slot: SlotID, in state: State) -> Value? {
    var keys: [Key] = []
    var next = slot
    while let parent = self[next].parent {
      keys.append(self[next].key)
      next = parent
    }
    guard case .owner(let owner) = self[next].key else { return nil }
    var value: Value?
    switch owner {
    case .roots:
      switch keys.popLast() {
      case .name(let name): value = state.roots[name].map { .reference($0) }
      case .object(let object): value = state.objects[object] == nil ? nil : .reference(object)
      default: return nil
      }
    case .object(let object):
      guard let last = keys.popLast() else {
        return state.value(at: NamedLocation(owner: .object(object), steps: []))
      }
      value =
        if case .name(let name) = last { state.objects[object]?.fields[name] } else {
          state.project(state.value(at: NamedLocation(owner: .object(object), steps: [])), last)
        }
      if case .name(let property) = last, case .id(let id)? = keys.last,
        let element = state.indexedElement(id: id, of: object, property: property)
      {
        value = element
        keys.removeLast()
      }
    }
    while let key = keys.popLast() {
      if case .reference(let object)? = value, key != .aspect(.exists) {
        return .inside(object, stepsLeft: keys.count + 1)
      }
      value = state.project(value, key)
    }
    return value
  }
}

extension NamedLocation.Step {
  var key: SlotGraph.Key {
    switch self {
    case .name(let name): .name(name)
    case .element(_, let id?): .id(id)
    case .element(let index, nil): .index(index)
    case .aspect(let aspect): .aspect(aspect)
    }
  }
}

extension PathComponent {
  var key: SlotGraph.Key {
    switch self {
    case .property(let name), .key(let name): .name(name)
    case .index(let index): .index(index)
    case .id(let id): .id(id)
    case .count, .order, .exists: .aspect(self)
    }
  }
}

extension State {
  /// The part of a value that a key addresses. The key `exists` gives a value for a missing one too. A part of a
  /// value that was too large for its event is not known, so the whole stands for it.
  func project(_ value: Value?, _ key: SlotGraph.Key) -> Value? {
    if let value, value.isTooLarge { return value }
    return switch key {
    case .aspect(.exists): .bool(value != nil)
    case .aspect(let aspect): value.flatMap { project($0, aspect) }
    case .name(let name): value.flatMap { project($0, .key(name)) }
    case .index(let index): value.flatMap { project($0, .index(index)) }
    case .id(let id): value.flatMap { project($0, .id(id)) }
    case .owner, .object, .crossing, .whole: nil
    }
  }
}

extension Value {
  /// Stands for a slot within another object. Two such values are equal if the object is the same and the
  /// path enters it at the same step. They equal no recorded value.
  fileprivate static func inside(_ object: ObjectID, stepsLeft: Int) -> Value {
    .opaque(type: "\u{0}inside \(stepsLeft)", identity: object.number)
  }
}
