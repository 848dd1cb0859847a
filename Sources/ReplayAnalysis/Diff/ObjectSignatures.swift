import EventLog

/// The signatures of a run's objects and ids. An object's signature is a hash of its type and of the path and
/// position where it first appeared.
struct ObjectSignatures {
  private var known: [ObjectID: Int] = [:]
  private(set) var ids = FreshIDs()

  /// More objects than are worth telling apart; bounds the memory.
  private static let knownMax = 1 << 20

  subscript(id: ObjectID) -> Int { known[id] ?? 0 }

  /// Adds a value to a hash, and records the objects that it defines. `place` is a hash of the path that the
  /// value is at.
  mutating func combine(_ value: Value, at place: UInt64, into hasher: inout Hasher) {
    var position = 0
    combine(value, place, &position, into: &hasher)
  }

  /// Adds a component of a path to a hash.
  mutating func combine(_ component: PathComponent, into hasher: inout Hasher) {
    let whole = hasher
    var place: UInt64 { UInt64(truncatingIfNeeded: whole.finalize()) }
    switch component {
    // A property and a key with the same name address the same entry of a map.
    case .property(let name), .key(let name):
      hasher.combine(0)
      ids.combine(name, at: place, into: &hasher)
    case .id(.reference(let id)):
      hasher.combine(1)
      hasher.combine(self[id])
    case .id(let id) where FreshIDs.mayHold(id):
      hasher.combine(2)
      ids.combine(id, at: place, into: &hasher)
    case .index, .id, .count, .order, .exists: hasher.combine(component)
    }
  }

  /// Adds a name or a label to a hash.
  mutating func combine(_ text: String, into hasher: inout Hasher) { ids.combine(text, at: 0, into: &hasher) }

  private mutating func combine(
    _ value: Value, _ place: UInt64, _ position: inout Int, into hasher: inout Hasher
  ) {
    position += 1
    switch value {
    case .array(let elements):
      hasher.combine(elements.count)
      for element in elements { combine(element, place, &position, into: &hasher) }
    case .map(let fields):
      ids.insert(in: fields, at: place)
      // The sum does not depend on the order of the fields.
      var sum = 0
      for (name, value) in fields {
        var entry = Hasher()
        ids.combine(name, at: place, into: &entry)
        combine(value, place, &position, into: &entry)
        sum &+= entry.finalize()
      }
      hasher.combine(sum)
    case .object(let definition):
      insert(definition, place, position)
      ids.insert(in: definition.fields, at: place)
      hasher.combine(ExactString(definition.type))
      for (name, value) in definition.fields {
        hasher.combine(ExactString(name))
        combine(value, place, &position, into: &hasher)
      }
    case .reference(let id): hasher.combine(self[id])
    case .null, .bool, .int, .uint, .double, .date, .string, .bytes, .redacted, .opaque:
      ids.combine(value, at: place, into: &hasher)
    }
  }

  private mutating func insert(_ definition: ObjectDefinition, _ place: UInt64, _ position: Int) {
    if known.count >= Self.knownMax { known.removeAll() }
    if known[definition.id] != nil { return }
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(position)
    hasher.combine(ExactString(definition.type))
    known[definition.id] = hasher.finalize()
  }
}
