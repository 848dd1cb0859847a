/// Why an event does not fit the state it is applied to.
public struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path in the event, if it has one.
  public var path: Path?
  /// What is wrong and what to do about it, in one sentence.
  public var reason: String
  /// Whether the event may fit, but takes more than ``ReadLimits`` allow.
  package internal(set) var isOverLimit = false

  package init(_ path: Path?, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The path and the reason.
  public var description: String { path.map { "\($0): \(reason)" } ?? reason }
}

/// How an event changed the state.
package enum Effect: Sendable {
  /// The event does not write to the state.
  case none
  /// The value at a location was replaced; nil stands for no value. References stand for objects.
  case replaced(NamedLocation, before: Value?, after: Value?)
  /// Elements of the array at a location were replaced.
  case spliced(NamedLocation, offset: Int, removed: [Value], inserted: [Value])
  /// A part of the string at a location was replaced.
  case edited(NamedLocation, removed: String, inserted: String)
  /// There was nothing to remove; the location is the deepest one on the path that exists.
  case missed(NamedLocation)
}

extension State {
  /// Applies one event. On an error the state is unchanged, except that objects which the event defined
  /// remain.
  ///
  /// An event may write a part of a value that was too large for its event. This part is not known, so the whole
  /// value becomes another one that is not known.
  ///
  /// - Parameter location: The location that the event's path leads to in the present state, if the caller knows
  ///   it.
  ///
  /// Cost: the depth of the path plus the size of the edit.
  @discardableResult
  package mutating func apply(_ body: Event.Body, at location: NamedLocation? = nil) throws(StateError)
    -> Effect
  {
    newObjects.removeEach()
    releasedObjects.removeEach()
    eventCount += 1
    do throws(StateError) {
      return switch body {
      case .set(let path, let value, _): try set(path, to: value, location)
      case .splice(let path, let offset, let delete, let insert, _):
        try splice(path, offset: offset, delete: delete, insert: insert, location)
      case .remove(let path, _): try remove(path, location)
      default: .none
      }
    } catch {
      guard let effect = try changeUnknownPart(body) else { throw error }
      return effect
    }
  }

  /// Applies an event that writes a part of a value that was too large; nil for any other event. Objects that
  /// the event defines exist from then on, because later events may name them.
  private mutating func changeUnknownPart(_ body: Event.Body) throws(StateError) -> Effect? {
    guard let path = body.writtenPath, path.components.count <= Path.maximumDepth,
      path.components.last?.isAspect != true
    else { return nil }
    let location: NamedLocation
    switch resolve(path, withCrossed: false) {
    case .location(let found, _): location = found
    case .missing(let container, _, _): location = container
    }
    guard let before = value(at: location), before.isTooLarge else { return nil }
    switch body {
    case .set(_, let value, _), .splice(_, _, _, let value, _):
      var mayHold = false
      _ = try adopt(value, at: location, path, &mayHold)
    default: break
    }
    let after = before.tooLargeAfterChange()
    try modify(location, path) { $0 = after }
    applyReplacement(before, by: after, mayHold: false, at: location)
    return .replaced(location, before: before, after: after)
  }

  /// Applies one event. Throws a ``StateError`` if it does not fit the state.
  public mutating func apply(_ event: Event) throws(StateError) { try apply(event.body) }

  private mutating func set(_ path: Path, to value: Value, _ known: NamedLocation?) throws(StateError)
    -> Effect
  {
    if case .object(let id) = path.root, path.components.isEmpty { return try define(id, as: value, path) }
    let location = try writableLocation(path, known, creatingRoot: true)
    guard location.owner != .roots else { return try setRoot(path, location, to: value) }
    var mayHold = false
    let value = try adopt(value, at: location, path, &mayHold)
    let before = try modify(location, path) { slot in
      let before = slot
      slot = value
      return before
    }
    applyReplacement(before, by: value, mayHold: mayHold, at: location)
    if findsDuplicateIDs { findDuplicateIDs(afterSetting: location, to: value) }
    return .replaced(location, before: before, after: value)
  }

  /// Sets a root, which must be an object: the value is an object, a reference to one, or a map, which
  /// becomes an untyped object.
  private mutating func setRoot(_ path: Path, _ location: NamedLocation, to value: Value) throws(StateError)
    -> Effect
  {
    guard case .named(let name) = path.root else { return .none }
    let adopted: Value
    var mayHold = false
    switch value {
    case .map(let fields):
      adopted = try adopt(
        .object(ObjectDefinition(id: freeObjectID, type: "", fields: fields)), at: location, path, &mayHold)
    default:
      adopted = try adopt(value, at: location, path, &mayHold)
    }
    guard case .reference(let id) = adopted else {
      throw StateError(path, "a root must be an object; set \(path).property instead")
    }
    let before = roots.updateValue(id, forKey: name).map { Value.reference($0) }
    findDuplicateIDsInNewObjects()
    applyRoot(location, from: before, to: adopted)
    return .replaced(location, before: before, after: adopted)
  }

