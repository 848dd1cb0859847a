/// The app's state after some event: named roots, and the objects they lead to.
///
/// It is the fold of a log: start with an empty state and ``apply(_:)`` every event in order. Values hold
/// references to objects, never objects, so shared objects and cycles need no special handling.
public struct State: Sendable {
  /// The attached roots in order of attachment.
  public internal(set) var roots: NamedValues<ObjectID> = [:]
  /// All objects that the log has defined and not removed, whether or not a root reaches them.
  public internal(set) var objects = ObjectTable()
  /// Changes whenever a name that ``path(of:)`` gave may be outdated, or an object that was named by its
  /// number has come into a place. There are two exceptions: an object that the last event defined, and an
  /// object without references that has lost its place, since only its own name is outdated then; see
  /// ``nameVersion(of:)``.
  package internal(set) var shapeVersion: UInt64 = 0 {
    didSet { routeVersion &+= 1 }
  }
  /// Changes whenever a path may lead to another place, or a ``Location`` to another value. This includes every
  /// change of ``shapeVersion``.
  @usableFromInline package internal(set) var routeVersion: UInt64 = 0
  /// The objects that the last event defined.
  package internal(set) var newObjects: [ObjectID] = []
  /// The objects that were held before the last event and no longer are.
  package internal(set) var releasedObjects: [ObjectID] = []

  var nextObjectNumber: UInt64 = 1
  /// For each type, the field names of its last object, without values.
  var layouts: [ExactString: NamedValues<Value>] = [:]
  /// The number of events applied.
  var eventCount: UInt64 = 0
  /// What the events so far have cost beyond their own size, in bytes moved in memory: a splice moves all that
  /// lies behind it in its array or string.
  package var work: UInt64 = 0
  /// Whether to find ids that several elements of an array have. Sessions report them; readers of logs do not
  /// need them.
  package var findsDuplicateIDs = false
  /// The duplicate ids found so far.
  package internal(set) var duplicateIDs: Set<DuplicateID> = []

  /// Creates the state before the first event.
  public init() {}

  /// The value at a path, or nil if there is none. Cost: linear in the depth of the path.
  public func value(at path: Path) -> Value? {
    switch resolve(path, withCrossed: false) {
    case .location(let location, _): value(at: location)
    case .missing(_, _, let rest): rest.last == .exists ? .bool(false) : nil
    }
  }

  /// The value of a property; nil if the object or the property does not exist. Cost: two hashes.
  package func value(of property: String, in object: ObjectID) -> Value? {
    objects.entry(of: object).flatMap { objects[entry: $0].fields[property] }
  }

  /// The id after the highest so far. At the highest possible id this is that id itself, which may be in use.
  package var freeObjectID: ObjectID { ObjectID(nextObjectNumber) }
}

// MARK: Where paths lead

extension State {
  /// Finds the location that a path names, following references. Cost: linear in the depth.
  ///
  /// - Parameter withCrossed: Whether to collect the locations of the references that are crossed.
  package func resolve(_ path: Path, withCrossed: Bool = true) -> Resolution {
    switch path.root {
    case .named(let name):
      guard !path.components.isEmpty, let id = roots[name] else {
        let location = NamedLocation(owner: .roots, steps: [.name(name)])
        return path.components.isEmpty
          ? .location(location, crossed: [])
          : .missing(container: location, crossed: [], rest: path.components[...])
      }
      if path.components == [.exists] {
        // The existence of a root is not a fact about its object, so the location stays in the table of roots.
        return .location(NamedLocation(owner: .roots, steps: [.name(name), .aspect(.exists)]), crossed: [])
      }
      let crossed = withCrossed ? [NamedLocation(owner: .roots, steps: [.name(name)])] : []
      return resolve(path.components[...], in: id, crossed: crossed, withCrossed: withCrossed)
    case .object(let id):
      guard objects.contains(id) else {
        let nowhere = NamedLocation(owner: .object(id), steps: [])
        return .missing(container: nowhere, crossed: [], rest: path.components[...])
      }
      return resolve(path.components[...], in: id, withCrossed: withCrossed)
    }
  }

  /// Finds the location that steps from an object lead to.
  package func resolve(
    _ components: ArraySlice<PathComponent>, in object: ObjectID, crossed: [NamedLocation] = [],
    withCrossed: Bool = true
  ) -> Resolution {
    if let location = locateAtOnce(components, in: object) { return .location(location, crossed: crossed) }
    var crossed = crossed
    let reach = follow(components, in: object) { reach in
      if withCrossed { crossed.append(reach.namedLocation(by: components)) }
    }
    var location = reach.namedLocation(by: components)
    guard reach.end < components.endIndex else { return .location(location, crossed: crossed) }
    let (next, isLast) = (components[reach.end], reach.end == components.endIndex - 1)
    if isLast, next.isAspect {
      location.steps.append(.aspect(next))
      return .location(location, crossed: crossed)
    }
    guard let name = next.name, hasMembers(reach) else {
      return .missing(container: location, crossed: crossed, rest: components[reach.end...])
    }
    location.steps.append(.name(name))
    return isLast
      ? .location(location, crossed: crossed)
      : .missing(container: location, crossed: crossed, rest: components[(reach.end + 1)...])
  }

