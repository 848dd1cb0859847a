extension State {
  /// The location that an event writes. Creates its root if the event may do so.
  ///
  /// - Parameter known: The location that the path leads to, if the caller knows it.
  mutating func writableLocation(_ path: Path, _ known: NamedLocation?, creatingRoot: Bool) throws(StateError)
    -> NamedLocation
  {
    guard path.components.count <= Path.maximumDepth else {
      throw StateError(path, "a path may have at most \(Path.maximumDepth) steps")
    }
    if creatingRoot, makesRoot(path), case .named(let name) = path.root {
      guard !objects.contains(freeObjectID) else {
        throw StateError(path, "no number is free for the object of a new root; set it to an object first")
      }
      let location = NamedLocation(owner: .roots, steps: [.name(name)])
      let id = define(type: "", fields: [:], home: location)
      roots[name] = id
      countReferences(from: nil, to: .reference(id), at: location)
      routeVersion &+= 1
    }
    indexIdentities(on: path)
    switch known.map({ .location($0, crossed: []) }) ?? resolve(path, withCrossed: false) {
    case .location(let location, _):
      if case .aspect? = location.steps.last {
        throw StateError(path, "an aspect can be read but not written")
      }
      if location.steps.isEmpty { throw StateError(path, "an object cannot be set by its number") }
      return location
    case .missing(let container, _, let rest):
      throw StateError(path, missingReason(container, rest))
    }
  }

  /// Whether an event creates a root without defining its object, which then gets the id after the highest so
  /// far.
  package func makesRoot(_ body: Event.Body) -> Bool {
    guard case .set(let path, let value, _) = body else { return false }
    if path.components.isEmpty, case .named = path.root, case .map = value { return true }
    return makesRoot(path)
  }

  /// Whether a set of a property creates its root.
  private func makesRoot(_ path: Path) -> Bool {
    guard path.components.count == 1, case .named(let name) = path.root else { return false }
    return roots[name] == nil && path.components[0].name != nil
  }

  private func missingReason(_ container: NamedLocation, _ rest: ArraySlice<PathComponent>) -> String {
    switch (value(at: container), rest.first) {
    case (.array(let elements)?, .index(let index)?):
      "index \(index) is out of range 0..<\(elements.count); insert elements with a splice"
    case (.array?, .id(let id)?): "no element has the id \(id); insert elements with a splice"
    case (nil, _): "its parent does not exist; set the parent first"
    default: "its parent cannot hold it; set the parent first"
    }
  }

  /// Builds the indexes of the arrays on a path that names elements by id, before they are searched.
  package mutating func indexIdentities(on path: Path) {
    guard let last = path.components.lastIndex(where: { if case .id = $0 { true } else { false } }) else {
      return
    }
    _ = indexedLocation(of: path.root, path.components[...last])
  }

  /// Replaces the objects that a value defines by references, and checks the references in it.
  ///
  /// - Parameter mayHold: Set to true if the value has references, so that they need not be searched for
  ///   again.
  mutating func adopt(
    _ value: Value, at location: @autoclosure () -> NamedLocation, _ path: Path, _ mayHold: inout Bool
  ) throws(StateError) -> Value {
    switch value {
    case .object(let definition):
      mayHold = true
      guard !objects.contains(definition.id) else {
        throw StateError(path, "the object \(definition.id) is already defined; refer to it instead")
      }
      var fields = sharingKeys(definition.fields, type: definition.type)
      guard fields.values.contains(where: \.mayHoldObjects) else {
        define(definition.id, type: definition.type, fields: fields, home: location())
        return .reference(definition.id)
      }
      // The id is taken before the fields are adopted, because they may refer back to the object.
      define(definition.id, type: definition.type, fields: [:], home: location())
      for position in definition.fields.values.indices {
        let field = definition.fields[valueAt: position]
        guard field.mayHoldObjects else { continue }
        fields[valueAt: position] = try adopt(
          field,
          at: NamedLocation(owner: .object(definition.id), steps: [.name(definition.fields[position].key)]),
          path,
          &mayHold)
      }
      objects.change(definition.id) { $0.replaceFields(by: fields) }
      holdFields(fields, of: definition.id)
      return .reference(definition.id)
    case .reference(let id):
      mayHold = true
      guard let entry = objects.entry(of: id) else {
        throw StateError(path, "the object \(id) is not defined before its use")
      }
      // If this event has already given the object a home, the value there is not written yet, so the home is
      // kept.
      if objects[entry: entry].homeEvent != eventCount, !isHome(of: id) {
        // It may have been named by its number until now.
        if objects[entry: entry].holders.isEmpty { shapeVersion += 1 }
        objects[entry: entry].home = location()
        objects[entry: entry].homeEvent = eventCount
      }
      return value
    case .array(let elements):
      guard elements.contains(where: \.mayHoldObjects) else { return value }
      var adopted: [Value] = []
      adopted.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        adopted.append(
          try adopt(element, at: location().below(.element(index: index, id: nil)), path, &mayHold))
      }
      return .array(adopted)
    case .map(let fields):
      guard fields.values.contains(where: \.mayHoldObjects) else { return value }
      var adopted = fields
      for position in fields.values.indices {
        adopted.values[position] = try adopt(
          fields[valueAt: position], at: location().below(.name(fields[position].key)), path, &mayHold)
      }
      return .map(adopted)
    default:
      return value
    }
  }

  /// Counts the references in the fields that an object was given. If none of them is a container or a
  /// reference, this costs one check for each field.
  private mutating func holdFields(_ fields: NamedValues<Value>, of id: ObjectID) {
    for position in fields.values.indices where fields[valueAt: position].mayHoldObjects {
      let location = NamedLocation(owner: .object(id), steps: [.name(fields[position].key)])
      countReferences(from: nil, to: fields[valueAt: position], at: location)
    }
  }

  /// The same fields with the list of names shared among objects of the type, so that a hundred thousand rows
  /// do not keep a hundred thousand copies of it.
  private mutating func sharingKeys(
    _ fields: NamedValues<Value>, type: String
  ) -> NamedValues<Value> {
    guard var shared = layouts[type], shared.hasSameNames(as: fields)
    else {
      var layout = fields
      for position in layout.values.indices { layout.values[position] = .null }
      layouts[type] = layout
      return fields
    }
    if shared.sharesNames(with: fields) { return fields }
    for position in fields.values.indices { shared[valueAt: position] = fields[valueAt: position] }
    return shared
  }

  @discardableResult
  mutating func define(
    _ id: ObjectID? = nil, type: String, fields: NamedValues<Value>, home: NamedLocation?
  ) -> ObjectID {
    let id = id ?? freeObjectID
    objects.put(
      Object(type: type, fields: fields, home: home, homeEvent: home == nil ? 0 : eventCount), for: id)
    newObjects.append(id)
    // The highest number is never reused, because there is none after it.
    nextObjectNumber = max(nextObjectNumber, id.number == .max ? .max : id.number + 1)
    return id
  }

  /// Changes the value at a location without copying the values that contain it.
  mutating func modify<R>(
    _ location: NamedLocation, _ path: Path, _ body: (inout Value?) throws(StateError) -> R
  ) throws(StateError) -> R {
    guard case .object(let id) = location.owner, case .name(let name)? = location.steps.first,
      let entry = objects.entry(of: id)
    else { throw StateError(path, "its parent does not exist; set the parent first") }
    return try objects[entry: entry].change(name) { value throws(StateError) in
      try Self.modify(&value, location.steps.dropFirst(), path, body)
    }
  }

  private static func modify<R>(
    _ slot: inout Value?, _ steps: ArraySlice<NamedLocation.Step>, _ path: Path,
    _ body: (inout Value?) throws(StateError) -> R
  ) throws(StateError) -> R {
    guard let step = steps.first else { return try body(&slot) }
    let below = steps.dropFirst()
    switch step {
    case .name(let name):
      guard var fields = slot.takeMap() else { break }
      defer { slot = .map(fields) }
      return try modify(&fields[name], below, path, body)
    case .element(let index, _):
      guard var elements = slot.takeArray() else { break }
      defer { slot = .array(elements) }
      guard elements.indices.contains(index) else { break }
      var element: Value? = .null
      swap(&element, &elements[asOptional: index])
      defer { elements[index] = element ?? .null }
      return try modify(&element, below, path, body)
    case .aspect:
      break
    }
    throw StateError(path, "its parent cannot hold it; set the parent first")
  }
}

