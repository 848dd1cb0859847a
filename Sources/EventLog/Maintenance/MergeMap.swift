import Algorithms

/// Maps the events of one recording to events of the merged log.
struct MergeMap {
  private let index: UInt64
  private let count: UInt64
  private let prefix: String
  /// The roots that exist so far, and the object id that a new root gets.
  private var roots: Set<ExactString> = []
  private var nextObject: UInt64 = 1
  /// New seqs: `shift` is added to the old seqs from `from` up to the next entry.
  private var shifts: [(from: UInt64, shift: Int64)] = []
  private var last: UInt64 = 0

  /// Creates the map of one of several recordings.
  init(of index: Int, among count: Int, prefix: String) {
    self.index = UInt64(index)
    self.count = UInt64(count)
    self.prefix = prefix
  }

  // MARK: Seqs

  /// Records the new seq of the next event.
  mutating func insert(_ old: UInt64, is new: UInt64) {
    let shift = Int64(bitPattern: new &- old)
    if shifts.last?.shift != shift { shifts.append((old, shift)) }
    last = old
  }

  /// The new seq of an event, if it has been written.
  func seq(_ old: UInt64) -> UInt64? {
    guard old <= last else { return nil }
    let next = shifts.partitioningIndex { $0.from > old }
    return next == 0 ? nil : old &+ UInt64(bitPattern: shifts[next - 1].shift)
  }

  // MARK: Events

  /// The events that replace an event. Throws `conflict` if another recording has the name.
  mutating func map(
    _ body: Event.Body, names: inout MergeNames, file: String
  ) throws(LogError) -> [Event.Body] {
    switch body {
    case .set(let path, let value, let sameValue):
      try names.claim(root: root(of: path), for: index, file)
      return try set(path, value, sameValue, file)
    case .splice(let path, let offset, let delete, let insert, let sameValue):
      let insert = try self.value(insert, file)
      return [
        .splice(
          try self.path(path, file), offset: offset, delete: delete, insert: insert, sameValue: sameValue)
      ]
    case .remove(let path, let sameValue):
      if path.components.isEmpty, case .named(let name) = path.root { roots.remove(name) }
      return [.remove(try self.path(path, file), sameValue: sameValue)]
    case .projection(let name, let parent, let tracking):
      let name = try projection(name, &names, file)
      return [.projection(name: name, parent: parent.map { prefix + $0 }, tracking: tracking)]
    case .reads(let name, let reads):
      let mapped = try reads.mapPaths { path throws(LogError) in try self.path(path, file) }
      return [.reads(projection: try projection(name, &names, file), mapped)]
    case .invalidate(let name, let causes):
      return [
        .invalidate(projection: try projection(name, &names, file), causes: causes.compactMap { seq($0) })
      ]
    default:
      guard let name = body.projectionName else { return [body] }
      return [body.renamingProjection(try projection(name, &names, file))]
    }
  }

  private func projection(
    _ name: String, _ names: inout MergeNames, _ file: String
  ) throws(LogError) -> String {
    try names.claim(projection: prefix + name, for: index, file)
    return prefix + name
  }

  /// Maps a set. If the set creates its root without an object id, the object is defined before it, because
  /// the merged log would assign a different id.
  private mutating func set(
    _ path: Path, _ value: Value, _ sameValue: Bool, _ file: String
  ) throws(LogError) -> [Event.Body] {
    var value = value
    var before: [Event.Body] = []
    if case .named(let name) = path.root {
      if path.components.isEmpty {
        if case .map(let fields) = value {
          value = .object(ObjectDefinition(id: ObjectID(nextObject), type: "", fields: fields))
        }
        roots.insert(name)
      } else if path.components.count == 1, path.components[0].name != nil, roots.insert(name) {
        let root = ObjectDefinition(id: try object(ObjectID(nextObject), file), type: "", fields: [:])
        if nextObject < .max { nextObject += 1 }
        before = [.set(Path(root: .named(prefix + name)), .object(root), sameValue: false)]
      }
    }
    let mapped = try self.value(value, file)
    return before + [.set(try self.path(path, file), mapped, sameValue: sameValue)]
  }

  // MARK: Paths and values

  private func root(of path: Path) -> String? {
    if case .named(let name) = path.root { prefix + name } else { nil }
  }

  private func path(_ path: Path, _ file: String) throws(LogError) -> Path {
    var path = path
    switch path.root {
    case .named(let name): path.root = .named(prefix + name)
    case .object(let id): path.root = .object(try object(id, file))
    }
    return path
  }

  /// Ids are interleaved: recording `index` of `count` gets every `count`-th one, so that no two recordings
  /// share an id and no table is needed.
  private func object(_ id: ObjectID, _ file: String) throws(LogError) -> ObjectID {
    let (product, overflow) = (id.number - 1).multipliedReportingOverflow(by: count)
    let (number, over) = product.addingReportingOverflow(index + 1)
    guard !overflow, !over else {
      throw LogError(.tooLarge, path: file, message: "the object \(id) has a number too large to be merged")
    }
    return ObjectID(number)
  }

  private mutating func value(_ value: Value, _ file: String) throws(LogError) -> Value {
    switch value {
    case .reference(let id):
      // A definition may refer by id to an object that is defined later; its id is taken from here on.
      nextObject = max(nextObject, id.next.number)
      return .reference(try object(id, file))
    case .object(let definition):
      nextObject = max(nextObject, definition.id.next.number)
      let fields = try self.fields(definition.fields, file)
      return .object(
        ObjectDefinition(id: try object(definition.id, file), type: definition.type, fields: fields))
    case .array(let elements):
      guard elements.contains(where: \.mayHoldObjects) else { return value }
      var mapped: [Value] = []
      for element in elements { mapped.append(try self.value(element, file)) }
      return .array(mapped)
    case .map(let fields):
      guard fields.values.contains(where: \.mayHoldObjects) else { return value }
      return .map(try self.fields(fields, file))
    default: return value
    }
  }

  private mutating func fields(
    _ fields: NamedValues<Value>, _ file: String
  ) throws(LogError) -> NamedValues<Value> {
    var mapped = fields
    for (name, field) in fields { mapped[name] = try value(field, file) }
    return mapped
  }
}

/// The recording that owns each name.
struct MergeNames {
  private var roots: [ExactString: UInt64] = [:]
  private var projections: [ExactString: UInt64] = [:]

  mutating func claim(root name: String?, for index: UInt64, _ file: String) throws(LogError) {
    guard let name else { return }
    if roots[name] == nil { roots[name] = index }
    if roots[name] != index { throw Self.conflict("a root", name, file) }
  }

  mutating func claim(projection name: String, for index: UInt64, _ file: String) throws(LogError) {
    if projections[name] == nil { projections[name] = index }
    if projections[name] != index { throw Self.conflict("a projection", name, file) }
  }

  private static func conflict(_ what: String, _ name: String, _ file: String) -> LogError {
    LogError(
      .conflict, path: file,
      message: "another of the logs has \(what) named \(name), too; give each log a --prefix of its own")
  }
}