  private mutating func remove(_ path: Path, _ known: NamedLocation?) throws(StateError) -> Effect {
    if path.components.isEmpty, case .object(let id) = path.root { return try forget(id, path) }
    if path.components.last?.isAspect == true { throw StateError(path, "an aspect cannot be removed") }
    let location: NamedLocation
    switch known.map({ .location($0, crossed: []) }) ?? resolve(path, withCrossed: false) {
    case .location(let found, _): location = found
    case .missing(let container, _, _):
      // The object does not exist, so the removal affects nothing.
      if case .object(let id) = container.owner, objects[id] == nil { return .none }
      if value(at: container)?.isTooLarge == true { throw StateError(path, "its parent is not known") }
      return .missed(container)
    }
    if location.owner == .roots {
      guard case .named(let name) = path.root else { return .none }
      let before = roots.removeValue(forKey: name).map { Value.reference($0) }
      applyRoot(location, from: before, to: nil)
      return .replaced(location, before: before, after: nil)
    }
    if case .element(let index, _)? = location.steps.last {
      var array = location
      array.steps.removeLast()
      return try spliceArray(array, path, offset: index, delete: 1, insert: [])
    }
    let before = value(at: location)
    // Before the property is removed, release the references in its value.
    applyReplacement(before, by: nil, mayHold: false, at: location)
    try modify(location, path) { $0 = nil }
    // The properties after the removed one have moved.
    if before != nil { routeVersion &+= 1 }
    return .replaced(location, before: before, after: nil)
  }

  private mutating func splice(
    _ path: Path, offset: Int, delete: Int, insert: Value, _ known: NamedLocation?
  ) throws(StateError) -> Effect {
    let location = try writableLocation(path, known, creatingRoot: false)
    switch insert {
    case .string(let text):
      return try spliceString(location, path, offset: offset, delete: delete, insert: text)
    case .array(let elements):
      return try spliceArray(location, path, offset: offset, delete: delete, insert: elements)
    default:
      throw StateError(path, "a splice inserts a string into a string or an array into an array")
    }
  }

  private mutating func spliceString(
    _ location: NamedLocation, _ path: Path, offset: Int, delete: Int, insert: String
  ) throws(StateError) -> Effect {
    var moved = 0
    let removed = try modify(location, path) { slot throws(StateError) in
      guard var text = slot?.takeText() else { throw StateError(path, "there is no string to splice") }
      defer { slot = .string(text) }
      return try text.replaceUTF8(offset: offset, delete: delete, with: insert, path, moved: &moved)
    }
    work &+= UInt64(moved)
    if location.isID { applyChangedID(at: location) }
    return .edited(location, removed: removed, inserted: insert)
  }

  /// Replaces a part of the string at a location. Returns false and does nothing if there is no string or no such
  /// part.
  ///
  /// Paths lead where they did, as long as the property is not an `id`. Cost: that of the edit, without
  /// hashing.
  package mutating func spliceString(at location: PropertyLocation, offset: Int, delete: Int, insert: String)
    -> Bool
  {
    guard holds(location) else { return false }
    var moved = 0
    let isDone = change(at: location) { slot -> Bool? in
      guard var text = slot.takeText() else { return nil }
      defer { slot = .string(text) }
      let path = Path(root: .object(location.object))
      let removed = try? text.replaceUTF8(offset: offset, delete: delete, with: insert, path, moved: &moved)
      return removed.map { _ in true }
    }
    work &+= UInt64(moved)
    return isDone ?? false
  }

