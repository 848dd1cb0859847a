// As of b942364. An oracle: not to be mended.

import EventLog

/// What an event did to the state.
enum Effect: Sendable {
  /// The event does not touch the state.
  case none
  /// The value at a place was replaced; nil if there was or is none. References stand for objects.
  case replaced(Place, before: Value?, after: Value?)
  /// Elements of the array at a place were replaced.
  case spliced(Place, offset: Int, removed: [Value], inserted: [Value])
  /// A part of the string at a place was replaced.
  case edited(Place, removed: String, inserted: String)
  /// There was nothing to remove; the place is the deepest one on the path that exists.
  case missed(Place)

  /// Whether it changed a value.
  var hasChangedValues: Bool {
    switch self {
    case .none, .missed: false
    case .replaced(_, let before, let after): before != after
    case .spliced(_, _, let removed, let inserted): removed != inserted
    case .edited(_, let removed, let inserted): !removed.utf8.elementsEqual(inserted.utf8)
    }
  }
}

extension State {
  /// Applies one event. On an error the state is unchanged, except that objects which the event defined remain.
  ///
  /// Cost: the depth of the path plus the size of the edit.
  @discardableResult
  mutating func apply(_ body: Event.Body) throws(StateError) -> Effect {
    newObjects.removeAll(keepingCapacity: true)
    eventCount += 1
    return switch body {
    case .set(let path, let value, _): try set(path, to: value)
    case .splice(let path, let offset, let delete, let insert, _):
      try splice(path, offset: offset, delete: delete, insert: insert)
    case .remove(let path, _): try remove(path)
    default: .none
    }
  }

  /// Applies one event. Throws a ``StateError`` if it does not fit the state.
  mutating func apply(_ event: Event) throws(StateError) { try apply(event.body) }

  private mutating func set(_ path: Path, to value: Value) throws(StateError) -> Effect {
    if case .object(let id) = path.root, path.components.isEmpty { return try define(id, as: value, path) }
    let place = try writablePlace(path, creatingRoot: true)
    guard place.owner != .roots else { return try setRoot(path, place, to: value) }
    let value = try adopt(value, at: place, path)
    let before = try modify(place, path) { slot in
      let before = slot
      slot = value
      return before
    }
    noteReplaced(before, by: value, at: place)
    if findsDuplicateIDs { findDuplicateIDs(afterSetting: place, to: value) }
    return .replaced(place, before: before, after: value)
  }

  /// A root is an object: a set of it takes an object, a reference to one, or a map as an untyped object.
  private mutating func setRoot(_ path: Path, _ place: Place, to value: Value) throws(StateError) -> Effect {
    guard case .named(let name) = path.root else { return .none }
    let adopted: Value
    switch value {
    case .map(let fields):
      adopted = try adopt(
        .object(ObjectDefinition(id: freeObjectID, type: "", fields: fields)), at: place, path)
    default:
      adopted = try adopt(value, at: place, path)
    }
    guard case .reference(let id) = adopted else {
      throw StateError(path, "a root must be an object; set \(path).property instead")
    }
    let before = roots.updateValue(id, forKey: name).map { Value.reference($0) }
    findDuplicateIDsInNewObjects()
    shapeVersion += 1
    return .replaced(place, before: before, after: adopted)
  }

  private mutating func remove(_ path: Path) throws(StateError) -> Effect {
    if path.components.isEmpty, case .object(let id) = path.root { return try forget(id, path) }
    if path.components.last?.isAspect == true { throw StateError(path, "an aspect cannot be removed") }
    let place: Place
    switch resolve(path) {
    case .place(let found, _): place = found
    case .missing(let container, _, _): return .missed(container)
    }
    if place.owner == .roots {
      guard case .named(let name) = path.root else { return .none }
      let id = roots.removeValue(forKey: name)
      if id != nil { shapeVersion += 1 }
      return .replaced(place, before: id.map { .reference($0) }, after: nil)
    }
    if case .element(let index, _)? = place.steps.last {
      var array = place
      array.steps.removeLast()
      return try spliceArray(array, path, offset: index, delete: 1, insert: [])
    }
    let before = try modify(place, path) { slot in
      defer { slot = nil }
      return slot
    }
    noteReplaced(before, by: nil, at: place)
    return .replaced(place, before: before, after: nil)
  }

  /// Removes an object that nothing refers to, which a search of the whole state finds. The former core could not; logs
  /// have such events since.
  private mutating func forget(_ id: ObjectID, _ path: Path) throws(StateError) -> Effect {
    guard let object = objects[id] else {
      throw StateError(path, "the object \(id) is not there, so it cannot be removed")
    }
    let isHeld = objects.values.contains { $0.fields.values.contains { $0.refers(to: id) } }
    if isHeld || roots.values.contains(id) {
      throw StateError(path, "the object \(id) is still referred to; remove the references first")
    }
    objects[id] = nil
    identityIndexes = identityIndexes.filter { $0.key.object != id }
    shapeVersion += 1
    return .replaced(Place(owner: .object(id), steps: []), before: .map(object.fields), after: nil)
  }