extension [Value] {
  subscript(asOptional index: Int) -> Value? {
    get { self[index] }
    set { self[index] = newValue ?? .null }
  }
}

extension Value? {
  fileprivate mutating func takeMap() -> NamedValues<Value>? { self?.takeMap() }

  fileprivate mutating func takeArray() -> [Value]? { self?.takeArray() }
}

extension Value {
  /// Whether it may contain an object or a reference.
  package var mayHoldObjects: Bool {
    // A number costs no call, so that a series of them takes little.
    @inline(__always)
    get {
      switch self {
      case .null, .bool, .int, .uint, .double, .date, .string: false
      default: mayHoldObjectsWithin
      }
    }
  }

  private var mayHoldObjectsWithin: Bool {
    switch self {
    case .object, .reference: true
    case .array(let elements): elements.contains { $0.mayHoldObjects }
    case .map(let fields): fields.values.contains { $0.mayHoldObjects }
    default: false
    }
  }
}

// MARK: Objects by id

// A state is written as events that set objects by id, `set #5 = {"$object":"Episode#5",...}`: every object
// once, in any order, including cycles.
extension State {
  /// Defines an object by its id.
  ///
  /// Its fields refer to other objects by id. Those may be defined later; until then they are empty. Such an
  /// event gives no object a home; the sets that put objects in a location do.
  mutating func define(_ id: ObjectID, as value: Value, _ path: Path) throws(StateError) -> Effect {
    guard case .object(let definition) = value, definition.id == id, id.number >= 1 else {
      throw StateError(path, "an object can be set by its number only to its own definition")
    }
    guard objects[id]?.isUndefined ?? true else {
      throw StateError(path, "the object \(id) is already defined; set its properties instead")
    }
    for field in definition.fields.values where field.definesObjects {
      throw StateError(path, "a definition by number refers to other objects, and defines none")
    }
    let before = objects[id].map { Value.map($0.fields) }
    let (home, holders) = (objects[id]?.home, objects[id]?.holders ?? Holders())
    let fields = sharingKeys(definition.fields, type: definition.type)
    define(id, type: definition.type, fields: fields, home: home)
    objects.change(id) { $0.holders = holders }
    for field in definition.fields.values { awaitReferences(in: field) }
    holdFields(fields, of: id)
    // The object may be an element of an array, and may have an id from now on.
    forgetIdentities(ofArraysWith: id)
    findDuplicateIDsInNewObjects()
    if before == nil { routeVersion &+= 1 } else { shapeVersion += 1 }
    return .replaced(
      NamedLocation(owner: .object(id), steps: []), before: before, after: .map(definition.fields))
  }

  /// Creates empty objects for the ids that a value refers to and that are not defined yet.
  private mutating func awaitReferences(in value: Value) {
    switch value {
    case .reference(let id):
      guard let object = objects[id] else {
        define(id, type: "", fields: [:], home: nil)
        return
      }
      // It may have been named by its number until now.
      if object.holders.isEmpty { shapeVersion += 1 }
    case .array(let elements): for element in elements { awaitReferences(in: element) }
    case .map(let fields): for field in fields.values { awaitReferences(in: field) }
    default: break
    }
  }
}

extension State.Object {
  /// Whether the object has been referred to but not defined. A state that is written as events and read
  /// again has the same undefined objects.
  fileprivate var isUndefined: Bool { type.isEmpty && fields.isEmpty }
}

extension Value {
  /// Whether it contains the definition of an object.
  package var definesObjects: Bool {
    switch self {
    case .object: true
    case .array(let elements): elements.contains(where: \.definesObjects)
    case .map(let fields): fields.values.contains(where: \.definesObjects)
    default: false
    }
  }
}
