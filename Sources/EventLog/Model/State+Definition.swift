// A set of an object by its number, `set #5 = {"$object":"Episode#5",...}`, is how a state is written down as
// events: every object once, in any order, cycles and all.

extension State {
  /// Defines an object by its number.
  ///
  /// Its fields refer to other objects by number, and may do so before those are defined: until then such an object
  /// is empty. Nothing is named by a place in such an event; the sets that put objects somewhere do that.
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
    let home = objects[id]?.home
    define(
      id, type: definition.type, fields: sharingKeys(definition.fields, type: definition.type), home: home)
    for field in definition.fields.values { awaitReferences(in: field) }
    identityIndexes.removeAll()
    findDuplicateIDsInNewObjects()
    shapeVersion += 1
    return .replaced(
      Place(owner: .object(id), steps: []), before: before, after: .map(definition.fields))
  }

  /// Makes the objects that a value refers to, empty where they are not defined yet.
  private mutating func awaitReferences(in value: Value) {
    switch value {
    case .reference(let id):
      if objects[id] == nil { define(id, type: "", fields: [:], home: nil) }
    case .array(let elements): for element in elements { awaitReferences(in: element) }
    case .map(let fields): for field in fields.values { awaitReferences(in: field) }
    default: break
    }
  }
}

extension State.Object {
  /// Whether nothing is known of it yet, as of an object that was only referred to. A state that is written down and read
  /// again has the same objects of this kind.
  fileprivate var isUndefined: Bool { type.isEmpty && fields.isEmpty }
}

extension Value {
  /// Whether an object is defined somewhere in it.
  fileprivate var definesObjects: Bool {
    switch self {
    case .object: true
    case .array(let elements): elements.contains(where: \.definesObjects)
    case .map(let fields): fields.values.contains(where: \.definesObjects)
    default: false
    }
  }
}
