import EventLog

extension Optional: RestorableValue {
  /// Nil for null, else what is inside.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Wrapped? {
    if case .null = value { return nil }
    return .some(try context.restore(Wrapped.self, from: value))
  }
}

extension RestorableValue where Self: RangeReplaceableCollection {
  /// The elements of an array.
  static func restoredElements(from value: Value, in context: RestoringContext) throws -> Self {
    guard case .array(let values) = value else { throw context.mismatch(value, self) }
    var result = Self()
    result.reserveCapacity(values.count)
    for (index, element) in values.enumerated() {
      result.append(try context.restore(Element.self, from: element, at: .index(index)))
    }
    return result
  }
}

extension Array: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension ArraySlice: RestorableValue {
  /// The elements, numbered from 0.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension ContiguousArray: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension RecordedArray: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

extension Set: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    Set(try Array.restored(from: value, in: context))
  }
}

extension Dictionary: RestorableValue {
  /// The entries of a map, or of an array of pairs.
  public static func restored(from value: EventLog.Value, in context: RestoringContext) throws -> Self {
    var result: Self = [:]
    switch value {
    case .map(let fields):
      result.reserveCapacity(fields.count)
      for (text, field) in fields {
        let below = context.below(.key(text))
        let key = try MapKey.key(Key.self, of: text, in: below)
        result[key] = try below.restore(Value.self, from: field)
      }
    case .array(let pairs):
      for (index, pair) in pairs.enumerated() {
        guard case .array(let parts) = pair, parts.count == 2 else { throw context.mismatch(value, self) }
        let below = context.below(.index(index))
        let key = try below.restore(Key.self, from: parts[0], at: .index(0))
        result[key] = try below.restore(Value.self, from: parts[1], at: .index(1))
      }
    default: throw context.mismatch(value, self)
    }
    return result
  }
}

extension RecordedDictionary: RestorableValue {
  /// The entries of a map.
  public static func restored(from value: EventLog.Value, in context: RestoringContext) throws -> Self {
    guard case .map = value else { throw context.mismatch(value, self) }
    return RecordedDictionary(try [Key: Value].restored(from: value, in: context))
  }
}

extension MapKey {
  /// The key that a text stands for.
  static func key<Key>(_ type: Key.Type, of text: String, in context: RestoringContext) throws -> Key {
    if let key = text as? Key { return key }
    if let type = type as? any CodingKeyRepresentable.Type, let key = codingKey(type, text) as? Key {
      return key
    }
    if let type = type as? any LosslessStringConvertible.Type, let key = type.init(text) as? Key {
      return key
    }
    return try context.restore(type, from: .string(text))
  }

  private static func codingKey<Key: CodingKeyRepresentable>(_ type: Key.Type, _ text: String) -> Key? {
    Key(codingKey: AnyCodingKey(stringValue: text))
  }
}
