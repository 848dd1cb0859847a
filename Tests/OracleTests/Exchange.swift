import EventLog

/// Converts between the model and the library: events and states, as text.
extension Line {
  func event(seq: Int, isSame: Bool) -> Event {
    Event(
      seq: UInt64(seq), time: UInt64(seq), cause: cause.map { UInt64($0) },
      origin: strand > 0 ? Origin(strand: strand) : nil, body: body.event(isSame: isSame))
  }
}

extension Line.Body {
  func event(isSame: Bool) -> Event.Body {
    switch self {
    case .set(let route, let value, _): .set(route.path, value.value, sameValue: isSame)
    case .splice(let route, let offset, let delete, let insert, _):
      .splice(route.path, offset: offset, delete: delete, insert: insert.value, sameValue: isSame)
    case .remove(let route, _): .remove(route.path, sameValue: isSame)
    case .projection(let name, let parent, let tracker):
      .projection(name: name, parent: parent, tracking: tracker.tracking)
    case .reads(let name, let routes): .reads(projection: name, .paths(routes.map(\.path)))
    case .change(let name, let added, let dropped):
      .reads(projection: name, .change(added: added.map(\.path), dropped: dropped.map(\.path)))
    case .evaluate(let name): .evaluate(projection: name, duration: 0, changed: nil)
    case .dispose(let name): .dispose(projection: name)
    case .invalidate(let name, let causes): .invalidate(projection: name, causes: causes.map { UInt64($0) })
    case .begin: .begin(label: nil)
    case .end: .end
    case .mark(let label): .mark(label: label)
    }
  }
}

extension Tracker {
  var tracking: Tracking {
    switch self {
    case .element: .element
    case .property: .property
    case .object: .object
    }
  }
}

extension Route {
  var path: Path {
    Path(
      root: number.map { .object(ObjectID(UInt64($0))) } ?? .named(root),
      components: steps.map { step in
        switch step {
        case .property(let name): .property(name)
        case .key(let name): .key(name)
        case .index(let index): .index(index)
        case .id(let id): .id(id.value)
        case .count: .count
        case .order: .order
        case .exists: .exists
        }
      })
  }
}

extension Plain {
  var value: Value {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .token: .redacted
    case .array(let elements): .array(elements.map(\.value))
    case .map(let fields): .map(fields.dictionary)
    case .reference(let number): .reference(ObjectID(UInt64(number)))
    case .object(let number, let type, let fields):
      .object(ObjectDefinition(id: ObjectID(UInt64(number)), type: type, fields: fields.dictionary))
    }
  }

  init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .uint(let value): .token("\(value)")
      case .double(let value): .double(value)
      case .string(let value): .string(value)
      case .array(let elements): .array(elements.map { Plain($0) })
      case .map(let fields): .map(Fields(fields))
      case .reference(let id): .reference(Int(id.number))
      case .object(let definition):
        .object(
          number: Int(definition.id.number), type: definition.type, Fields(definition.fields))
      case .redacted, .bytes, .date, .opaque: .token("\(value)")
      }
  }
}

extension Fields {
  var dictionary: NamedValues<Value> {
    .init(uniqueKeysWithValues: entries.map { ($0.name, $0.value.value) })
  }

  init(_ elements: some Sequence<(key: String, value: Value)>) {
    entries = elements.map { ($0.key, Plain($0.value)) }
  }
}
