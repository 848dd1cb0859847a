extension State {
  /// The state as events that make an equal one of an empty state: every object, then where each is named, then the
  /// roots.
  ///
  /// Names that no longer hold are settled first, as asking for each name would. Cost: linear in the state.
  package mutating func asEvents() -> [Event.Body] {
    settleNames()
    var events: [Event.Body] = []
    events.reserveCapacity(2 * objects.count + roots.count)
    let ids = objects.keys.sorted()
    for id in ids {
      guard let object = objects[id] else { continue }
      let definition = ObjectDefinition(id: id, type: object.type, fields: object.fields)
      events.append(.set(Path(root: .object(id)), .object(definition), sameValue: false))
    }
    for id in ids {
      guard let path = objects[id]?.home?.pathFromObject else { continue }
      events.append(.set(path, .reference(id), sameValue: true))
    }
    for (name, id) in roots {
      events.append(.set(Path(root: .named(name)), .reference(id), sameValue: false))
    }
    return events
  }

  /// Makes every object's home a place that holds it, the one that ``path(of:)`` would find, or none.
  package mutating func settleNames() {
    for id in objects.keys.sorted() { refindInArray(id) }
    var found: [ObjectID: Place] = [:]
    for place in walk() {
      guard case .reference(let id)? = value(at: place), found[id] == nil else { continue }
      found[id] = place
    }
    for id in objects.keys {
      if isHome(of: id), objects[id]?.home?.owner != .roots { continue }
      // Of several roots that hold an object the first names it.
      objects[id]?.home = found[id]
    }
  }
}

extension Place {
  /// The place as a path from the object that owns it; nil for a root.
  fileprivate var pathFromObject: Path? {
    guard case .object(let id) = owner else { return nil }
    return Path(
      root: .object(id),
      components: steps.enumerated().compactMap { position, step in
        switch step {
        case .name(let name): position == 0 ? .property(name) : .key(name)
        case .element(let index, _): .index(index)
        case .aspect: nil
        }
      })
  }
}
