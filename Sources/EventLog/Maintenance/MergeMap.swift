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
    _ body: Event.Body, names: inout MergeNames, path: String
  ) throws(LogError) -> [Event.Body] {
    switch body {
    case .set(let place, let value, let sameValue):
      try names.claim(root: root(of: place), for: index, path)
      return try set(place, value, sameValue, path)
    case .splice(let place, let offset, let delete, let insert, let sameValue):
      let insert = try self.value(insert, path)
      return [
        .splice(
          try self.place(place, path), offset: offset, delete: delete, insert: insert, sameValue: sameValue)
      ]
    case .remove(let place, let sameValue):
      if place.components.isEmpty, case .named(let name) = place.root { roots.remove(name) }
      return [.remove(try self.place(place, path), sameValue: sameValue)]
    case .projection(let name, let parent, let tracking):
      let name = try projection(name, &names, path)
      return [.projection(name: name, parent: parent.map { prefix + $0 }, tracking: tracking)]
    case .reads(let name, let paths):
      var places: [Path] = []
      for place in paths { places.append(try self.place(place, path)) }
      return [.reads(projection: try projection(name, &names, path), paths: places)]
    case .invalidate(let name, let causes):
      return [
        .invalidate(projection: try projection(name, &names, path), causes: causes.compactMap { seq($0) })
      ]
    case .evaluate(let name, let duration, let changed):
      return [.evaluate(projection: try projection(name, &names, path), duration: duration, changed: changed)]
    case .dispose(let name): return [.dispose(projection: try projection(name, &names, path))]
    case .begin, .end, .mark: return [body]
    }
  }

  private func projection(
    _ name: String, _ names: inout MergeNames, _ path: String
  ) throws(LogError) -> String {
    try names.claim(projection: prefix + name, for: index, path)
    return prefix + name
  }

  /// A set of a root may make an object without a number, which would get another one here.
  private mutating func set(
    _ place: Path, _ value: Value, _ sameValue: Bool, _ path: String
  ) throws(LogError) -> [Event.Body] {
    var value = value
    var before: [Event.Body] = []
    if case .named(let name) = place.root {
      if place.components.isEmpty {
        if case .map(let fields) = value {
          value = .object(ObjectDefinition(id: ObjectID(nextObject), type: "", fields: fields))
        }
        roots.insert(name)
      } else if place.components.count == 1, place.components[0].name != nil, roots.insert(name) {
        let root = ObjectDefinition(id: try object(ObjectID(nextObject), path), type: "", fields: [:])
        if nextObject < .max { nextObject += 1 }
        before = [.set(Path(root: .named(prefix + name)), .object(root), sameValue: false)]
      }
    }
    let mapped = try self.value(value, path)
    return before + [.set(try self.place(place, path), mapped, sameValue: sameValue)]
  }

  // MARK: Places and values

  private func root(of place: Path) -> String? {
    if case .named(let name) = place.root { prefix + name } else { nil }
  }

  private func place(_ place: Path, _ path: String) throws(LogError) -> Path {
    var place = place
    switch place.root {
    case .named(let name): place.root = .named(prefix + name)
    case .object(let id): place.root = .object(try object(id, path))
    }
    return place
  }

  /// Numbers are dealt out in turns, so that none is given twice and none need be remembered.
  private func object(_ id: ObjectID, _ path: String) throws(LogError) -> ObjectID {
    let (product, overflow) = (id.number - 1).multipliedReportingOverflow(by: count)
    let (number, over) = product.addingReportingOverflow(index + 1)
    guard !overflow, !over else {
      throw LogError(.tooLarge, path: path, message: "the object \(id) has a number too large to be merged")
    }
    return ObjectID(number)
  }

  private mutating func value(_ value: Value, _ path: String) throws(LogError) -> Value {
    switch value {
    case .reference(let id): return .reference(try object(id, path))
    case .object(let definition):
      nextObject = max(nextObject, definition.id.number == .max ? .max : definition.id.number + 1)
      let fields = try self.fields(definition.fields, path)
      return .object(
        ObjectDefinition(id: try object(definition.id, path), type: definition.type, fields: fields))
    case .array(let elements):
      guard elements.contains(where: \.mayHoldObjects) else { return value }
      var mapped: [Value] = []
      for element in elements { mapped.append(try self.value(element, path)) }
      return .array(mapped)
    case .map(let fields):
      guard fields.values.contains(where: \.mayHoldObjects) else { return value }
      return .map(try self.fields(fields, path))
    default: return value
    }
  }

  private mutating func fields(
    _ fields: NamedValues<Value>, _ path: String
  ) throws(LogError) -> NamedValues<Value> {
    var mapped = fields
    for (name, field) in fields { mapped[name] = try value(field, path) }
    return mapped
  }
}

/// Which recording has which names.
struct MergeNames {
  private var roots: [ExactString: UInt64] = [:]
  private var projections: [ExactString: UInt64] = [:]

  mutating func claim(root name: String?, for index: UInt64, _ path: String) throws(LogError) {
    guard let name else { return }
    if roots[name] == nil { roots[name] = index }
    if roots[name] != index { throw Self.conflict("a root", name, path) }
  }

  mutating func claim(projection name: String, for index: UInt64, _ path: String) throws(LogError) {
    if projections[name] == nil { projections[name] = index }
    if projections[name] != index { throw Self.conflict("a projection", name, path) }
  }

  private static func conflict(_ what: String, _ name: String, _ path: String) -> LogError {
    LogError(
      .conflict, path: path,
      message: "another of the logs has \(what) named \(name), too; give each log a --prefix of its own")
  }
}
