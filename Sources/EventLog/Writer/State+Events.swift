// A state is stored as events: a checkpoint, and the beginning of a part of a log.

extension State {
  /// Events that produce an equal state from an empty one: every object, then the place that names each, then
  /// the roots, then the fields that are too large for the event of their object. If the object with the
  /// highest number is gone, it is created and removed first, so that no other object gets its number.
  ///
  /// Outdated names are updated first, as ``path(of:)`` would do. Cost: linear in the state.
  package mutating func asEvents() -> [Event.Body] {
    settleNames()
    var events: [Event.Body] = []
    events.reserveCapacity(2 * objects.count + roots.count + 2)
    if nextObjectNumber > 1 {
      let last = ObjectID(nextObjectNumber - 1)
      if !objects.contains(last) {
        let path = Path(root: .object(last))
        let definition = ObjectDefinition(id: last, type: "", fields: [:])
        events.append(.set(path, .object(definition), sameValue: false))
        events.append(.remove(path, sameValue: false))
      }
    }
    let ids = objects.keys.sorted()
    var largeFields: [Event.Body] = []
    for id in ids {
      guard let object = objects[id] else { continue }
      let parts = ObjectDefinition(id: id, type: object.type, fields: object.fields).inParts()
      events.append(.set(Path(root: .object(id)), .object(parts.definition), sameValue: false))
      largeFields += parts.fields
    }
    let large = Set(largeFields.lazy.compactMap(\.writtenPath).filter { $0.components.count == 1 })
    for id in ids {
      guard let path = objects[id]?.home?.pathFromObject else { continue }
      let name = Event.Body.set(path, .reference(id), sameValue: true)
      let field = Path(root: path.root, components: Array(path.components.prefix(1)))
      if large.isEmpty || !large.contains(field) { events.append(name) } else { largeFields.append(name) }
    }
    for (name, id) in roots {
      events.append(.set(Path(root: .named(name)), .reference(id), sameValue: false))
    }
    return events + largeFields
  }
}

// MARK: Fields that are too large for one event, by splices for example, and come in parts

extension ObjectDefinition {
  /// The definition as events that fit a block each. If it does not fit one, its large fields are null in it, and
  /// events of their own set them. Since these may refer to any object, they must come when all are defined.
  ///
  /// Cost: linear in the size.
  func inParts() -> (definition: ObjectDefinition, fields: [Event.Body]) {
    let whole = Value.object(self)
    if whole.sharesBlock || ValueSize(exactlyOf: whole).isWithin(.event) { return (self, []) }
    var rest = self
    var events: [Event.Body] = []
    for position in fields.values.indices where !fields[valueAt: position].sharesBlock {
      let path = Path(root: .object(id), components: [.property(fields[position].key)])
      events += fields[valueAt: position].inParts(at: path)
      rest.fields[valueAt: position] = .null
    }
    return (rest, events)
  }
}

extension Value {
  /// Events that set a path to the value, each of which fits a block. A scalar other than a text is not divided.
  fileprivate func inParts(at path: Path) -> [Event.Body] {
    if ValueSize(exactlyOf: self).isWithin(.event) || path.components.count >= Path.maximumDepth {
      return [.set(path, self, sameValue: false)]
    }
    switch self {
    case .string(let text): return Self.parts(of: text, at: path)
    case .array(let elements): return Self.parts(of: elements, at: path)
    case .map(let fields):
      return [.set(path, .map([:]), sameValue: false)]
        + fields.flatMap { $0.value.inParts(at: path.appending(.key($0.key))) }
    default: return [.set(path, self, sameValue: false)]
    }
  }

  private static func parts(of text: String, at path: Path) -> [Event.Body] {
    var events: [Event.Body] = [.set(path, .string(""), sameValue: false)]
    var (offset, start) = (0, text.startIndex)
    while start < text.endIndex {
      var end =
        text.utf8.index(start, offsetBy: StageLimit.sharedBytesMax, limitedBy: text.endIndex) ?? text.endIndex
      // A splice must not divide a character.
      while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
      let part = String(text[start..<end])
      events.append(.splice(path, offset: offset, delete: 0, insert: .string(part), sameValue: false))
      offset += part.utf8.count
      start = end
    }
    return events
  }

  private static func parts(of elements: [Value], at path: Path) -> [Event.Body] {
    var events: [Event.Body] = [.set(path, .array([]), sameValue: false)]
    var (start, size) = (0, ValueSize())
    func insert(_ values: [Value]) {
      if values.isEmpty { return }
      events.append(.splice(path, offset: start, delete: 0, insert: .array(values), sameValue: false))
      start += values.count
      size = ValueSize()
    }
    for (index, element) in elements.enumerated() {
      let one = ValueSize(exactlyOf: element)
      if !one.isWithin(.event) {
        insert(Array(elements[start..<index]))
        insert([.null])
        events += element.inParts(at: path.appending(.index(index)))
        continue
      }
      size += one
      if !size.isWithin(.shared) {
        insert(Array(elements[start..<index]))
        size = one
      }
    }
    insert(Array(elements[start...]))
    return events
  }
}
