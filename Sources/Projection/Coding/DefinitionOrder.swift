import EventLog

/// Moves the definitions of new objects to where each object occurs first in a series of edits.
///
/// An object is defined where it was encoded first. Edits are applied in another order than parts are encoded: what is
/// behind is spliced before what is in front, and sets are sorted. A log must define an object before it refers to it.
struct DefinitionOrder {
  private var definitions: [ObjectID: ObjectDefinition] = [:]
  private var defined: Set<ObjectID> = []

  /// The edits with their definitions in order. Cost: linear in what they insert.
  static func applied(to edits: [Edit]) -> [Edit] {
    var order = DefinitionOrder()
    for edit in edits { if let value = edit.kind.value { order.collect(value) } }
    if order.definitions.isEmpty { return edits }
    return edits.map { edit in
      var edit = edit
      switch edit.kind {
      case .set(let value): edit.kind = .set(order.place(value))
      case .splice(let offset, let delete, let insert):
        edit.kind = .splice(offset: offset, delete: delete, insert: order.place(insert))
      case .remove: break
      }
      return edit
    }
  }

  private mutating func collect(_ value: Value) {
    switch value {
    case .array(let elements): for element in elements { collect(element) }
    case .map(let fields): for field in fields.values { collect(field) }
    case .object(let definition):
      definitions[definition.id] = definition
      for field in definition.fields.values { collect(field) }
    default: break
    }
  }

  private mutating func place(_ value: Value) -> Value {
    switch value {
    case .array(let elements): return .array(elements.map { place($0) })
    case .map(let fields): return .map(fields.mapValues { place($0) })
    case .reference(let id): return place(id) ?? value
    case .object(let definition): return place(definition.id) ?? .reference(definition.id)
    default: return value
    }
  }

  /// The definition of a new object, if this is where it occurs first.
  private mutating func place(_ id: ObjectID) -> Value? {
    guard var definition = definitions[id], defined.insert(id).inserted else { return nil }
    definition.fields = definition.fields.mapValues { place($0) }
    return .object(definition)
  }
}
