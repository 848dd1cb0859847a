// As of b942364. An oracle: not to be mended.

import EventLog

extension State {
  /// The path by which an object is named: where it was first put, while it is still there; else the first place that
  /// a walk from the roots finds it at; else its id.
  ///
  /// Cost: the depth of the path, or the size of the state when the object has moved.
  mutating func path(of id: ObjectID) -> Path {
    // An object that is not defined yet is in no place.
    if objects[id] == nil { return Path(root: .object(id)) }
    refindInArray(id)
    if let path = homePath(of: id) { return path }
    for place in walk() where value(at: place) == .reference(id) {
      objects[id]?.home = place
      if let path = homePath(of: id) { return path }
    }
    return Path(root: .object(id))
  }

  /// Whether the place that names the object still holds it.
  func isHome(of id: ObjectID) -> Bool {
    guard let home = objects[id]?.home else { return false }
    return value(at: home) == .reference(id)
  }

  /// Finds an object again in the array that it was in. After a shift all objects of the array are found in one pass.
  private mutating func refindInArray(_ id: ObjectID) {
    guard let home = objects[id]?.home, case .element? = home.steps.last else { return }
    var array = home
    array.steps.removeLast()
    if case .object(let owner) = array.owner, array.steps.count == 1,
      case .name(let property) = array.steps[0]
    {
      indexIdentities(of: owner, property: property)
    }
    guard !isHome(of: id), case .array(let elements)? = value(at: array) else { return }
    if let known = self.id(of: .reference(id)), let index = identityIndex(at: array)?[known],
      elements[index] == .reference(id)
    {
      array.steps.append(.element(index: index, id: nil))
      objects[id]?.home = array
      return
    }
    for (index, element) in elements.enumerated() {
      guard case .reference(let object) = element, !isHome(of: object) else { continue }
      var place = array
      place.steps.append(.element(index: index, id: nil))
      objects[object]?.home = place
    }
  }

  /// An object further from its root is named by its id, so that paths into it have steps left.
  private static let namedDepthMax = Path.maximumDepth - 16

  private func homePath(of id: ObjectID) -> Path? {
    var components: [PathComponent] = []
    var current = id
    // More homes than a path has steps: the objects are a cycle that no root reaches.
    for _ in 0...Self.namedDepthMax {
      guard components.count <= Self.namedDepthMax, let home = objects[current]?.home,
        value(at: home) == .reference(current)
      else { return nil }
      for position in home.steps.indices.reversed() {
        switch home.steps[position] {
        case .name(let name):
          if home.owner == .roots {
            components.reverse()
            return Path(root: .named(name), components: components)
          }
          components.append(position == 0 ? .property(name) : .key(name))
        case .element(let index, _):
          components.append(elementComponent(home, position, index))
        case .aspect: return nil
        }
      }
      guard case .object(let owner) = home.owner else { return nil }
      current = owner
    }
    return nil
  }

  /// An element is named by its id if it has one and is the first with it, else by its index.
  private func elementComponent(_ home: Place, _ position: Int, _ index: Int) -> PathComponent {
    let array = Place(owner: home.owner, steps: Array(home.steps[..<position]))
    if case .array(let elements)? = value(at: array), elements.indices.contains(index),
      let id = firstID(of: index, in: elements, at: array)
    {
      return .id(id)
    }
    return .index(index)
  }

  /// Every place that holds a reference and that a root reaches, nearest first.
  func walk() -> [Place] {
    var places: [Place] = roots.keys.map { Place(owner: .roots, steps: [.name($0)]) }
    var seen: Set<ObjectID> = []
    var next = 0
    while next < places.count {
      guard case .reference(let id)? = value(at: places[next]) else { break }
      next += 1
      guard seen.insert(id).inserted, let object = objects[id] else { continue }
      for (name, field) in object.fields {
        collectReferences(field, Place(owner: .object(id), steps: [.name(name)]), into: &places)
      }
    }
    return places
  }

  private func collectReferences(_ value: Value, _ place: Place, into places: inout [Place]) {
    switch value {
    case .reference: places.append(place)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        var below = place
        below.steps.append(.element(index: index, id: nil))
        collectReferences(element, below, into: &places)
      }
    case .map(let fields):
      for (name, field) in fields {
        var below = place
        below.steps.append(.name(name))
        collectReferences(field, below, into: &places)
      }
    default: break
    }
  }
}

extension State {
  /// The steps below a property, in which elements with an id of their own are named by it.
  mutating func namingElementsByID(
    _ components: [PathComponent], of object: ObjectID, property: String
  ) -> [PathComponent] {
    let place = Place(owner: .object(object), steps: [.name(property)])
    guard case .index(let index)? = components.first, case .array(let elements)? = value(at: place),
      elements.indices.contains(index), id(of: elements[index]) != nil
    else { return components }
    indexIdentities(of: object, property: property)
    guard let id = firstID(of: index, in: elements, at: place) else { return components }
    return [.id(id)] + components.dropFirst()
  }
}

// MARK: The state as events

extension State {
  /// Events that lead from an empty state to an equal one: every object, then the place that names each, then the
  /// roots.
  ///
  /// Updates outdated names first, as ``path(of:)`` would one by one. Cost: linear in the state.
  mutating func asEvents() -> [Event.Body] {
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
  private mutating func settleNames() {
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

// MARK: Bound paths, as of d547314

extension State {
  /// What a path says of this state: the last object that it crosses, and the steps from there on, whether or not something
  /// is there.
  func bound(_ path: Path) -> Path {
    guard case .named = path.root else { return path }
    let (last, steps) =
      switch resolve(path) {
      case .place(let place, _): (place, place.steps.count)
      case .missing(let container, _, let rest): (container, container.steps.count + rest.count)
      }
    switch last.owner {
    case .object(let id): return Path(root: .object(id), components: Array(path.components.suffix(steps)))
    case .roots: return path.components == [.exists] ? path : Path(root: path.root)
    }
  }
}
