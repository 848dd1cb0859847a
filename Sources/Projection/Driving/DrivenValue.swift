import EventLog

// Applies a recorded edit to a Swift value. In a collection, only the part that the edit names is made anew.

/// An edit of a recorded property that is to be driven.
struct DrivenEdit {
  /// The edit itself. References are to objects of the recording.
  let kind: Edit.Kind
  /// Whether the recorded session found that the edit changes nothing.
  let isSame: Bool
  /// The path from the property down, as in the recording.
  let components: [PathComponent]
  /// The same path in the driven session, with elements by index.
  let steps: [NamedLocation.Step]
}

/// How an edit changes a value, and what is recorded of it.
struct DrivenChange<Value> {
  /// Makes the change. It runs no code of the app.
  let apply: (inout Value) -> Void
  /// The edit to record at the steps.
  let kind: Edit.Kind
  /// Whether nothing changes by the app's equality; nil if the recorded values must be compared.
  let isSame: Bool?
  /// The number of the edit's steps at which to record it; nil for all.
  var depth: Int?

  /// The same change, as one of the value that contains this one.
  func within<Whole>(_ access: @escaping (inout Whole, (inout Value) -> Void) -> Void) -> DrivenChange<Whole>
  {
    let apply = apply
    return DrivenChange<Whole>(apply: { access(&$0, apply) }, kind: kind, isSame: isSame, depth: depth)
  }
}

/// The property that an edit changes. It makes Swift values from recorded ones, and encodes them again.
struct DrivenPlace {
  let engine: Engine
  let restorer: ObjectRestorer
  /// The context for restoring values of the recording at the edit's path.
  let context: RestoringContext
  /// The id of the session's object, and the name of its property.
  let object: ObjectID
  let property: String
  /// The recording's value before the write, if the write changed nothing.
  let before: Value?

  /// Makes a value from a recorded one, at the edit's path or one component below it.
  func restore<T>(_ type: T.Type, _ value: Value, _ step: PathComponent? = nil) throws -> T {
    let result: T = try step.map { try context.restore(from: value, at: $0) } ?? context.restore(from: value)
    restorer.fill()
    return result
  }

  /// What the session has recorded at steps from the property.
  func recorded(at steps: some Sequence<NamedLocation.Step>) -> Value? {
    engine.withLock {
      $0.core.state.value(at: NamedLocation(owner: .object(object), steps: [.name(property)] + Array(steps)))
    }
  }

  /// A value of the recording, with the ids that its objects have in the session.
  func withSessionIDs(_ value: Value) -> Value {
    value.replacingReferences { restorer.objects[$0]?._$recorded.attachment?.id ?? $0 }
  }

  /// Calls the body with a recorded value of the session, with the ids that its objects have in the
  /// recording. Objects that the recording lacks get unused ids during the call.
  ///
  /// - Parameter value: The Swift value of which `recorded` is the recorded form.
  private func withRecordingIDs<R>(
    _ recorded: Value, of value: Any, _ body: (Value) throws -> R
  ) throws -> R {
    guard recorded.mayHoldObjects else { return try body(recorded) }
    let finder = ObjectFinder(engine: engine)
    Frame.untracked { finder.find(in: value) }
    var ids: [ObjectID: ObjectID] = [:]
    var temporary: [ObjectID] = []
    defer { for id in temporary { restorer.forget(id) } }
    var free = UInt64.max
    for (here, object) in finder.found {
      if let id = restorer.id(of: object) {
        ids[here] = id
        continue
      }
      while restorer.objects[ObjectID(free)] != nil || restorer.state.objects.contains(ObjectID(free)) {
        free -= 1
      }
      restorer.use(object, for: ObjectID(free))
      temporary.append(ObjectID(free))
      ids[here] = ObjectID(free)
    }
    return try body(
      recorded.replacingReferences { here in
        guard let id = ids[here] else { throw Misfit("an object in it cannot be found") }
        return id
      })
  }

