import Algorithms

/// How the events of one recording are written into a merged log.
struct MergeMap {
  private let index: UInt64
  private let count: UInt64
  private let prefix: String
  /// The roots that there are now, and the object number that a new one gets.
  private var roots: Set<ExactString> = []
  private var nextObject: UInt64 = 1
  /// New numbers of events: from each old one on, so much more than the old one.
  private var shifts: [(from: UInt64, shift: Int64)] = []
  private var last: UInt64 = 0

  /// The map of one recording among some.
  init(of index: Int, among count: Int, prefix: String) {
    self.index = UInt64(index)
    self.count = UInt64(count)
    self.prefix = prefix
  }

  // MARK: Numbers of events

  /// Notes the new number of the next event.
  mutating func note(_ old: UInt64, is new: UInt64) {
    let shift = Int64(bitPattern: new &- old)
    if shifts.last?.shift != shift { shifts.append((old, shift)) }
    last = old
  }

  /// The new number of an event, if it is in the log.
  func seq(_ old: UInt64) -> UInt64? {
    guard old <= last else { return nil }
    let next = shifts.partitioningIndex { $0.from > old }
    return next == 0 ? nil : old &+ UInt64(bitPattern: shifts[next - 1].shift)
  }

  // MARK: Events

  /// The events that stand for one. Throws `conflict` if another recording has the name.
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

  /// A set of a root may make an object without a number, which would get another one here.
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

  /// Numbers are dealt out in turns, so that none is given twice and none need be remembered.
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
      // A definition by number may refer to an object that is defined later, and has its number from here on.
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

/// Which recording has which names.
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