  private mutating func splice(
    _ path: Path, offset: Int, delete: Int, insert: Value
  ) throws(StateError) -> Effect {
    let place = try writablePlace(path, creatingRoot: false)
    switch insert {
    case .string(let text):
      return try spliceString(place, path, offset: offset, delete: delete, insert: text)
    case .array(let elements):
      return try spliceArray(place, path, offset: offset, delete: delete, insert: elements)
    default:
      throw StateError(path, "a splice inserts a string into a string or an array into an array")
    }
  }

  private mutating func spliceString(
    _ place: Place, _ path: Path, offset: Int, delete: Int, insert: String
  ) throws(StateError) -> Effect {
    let removed = try modify(place, path) { slot throws(StateError) in
      guard case .string(var text)? = slot else { throw StateError(path, "there is no string to splice") }
      slot = .null
      defer { slot = .string(text) }
      return try text.replaceUTF8(offset: offset, delete: delete, with: insert, path)
    }
    if place.isID { noteChangedID(at: place) }
    return .edited(place, removed: removed, inserted: insert)
  }

  private mutating func spliceArray(
    _ place: Place, _ path: Path, offset: Int, delete: Int, insert: [Value]
  ) throws(StateError) -> Effect {
    guard case .array(let current)? = value(at: place) else {
      throw StateError(path, "there is no array to splice")
    }
    let count = current.count
    guard offset >= 0, offset <= count, delete >= 0, delete <= count - offset else {
      throw StateError(path, "offset \(offset) and delete \(delete) do not fit an array of \(count)")
    }
    var inserted: [Value] = []
    inserted.reserveCapacity(insert.count)
    for (position, element) in insert.enumerated() {
      var elementPlace = place
      elementPlace.steps.append(.element(index: offset + position, id: nil))
      inserted.append(try adopt(element, at: elementPlace, path))
    }
    findDuplicateIDs(of: inserted, replacing: offset..<(offset + delete), in: place)
    let removed = try modify(place, path) { slot -> [Value] in
      guard case .array(var elements)? = slot else { return [] }
      slot = .null
      defer { slot = .array(elements) }
      let range = offset..<(offset + delete)
      let removed = Array(elements[range])
      elements.replaceSubrange(range, with: inserted)
      return removed
    }
    reindexIdentities(at: place, offset: offset, removed: removed, inserted: inserted, of: count)
    shapeVersion += 1
    return .spliced(place, offset: offset, removed: removed, inserted: inserted)
  }

  /// Updates what is derived from the shape of the state after a replacement.
  private mutating func noteReplaced(_ before: Value?, by after: Value?, at place: Place) {
    switch (before, after) {
    case (.reference(let a), .reference(let b)) where a == b: return
    case (nil, .reference): routeVersion &+= 1
    case (.reference, _), (.array, _), (.map, _), (_, .reference), (_, .array), (_, .map): shapeVersion += 1
    default: break
    }
    if place.isID { noteChangedID(at: place) } else { forgetIdentities(around: place) }
  }

  /// Notes that paths that name an element by its id may lead elsewhere now.
  private mutating func noteChangedID(at place: Place) {
    shapeVersion += 1
    forgetIdentities(around: place)
  }
}

extension Place {
  /// Whether the place holds an `id`, by which paths may name an element of an array.
  var isID: Bool { steps.last == .name("id") }
}

extension String {
  /// Replaces bytes of the UTF-8 form and returns them; both ends must lie between Unicode scalars.
  fileprivate mutating func replaceUTF8(
    offset: Int, delete: Int, with insert: String, _ path: Path
  ) throws(StateError) -> String {
    let bytes = utf8
    let count = bytes.count
    guard offset >= 0, offset <= count, delete >= 0, delete <= count - offset else {
      throw StateError(path, "offset \(offset) and delete \(delete) do not fit a string of \(count) bytes")
    }
    let start = bytes.index(bytes.startIndex, offsetBy: offset)
    let end = bytes.index(start, offsetBy: delete)
    guard start.samePosition(in: unicodeScalars) != nil, end.samePosition(in: unicodeScalars) != nil else {
      throw StateError(path, "offset \(offset) or the end of the deletion splits a character")
    }
    let removed = String(self[start..<end])
    replaceSubrange(start..<end, with: insert)
    return removed
  }
}

extension Value {
  /// Whether a reference to an object stands somewhere in it.
  fileprivate func refers(to id: ObjectID) -> Bool {
    switch self {
    case .reference(id): true
    case .array(let elements): elements.contains { $0.refers(to: id) }
    case .map(let fields): fields.values.contains { $0.refers(to: id) }
    default: false
    }
  }
}
