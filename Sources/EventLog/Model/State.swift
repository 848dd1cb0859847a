/// What the app's state was after some event: named roots, and the objects they lead to.
///
/// It is the fold of a log: start empty, ``apply(_:)`` every event in order. Values hold references to
/// objects, never objects, so shared objects and cycles need no special care.
public struct State: Sendable {
  /// The attached roots in order of attachment.
  public internal(set) var roots: NamedValues<ObjectID> = [:]
  /// Every object that the log has defined and not removed, reachable or not.
  public internal(set) var objects = ObjectTable()
  /// Grows whenever a name that ``path(of:)`` gave may be wrong by now, or an object that had none but its number has come
  /// into a place. An object that the last event defined is no reason, and neither is an object without references that
  /// has lost its place: only its own name is wrong then, see ``nameVersion(of:)``.
  package internal(set) var shapeVersion: UInt64 = 0 {
    didSet { routeVersion &+= 1 }
  }
  /// Grows whenever a path may lead to another place, or a ``Spot`` to another value, which is more often.
  @usableFromInline package internal(set) var routeVersion: UInt64 = 0
  /// The objects that the last event defined.
  package internal(set) var newObjects: [ObjectID] = []
  /// The objects that were held before the last event and are not after it.
  package internal(set) var releasedObjects: [ObjectID] = []

  var nextObjectNumber: UInt64 = 1
  /// The names of the fields of the last object of each type, with no values.
  var layouts: [ExactString: NamedValues<Value>] = [:]
  /// How many events were applied.
  var eventCount: UInt64 = 0
  /// Whether to find ids that more than one element has. A session reports them; readers of logs do not need them.
  package var findsDuplicateIDs = false
  /// The ids found so far.
  package internal(set) var duplicateIDs: Set<DuplicateID> = []

  /// Creates the state before the first event.
  public init() {}

  /// The value at a place, or nil where there is none. Cost: linear in the depth of the path.
  public func value(at path: Path) -> Value? {
    switch resolve(path, withCrossed: false) {
    case .place(let place, _): value(at: place)
    case .missing(_, _, let rest): rest.last == .exists ? .bool(false) : nil
    }
  }

  /// The value of a property; nil where the object or the property is not there. Cost: two hashes.
  package func value(of property: String, in object: ObjectID) -> Value? {
    objects.entry(of: object).flatMap { objects[entry: $0].fields[property] }
  }

  /// The id after the highest so far; the highest possible one may be taken.
  package var freeObjectID: ObjectID { ObjectID(nextObjectNumber) }
}

// MARK: Where paths lead

extension State {
  /// Finds the place that a path names, following references. Cost: linear in the depth.
  ///
  /// - Parameter withCrossed: Whether the places that were crossed are asked for; without, there are none.
  package func resolve(_ path: Path, withCrossed: Bool = true) -> Resolution {
    switch path.root {
    case .named(let name):
      guard !path.components.isEmpty, let id = roots[name] else {
        let place = Place(owner: .roots, steps: [.name(name)])
        return path.components.isEmpty
          ? .place(place, crossed: [])
          : .missing(container: place, crossed: [], rest: path.components[...])
      }
      if path.components == [.exists] {
        // Whether the root exists does not depend on its object.
        return .place(Place(owner: .roots, steps: [.name(name), .aspect(.exists)]), crossed: [])
      }
      let crossed = withCrossed ? [Place(owner: .roots, steps: [.name(name)])] : []
      return resolve(path.components[...], in: id, crossed: crossed, withCrossed: withCrossed)
    case .object(let id):
      guard objects.contains(id) else {
        let nowhere = Place(owner: .object(id), steps: [])
        return .missing(container: nowhere, crossed: [], rest: path.components[...])
      }
      return resolve(path.components[...], in: id, withCrossed: withCrossed)
    }
  }

  /// Finds the place that a path names from an object on.
  package func resolve(
    _ components: ArraySlice<PathComponent>, in object: ObjectID, crossed: [Place] = [],
    withCrossed: Bool = true
  ) -> Resolution {
    if let place = placeAtOnce(components, in: object) { return .place(place, crossed: crossed) }
    var crossed = crossed
    let reach = follow(components, in: object) { reach in
      if withCrossed { crossed.append(reach.place(by: components)) }
    }
    var place = reach.place(by: components)
    guard reach.end < components.endIndex else { return .place(place, crossed: crossed) }
    let (next, isLast) = (components[reach.end], reach.end == components.endIndex - 1)
    if isLast, next.isAspect {
      place.steps.append(.aspect(next))
      return .place(place, crossed: crossed)
    }
    guard let name = next.name, hasMembers(reach) else {
      return .missing(container: place, crossed: crossed, rest: components[reach.end...])
    }
    place.steps.append(.name(name))
    return isLast
      ? .place(place, crossed: crossed)
      : .missing(container: place, crossed: crossed, rest: components[(reach.end + 1)...])
  }