  /// A fast path for one or two steps that stay within a property, as most paths do; nil if the general way
  /// is needed.
  private func locateAtOnce(_ components: ArraySlice<PathComponent>, in object: ObjectID) -> NamedLocation? {
    guard let property = components.first?.name else { return nil }
    if components.count == 1 { return NamedLocation(owner: .object(object), steps: [.name(property)]) }
    guard components.count == 2, let entry = objects.entry(of: object),
      let field = objects[entry: entry].fields.index(forKey: property)
    else { return nil }
    switch (objects[entry: entry].fields[valueAt: field], components[components.startIndex + 1]) {
    case (.map, .property(let name)), (.map, .key(let name)):
      return NamedLocation(owner: .object(object), steps: [.name(property), .name(name)])
    case (.array(let elements), .index(let index)) where elements.indices.contains(index):
      return NamedLocation(owner: .object(object), steps: [.name(property), .element(index: index, id: nil)])
    default: return nil
    }
  }

  /// How far the steps of a path could be followed.
  fileprivate struct Reach {
    /// The object that they lead into.
    var object: ObjectID
    /// The location in that object; nil if the object is not defined.
    var location: Location?
    /// The index of the first step within the object.
    var start: Int
    var end: Int

    /// The location that was reached by these steps.
    func namedLocation(by components: ArraySlice<PathComponent>) -> NamedLocation {
      var steps: [NamedLocation.Step] = []
      // Room for one more step, which often follows.
      steps.reserveCapacity(end - start + 1)
      for position in start..<end {
        switch components[position] {
        case .property(let name), .key(let name): steps.append(.name(name))
        case .index(let index): steps.append(.element(index: index, id: nil))
        case .id(let id):
          steps.append(.element(index: location?.position(at: position - start + 1) ?? 0, id: id))
        case .count, .order, .exists: break
        }
      }
      return NamedLocation(owner: .object(object), steps: steps)
    }
  }

  /// Follows the steps of a path from an object, as far as there are values, and calls `crossing` for each
  /// reference that it crosses.
  private func follow(
    _ components: ArraySlice<PathComponent>, in object: ObjectID, _ crossing: (Reach) -> Void
  ) -> Reach {
    var reach = Reach(
      object: object, location: location(of: object), start: components.startIndex, end: components.startIndex
    )
    var value: Value?
    for position in components.indices {
      if case .reference(let id)? = value, components[position] != .exists {
        crossing(reach)
        reach = Reach(object: id, location: location(of: id), start: position, end: position)
        value = nil
      }
      guard let location = reach.location,
        let below = step(components[position], below: location, with: value)
      else {
        break
      }
      (reach.location, value) = (below.location, below.value)
      reach.end = position + 1
    }
    return reach
  }

  /// The object that the steps of a path lead into, and the steps within that object. Nothing need be there.
  func owner(
    of components: [PathComponent], in object: ObjectID
  ) -> (object: ObjectID, steps: ArraySlice<PathComponent>) {
    // The value at the last step is not needed, so an array is not searched for an element that this step
    // names by id.
    guard let last = components.last else { return (object, []) }
    let reach = follow(components.dropLast(), in: object) { _ in }
    guard reach.end == components.count - 1, last != .exists, let location = reach.location,
      let next = reference(at: location)
    else { return (reach.object, components[reach.start...]) }
    return (next, components[reach.end...])
  }

  /// Whether the value that was reached can have named members.
  private func hasMembers(_ reach: Reach) -> Bool {
    guard let location = reach.location, location.depth > 0 else { return true }
    if case .map? = value(at: location) { return true }
    return false
  }

  /// The value at a resolved location.
  package func value(at location: NamedLocation) -> Value? {
    var steps = location.steps[...]
    var value: Value?
    switch location.owner {
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

  /// The part of a value that one step leads to, or nil. References are not followed.
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
  /// The element at an index; nil if there is none.
  package func element(at index: Int) -> Value? { indices.contains(index) ? self[index] : nil }
}

extension PathComponent {
  /// The name in a property or a key step.
  package var name: String? {
    switch self {
    case .property(let name), .key(let name): name
    default: nil
    }
  }
}

// MARK: Predicting the effect of an event

extension State {
  /// Whether applying this event now would leave every value unchanged, by equality of the recorded values.
  ///
  /// A session uses the app's own equality and records the result in the event; this is for logs without
  /// that. Cost: linear in the size of the values compared.
  public func wouldStaySame(_ body: Event.Body) -> Bool {
    switch body {
    case .set(let path, let value, _):
      guard case .location(let location, _) = resolve(path, withCrossed: false) else { return false }
      return self.value(at: location) == value
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
  /// `count` elements from an offset; nil if there are fewer. Both numbers come from a log and may be any.
  fileprivate func part(_ offset: Int, _ count: Int) -> SubSequence? {
    guard offset >= 0, offset <= self.count, count >= 0, count <= self.count - offset else { return nil }
    return dropFirst(offset).prefix(count)
  }
}