  /// How an edit changes the value after `depth` of its steps.
  ///
  /// - Throws: ``Misfit`` or ``RestoreProblem`` if the edit does not fit the value.
  func change<T>(of value: T, by edit: DrivenEdit, at depth: Int = 0) throws -> DrivenChange<T> {
    if depth == edit.steps.count, case .set(let new) = edit.kind {
      let new = try restore(T.self, new)
      let recorded = depth == 0 ? engine.encode(new) : engine.encodeElement(new)
      let isSame = isSame(value, new) ?? (T.self is any RecordedCollection.Type ? nil : false)
      return DrivenChange(apply: { $0 = new }, kind: .set(recorded), isSame: isSame)
    }
    if let type = T.self as? any DrivenContainer.Type,
      let change = try change(of: value, as: type, by: edit, depth) as? DrivenChange<T>
    {
      return change
    }
    return try changeAsWhole(value, by: edit, at: depth)
  }

  private func change<C: DrivenContainer>(
    of value: Any, as type: C.Type, by edit: DrivenEdit, _ depth: Int
  ) throws -> Any? {
    guard let value = value as? C else { return nil }
    return try C.change(of: value, by: edit, at: depth, in: self)
  }

  /// Edits the recorded form of a value, such as a struct, and makes the value anew from it. The parts that
  /// the edit does not name keep this session's values.
  private func changeAsWhole<T>(_ value: T, by edit: DrivenEdit, at depth: Int) throws -> DrivenChange<T> {
    let steps = edit.steps[depth...]
    guard let before = recorded(at: edit.steps[..<depth]) else { throw Misfit("nothing is there") }
    let new = try withRecordingIDs(before, of: value) { before in
      var after = before
      try after.change(edit.kind, at: steps)
      return try restore(T.self, after)
    }
    let encoded = depth == 0 ? engine.encode(new) : engine.encodeElement(new)
    let part = encoded.part(at: steps)
    let kind: Edit.Kind
    switch (edit.kind, part) {
    case (.set, let part?): kind = .set(part)
    case (.splice(let offset, let delete, .array(let insert)), .array(let elements)?)
    where offset + insert.count <= elements.count:
      let inserted = Array(elements[offset..<(offset + insert.count)])
      kind = .splice(offset: offset, delete: delete, insert: .array(inserted))
    case (.splice(_, _, .string), .string?), (.remove, nil): kind = edit.kind
    default: throw Misfit("\(T.self) does not record it any more")
    }
    var expected = before
    try expected.change(kind, at: steps)
    // The new value may differ from the old one outside of the edit, too. Then it is recorded as a whole.
    if expected != encoded {
      return DrivenChange(apply: { $0 = new }, kind: .set(encoded), isSame: encoded == before, depth: depth)
    }
    let isSame = part == before.part(at: steps)
    return DrivenChange(apply: { $0 = new }, kind: kind, isSame: isSame)
  }
}

// MARK: Collections

/// A value in which one part can be replaced.
protocol DrivenContainer {
  /// How an edit changes a value; nil if the edit must be applied to the value as a whole.
  static func change(
    of value: Self, by edit: DrivenEdit, at depth: Int, in place: DrivenPlace
  ) throws -> DrivenChange<Self>?

  /// The part at a step; nil if there is none.
  func drivenPart(at step: NamedLocation.Step) -> Any?
}

extension DrivenContainer
where Self: RangeReplaceableCollection & MutableCollection & RandomAccessCollection, Index == Int {
  static func change(
    of value: Self, by edit: DrivenEdit, at depth: Int, in place: DrivenPlace
  ) throws -> DrivenChange<Self>? {
    if depth == edit.steps.count { return try splice(of: value, by: edit, in: place) }
    guard case .element(let index, _) = edit.steps[depth] else { return nil }
    guard value.indices.contains(index) else { throw Misfit("there is no element \(index) here") }
    if depth + 1 == edit.steps.count, case .remove = edit.kind {
      return DrivenChange(apply: { $0.remove(at: index) }, kind: .remove, isSame: false)
    }
    return try place.change(of: value[index], by: edit, at: depth + 1).within { $1(&$0[index]) }
  }

  private static func splice(
    of value: Self, by edit: DrivenEdit, in place: DrivenPlace
  ) throws -> DrivenChange<Self>? {
    guard case .splice(let offset, let delete, .array(let values)) = edit.kind else { return nil }
    guard offset >= 0, offset <= value.count, delete >= 0, delete <= value.count - offset else {
      throw Misfit("offset \(offset) and delete \(delete) do not fit an array of \(value.count)")
    }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for (position, element) in values.enumerated() {
      elements.append(try place.restore(Element.self, element, .index(offset + position)))
    }
    let range = offset..<(offset + delete)
    // A set to an equal array is recorded as a splice of nothing.
    let isSame =
      delete == elements.count
      && zip(value[range], elements).allSatisfy { Projection.isSame($0, $1) == true }
    let recorded = elements.map { place.engine.encodeElement($0) }
    return DrivenChange(
      apply: { $0.replaceSubrange(range, with: elements) },
      kind: .splice(offset: offset, delete: delete, insert: .array(recorded)), isSame: isSame)
  }

  func drivenPart(at step: NamedLocation.Step) -> Any? {
    guard case .element(let index, _) = step, indices.contains(index) else { return nil }
    return self[index]
  }
}