  /// The place that one or two steps from an object lead to, as those of most paths do, where no more need be looked at
  /// than the property; nil for all others.
  private func placeAtOnce(_ components: ArraySlice<PathComponent>, in object: ObjectID) -> Place? {
    guard let property = components.first?.name else { return nil }
    if components.count == 1 { return Place(owner: .object(object), steps: [.name(property)]) }
    guard components.count == 2, let entry = objects.entry(of: object),
      let field = objects[entry: entry].fields.index(forKey: property)
    else { return nil }
    switch (objects[entry: entry].fields.values[field], components[components.startIndex + 1]) {
    case (.map, .property(let name)), (.map, .key(let name)):
      return Place(owner: .object(object), steps: [.name(property), .name(name)])
    case (.array(let elements), .index(let index)) where elements.indices.contains(index):
      return Place(owner: .object(object), steps: [.name(property), .element(index: index, id: nil)])
    default: return nil
    }
  }

  /// How far the steps of a path lead.
  fileprivate struct Reach {
    /// The object that they lead into.
    var object: ObjectID
    /// What they lead to in it; nil if it is not defined.
    var spot: Spot?
    /// The steps within the object.
    var start: Int
    var end: Int

    /// The place that was reached by steps of a path.
    func place(by components: ArraySlice<PathComponent>) -> Place {
      var steps: [Place.Step] = []
      // Often there is one more.
      steps.reserveCapacity(end - start + 1)
      for position in start..<end {
        switch components[position] {
        case .property(let name), .key(let name): steps.append(.name(name))
        case .index(let index): steps.append(.element(index: index, id: nil))
        case .id(let id):
          steps.append(.element(index: spot?.position(at: position - start + 1) ?? 0, id: id))
        case .count, .order, .exists: break
        }
      }
      return Place(owner: .object(object), steps: steps)
    }
  }

  /// Follows the steps of a path from an object on, as far as something is there, and gives each reference that is
  /// crossed.
  private func follow(
    _ components: ArraySlice<PathComponent>, in object: ObjectID, _ crossing: (Reach) -> Void
  ) -> Reach {
    var reach = Reach(
      object: object, spot: spot(of: object), start: components.startIndex, end: components.startIndex)
    var value: Value?
    for position in components.indices {
      if case .reference(let id)? = value, components[position] != .exists {
        crossing(reach)
        reach = Reach(object: id, spot: spot(of: id), start: position, end: position)
        value = nil
      }
      guard let spot = reach.spot, let below = step(components[position], below: spot, with: value) else {
        break
      }
      (reach.spot, value) = (below.spot, below.value)
      reach.end = position + 1
    }
    return reach
  }

  /// The object that the steps of a path from an object on lead into, and the steps within that, whether or not
  /// something is there.
  func owner(
    of components: [PathComponent], in object: ObjectID
  ) -> (object: ObjectID, steps: ArraySlice<PathComponent>) {
    // What the last step leads to is not asked for, so an element that it names by id is not searched.
    guard let last = components.last else { return (object, []) }
    let reach = follow(components.dropLast(), in: object) { _ in }
    guard reach.end == components.count - 1, last != .exists, let spot = reach.spot,
      let next = reference(at: spot)
    else { return (reach.object, components[reach.start...]) }
    return (next, components[reach.end...])
  }

  /// Whether what was reached can have members with names.
  private func hasMembers(_ reach: Reach) -> Bool {
    guard let spot = reach.spot, spot.depth > 0 else { return true }
    if case .map? = value(at: spot) { return true }
    return false
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
      guard let entry = objects.entry(of: id) else { return nil }
      guard let step = steps.popFirst() else { return .map(objects[entry: entry].fields) }
      switch step {
      case .name(let name): value = objects[entry: entry].fields[name]
      case .aspect(let aspect): return project(.map(objects[entry: entry].fields), aspect)
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
  /// The member's name, for a property and a key alike.
  var name: String? {
    switch self {
    case .property(let name), .key(let name): name
    default: nil
    }
  }
}

// MARK: What an event would change

extension State {
  /// Whether applying this event now would leave every value as it is, judged by the values alone.
  ///
  /// A session decides by the app's own equality and records the result in the event; this is for logs that leave it
  /// out. Cost: linear in the size of the values compared.
  public func wouldStaySame(_ body: Event.Body) -> Bool {
    switch body {
    case .set(let path, let value, _):
      guard case .place(let place, _) = resolve(path, withCrossed: false) else { return false }
      return self.value(at: place) == value
    case .remove(let path, _):
      return value(at: path) == nil
    case .splice(let path, let offset, let delete, let insert, _):
      switch (value(at: path), insert) {
      case (.string(let text)?, .string(let inserted)):
        return text.utf8.part(offset, delete)?.elementsEqual(inserted.utf8) ?? false
      case (.array(let elements)?, .array(let inserted)):
        return elements.part(offset, delete)?.elementsEqual(inserted) ?? false
      default:
        return false
      }
    default:
      return false
    }
  }
}

extension Collection {
  /// `count` elements from an offset on; nil if there are fewer. Both may be any number in a log.
  fileprivate func part(_ offset: Int, _ count: Int) -> SubSequence? {
    guard offset >= 0, offset <= self.count, count >= 0, count <= self.count - offset else { return nil }
    return dropFirst(offset).prefix(count)
  }
}
