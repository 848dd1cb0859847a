extension RecordedDictionary {
  /// Creates a dictionary with these entries.
  ///
  /// - Precondition: No key is there twice.
  public init(uniqueKeysWithValues entries: some Sequence<(Key, Value)>) {
    storage = Dictionary(uniqueKeysWithValues: entries)
  }

  /// Creates a dictionary with these entries; of two values for one key it holds what `combine` makes of them.
  public init(
    _ entries: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    storage = try Dictionary(entries, uniquingKeysWith: combine)
  }

  /// Creates a dictionary of groups: the values that have a key in common, in their order.
  public init<S: Sequence>(
    grouping values: S, by keyForValue: (S.Element) throws -> Key
  ) rethrows where Value == [S.Element] {
    storage = try Dictionary(grouping: values, by: keyForValue)
  }

  /// Makes room for this many entries.
  public init(minimumCapacity: Int) { storage = Dictionary(minimumCapacity: minimumCapacity) }
}

extension RecordedDictionary: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary with these entries.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    storage = Dictionary(uniqueKeysWithValues: elements)
  }
}

extension RecordedDictionary: Equatable where Value: Equatable {
  /// Compares the entries. Depends on all of them.
  public static func == (a: RecordedDictionary, b: RecordedDictionary) -> Bool { a.entries == b.entries }
}

extension RecordedDictionary: Hashable where Value: Hashable {
  /// Hashes the entries. Depends on all of them.
  public func hash(into hasher: inout Hasher) { hasher.combine(entries) }
}

// The journal is used during a mutation only, which is exclusive.
extension RecordedDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension RecordedDictionary: CustomStringConvertible, CustomDebugStringConvertible {
  /// As a `Dictionary` describes itself. Depends on all entries.
  public var description: String { entries.description }

  /// As a `Dictionary` describes itself. Depends on all entries.
  public var debugDescription: String { entries.debugDescription }
}

extension RecordedDictionary: CustomReflectable {
  /// Shows the entries, as of a `Dictionary`. Depends on all of them.
  public var customMirror: Mirror { Mirror(reflecting: entries) }
}

extension RecordedDictionary: Encodable where Key: Encodable, Value: Encodable {
  /// Encodes as a `Dictionary` does. Depends on all entries.
  public func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }
}

extension RecordedDictionary: Decodable where Key: Decodable, Value: Decodable {
  /// Decodes as a `Dictionary` does.
  public init(from decoder: any Decoder) throws { storage = try [Key: Value](from: decoder) }
}