extension Array: DrivenContainer {}
extension ContiguousArray: DrivenContainer {}
extension RecordedArray: DrivenContainer {}

extension DrivenContainer {
  /// How an edit changes an entry of a dictionary.
  fileprivate static func change<Key: Hashable, Entry>(
    ofEntries entries: [Key: Entry], by edit: DrivenEdit, at depth: Int, in place: DrivenPlace,
    _ access: @escaping (inout Self, Key, (inout Entry?) -> Void) -> Void
  ) throws -> DrivenChange<Self>? {
    guard depth < edit.steps.count, case .name(let text) = edit.steps[depth],
      case .map? = place.recorded(at: edit.steps[..<depth])
    else { return nil }
    let key = try MapKey.key(Key.self, of: text, in: place.context)
    let isLast = depth + 1 == edit.steps.count
    if isLast, case .remove = edit.kind {
      return DrivenChange(
        apply: { access(&$0, key) { $0 = nil } }, kind: .remove, isSame: entries[key] == nil)
    }
    if isLast, case .set(let new) = edit.kind {
      let new = try place.restore(Entry.self, new)
      let isSame =
        entries[key].map {
          Projection.isSame($0, new) ?? (Entry.self is any RecordedCollection.Type ? nil : false)
        } ?? false
      return DrivenChange(
        apply: { access(&$0, key) { $0 = new } }, kind: .set(place.engine.encodeElement(new)), isSame: isSame)
    }
    guard let entry = entries[key] else { throw Misfit("there is no entry \(text) here") }
    return try place.change(of: entry, by: edit, at: depth + 1).within { whole, apply in
      access(&whole, key) { entry in
        guard var known = entry.take() else { return }
        apply(&known)
        entry = known
      }
    }
  }
}

extension Dictionary: DrivenContainer {
  static func change(
    of value: Self, by edit: DrivenEdit, at depth: Int, in place: DrivenPlace
  ) throws -> DrivenChange<Self>? {
    try change(ofEntries: value, by: edit, at: depth, in: place) { $2(&$0[$1]) }
  }

  func drivenPart(at step: NamedLocation.Step) -> Any? {
    guard case .name(let text) = step else { return nil }
    if let key = text as? Key { return self[key] }
    return first { PathComponent.text(ofKey: $0.key) == text }?.value
  }
}

extension RecordedDictionary: DrivenContainer {
  static func change(
    of value: Self, by edit: DrivenEdit, at depth: Int, in place: DrivenPlace
  ) throws -> DrivenChange<Self>? {
    if depth == edit.steps.count { return nil }
    return try change(ofEntries: value.storage, by: edit, at: depth, in: place) { $2(&$0.storage[$1]) }
  }

  func drivenPart(at step: NamedLocation.Step) -> Any? { storage.drivenPart(at: step) }
}

extension Optional: DrivenContainer {
  static func change(
    of value: Self, by edit: DrivenEdit, at depth: Int, in place: DrivenPlace
  ) throws -> DrivenChange<Self>? {
    guard let value else { throw Misfit("nothing is there") }
    return try place.change(of: value, by: edit, at: depth).within { whole, apply in
      guard var known = whole.take() else { return }
      apply(&known)
      whole = known
    }
  }

  func drivenPart(at step: NamedLocation.Step) -> Any? {
    flatMap { ($0 as? any DrivenContainer)?.drivenPart(at: step) }
  }
}