  private mutating func spliceArray(
    _ location: NamedLocation, _ path: Path, offset: Int, delete: Int, insert: [Value]
  ) throws(StateError) -> Effect {
    guard let count = arrayCount(at: location) else { throw StateError(path, "there is no array to splice") }
    guard offset >= 0, offset <= count, delete >= 0, delete <= count - offset else {
      throw StateError(path, "offset \(offset) and delete \(delete) do not fit an array of \(count)")
    }
    var inserted = insert
    var mayHold = false
    for position in insert.indices where insert[position].mayHoldObjects {
      inserted[position] = try adopt(
        insert[position], at: location.below(.element(index: offset + position, id: nil)), path, &mayHold)
    }
    findDuplicateIDs(of: inserted, replacing: offset..<(offset + delete), in: location)
    let removed = try modify(location, path) { slot -> [Value] in
      guard case .array(var elements)? = slot else { return [] }
      slot = .null
      defer { slot = .array(elements) }
      let range = offset..<(offset + delete)
      if range == elements.indices {
        // Nothing stays, as when a series is replaced, so that no element is copied.
        let removed = elements
        elements = inserted
        return removed
      }
      let removed = Array(elements[range])
      elements.replaceSubrange(range, with: inserted)
      return removed
    }
    if delete != inserted.count {
      work &+= UInt64((count - offset - delete) * MemoryLayout<Value>.stride)
    }
    reindexIdentities(at: location, offset: offset, removed: removed, inserted: inserted, of: count)
    // The elements after the splice have other indices, and an element may no longer be the first with its
    // id. An append changes no name.
    let mayRename = offset + delete < count && holdsObjects(around: location)
    countReferences(from: .array(removed), to: .array(inserted), mayHold: mayHold, at: location)
    if mayRename { shapeVersion += 1 } else { routeVersion &+= 1 }
    return .spliced(location, offset: offset, removed: removed, inserted: inserted)
  }

  /// The number of elements of the array at a location. Only the number is kept, because a second reference to
  /// the array would make the change copy it.
  private func arrayCount(at location: NamedLocation) -> Int? {
    if case .array(let elements)? = value(at: location) { elements.count } else { nil }
  }

  /// Updates what is derived from the state after a value was replaced.
  ///
  /// - Parameter mayHold: Whether the new value may contain references.
  private mutating func applyReplacement(
    _ before: Value?, by after: Value?, mayHold: Bool, at location: NamedLocation
  ) {
    if case .reference(let a)? = before, case .reference(let b)? = after, a == b { return }
    if before?.isScalar ?? true, after?.isScalar ?? true {
      if location.isID {
        applyChangedID(at: location)
      } else {
        reindexIdentities(at: location, from: before, to: after)
      }
      return
    }
    routeVersion &+= 1
    // The element may have taken over the id by which another element is named, or given it up.
    if case .element? = location.steps.last, holdsObjects(around: location),
      before.map({ identity(of: $0) }) != after.map({ identity(of: $0) })
    {
      shapeVersion += 1
    }
    countReferences(from: before, to: after, mayHold: mayHold, at: location)
    if location.isID {
      applyChangedID(at: location)
    } else {
      reindexIdentities(at: location, from: before, to: after)
    }
  }

  /// Updates what is derived from the state after a root was replaced.
  private mutating func applyRoot(_ location: NamedLocation, from before: Value?, to after: Value?) {
    if before == nil, after == nil { return }
    countReferences(from: before, to: after, at: location)
    if before == nil { routeVersion &+= 1 } else { shapeVersion += 1 }
  }

  /// Records that paths which name an element by its id may lead elsewhere now.
  private mutating func applyChangedID(at location: NamedLocation) {
    shapeVersion += 1
    forgetIdentities(around: location)
  }
}

extension NamedLocation {
  /// Whether the location is an `id`, by which paths may name an element of an array.
  package var isID: Bool {
    guard case .name(let name)? = steps.last else { return false }
    return name.utf8.count == 2 && name.hasSameBytes(as: "id")
  }
}

extension String {
  /// Replaces bytes of the UTF-8 form and returns the removed ones; both ends must lie between Unicode
  /// scalars.
  ///
  /// - Parameter moved: Set to the number of bytes that are moved in memory.
  fileprivate mutating func replaceUTF8(
    offset: Int, delete: Int, with insert: String, _ path: Path, moved: inout Int
  ) throws(StateError) -> String {
    let count = utf8.count
    guard offset >= 0, offset <= count, delete >= 0, delete <= count - offset else {
      throw StateError(path, "offset \(offset) and delete \(delete) do not fit a string of \(count) bytes")
    }
    if offset == count {
      // Most text is typed at the end, where nothing is split.
      append(insert)
      return ""
    }
    guard hasScalar(atUTF8: offset), hasScalar(atUTF8: offset + delete) else {
      throw StateError(path, "offset \(offset) or the end of the deletion splits a character")
    }
    let start = utf8.index(utf8.startIndex, offsetBy: offset)
    let range = start..<utf8.index(start, offsetBy: delete)
    let removed = String(self[range])
    if delete != insert.utf8.count { moved = count - offset - delete }
    replaceSubrange(range, with: insert)
    return removed
  }

  /// Whether a Unicode scalar begins or the text ends at the offset. It is a function of its own, so that no second
  /// reference to the text outlives it, with which a change would copy it.
  @inline(never)
  private func hasScalar(atUTF8 offset: Int) -> Bool {
    utf8.index(utf8.startIndex, offsetBy: offset).samePosition(in: unicodeScalars) != nil
  }
}