extension String: DrivenContainer {
  static func change(
    of value: Self, by edit: DrivenEdit, at depth: Int, in place: DrivenPlace
  ) throws -> DrivenChange<Self>? {
    guard depth == edit.steps.count, case .splice(let offset, let delete, .string(let insert)) = edit.kind
    else { return nil }
    guard let range = value.rangeOfBytes(offset, delete) else {
      throw Misfit("offset \(offset) and delete \(delete) do not fit a text of \(value.utf8.count) bytes")
    }
    return DrivenChange(
      apply: { $0.replaceSubrange(range, with: insert) }, kind: edit.kind,
      isSame: value[range].utf8.elementsEqual(insert.utf8))
  }

  func drivenPart(at step: NamedLocation.Step) -> Any? { nil }
}

extension String {
  /// The range at an offset and a count of UTF-8 bytes; nil if it is out of bounds or does not begin and end
  /// between Unicode scalars.
  fileprivate func rangeOfBytes(_ offset: Int, _ count: Int) -> Range<Index>? {
    let bytes = utf8
    guard offset >= 0, offset <= bytes.count, count >= 0, count <= bytes.count - offset else { return nil }
    let start = bytes.index(bytes.startIndex, offsetBy: offset)
    let end = bytes.index(start, offsetBy: count)
    guard start.samePosition(in: unicodeScalars) != nil, end.samePosition(in: unicodeScalars) != nil else {
      return nil
    }
    return start..<end
  }
}

// MARK: Recorded values

extension Value {
  /// The part at steps; nil if there is none.
  func part(at steps: ArraySlice<NamedLocation.Step>) -> Value? {
    guard let step = steps.first else { return self }
    switch (self, step) {
    case (.map(let fields), .name(let name)): return fields[name]?.part(at: steps.dropFirst())
    case (.array(let elements), .element(let index, _)):
      return elements.element(at: index)?.part(at: steps.dropFirst())
    default: return nil
    }
  }

  /// Applies an edit to the part at steps.
  mutating func change(_ kind: Edit.Kind, at steps: ArraySlice<NamedLocation.Step>) throws {
    guard let step = steps.first else {
      switch (kind, self) {
      case (.set(let value), _): self = value
      case (.splice(let offset, let delete, .string(let insert)), .string(var text)):
        guard let range = text.rangeOfBytes(offset, delete) else {
          throw Misfit("offset \(offset) and delete \(delete) do not fit a text of \(text.utf8.count) bytes")
        }
        text.replaceSubrange(range, with: insert)
        self = .string(text)
      case (.splice(let offset, let delete, .array(let insert)), .array(var elements)):
        guard offset >= 0, offset <= elements.count, delete >= 0, delete <= elements.count - offset else {
          throw Misfit("offset \(offset) and delete \(delete) do not fit an array of \(elements.count)")
        }
        elements.replaceSubrange(offset..<(offset + delete), with: insert)
        self = .array(elements)
      default: throw Misfit("a \(self.kind) cannot be edited so")
      }
      return
    }
    let rest = steps.dropFirst()
    switch (self, step) {
    case (.map(var fields), .name(let name)):
      if rest.isEmpty, case .remove = kind {
        fields.removeValue(forKey: name)
      } else {
        guard var field = fields[name] ?? (rest.isEmpty ? .null : nil) else {
          throw Misfit("there is no \(name) here")
        }
        try field.change(kind, at: rest)
        fields[name] = field
      }
      self = .map(fields)
    case (.array(var elements), .element(let index, _)):
      guard elements.indices.contains(index) else { throw Misfit("there is no element \(index) here") }
      if rest.isEmpty, case .remove = kind {
        elements.remove(at: index)
      } else {
        try elements[index].change(kind, at: rest)
      }
      self = .array(elements)
    default: throw Misfit("a \(self.kind) has no such part")
    }
  }

  /// The value with other ids in its references.
  fileprivate func replacingReferences(_ id: (ObjectID) throws -> ObjectID) rethrows -> Value {
    guard mayHoldObjects else { return self }
    switch self {
    case .reference(let old): return .reference(try id(old))
    case .array(let elements): return .array(try elements.map { try $0.replacingReferences(id) })
    case .map(let fields): return .map(try fields.mapValues { try $0.replacingReferences(id) })
    default: return self
    }
  }

  /// The value with a reference in place of each object that it defines.
  var referring: Value {
    guard mayHoldObjects else { return self }
    switch self {
    case .object(let definition): return .reference(definition.id)
    case .array(let elements): return .array(elements.map(\.referring))
    case .map(let fields): return .map(fields.mapValues(\.referring))
    default: return self
    }
  }
}
