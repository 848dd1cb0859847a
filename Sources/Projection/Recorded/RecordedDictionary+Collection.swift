extension RecordedDictionary: Collection {
  /// The position of an entry; valid until an entry is inserted or removed.
  public typealias Index = [Key: Value].Index
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)

  /// The keys. Depends on all keys, but not on their values; ``contains(key:)`` depends on one key only.
  public var keys: [Key: Value].Keys {
    anchor?.registerRead(.order)
    return storage.keys
  }

  /// The values. Has the dependencies of an iteration.
  public var values: [Key: Value].Values { parts.values }

  /// All entries. Registers a read of all, or only of the keys if the values register reads themselves.
  private var parts: [Key: Value] {
    guard let anchor, anchor.isFollowed else { return storage }
    guard Anchor.isCollection(Value.self) else {
      anchor.registerReadOfAll()
      return storage
    }
    anchor.registerRead(.order)
    var parts = storage
    anchor.placeParts(of: &parts.values) { .key(of: storage[$0].key) }
    return parts
  }

  /// The number of entries. Depends on nothing else.
  public var count: Int {
    anchor?.registerRead(.count)
    return storage.count
  }

  /// Whether the dictionary is empty. Depends on the count.
  public var isEmpty: Bool { count == 0 }

  /// The position of the first entry. Depends on the keys.
  public var startIndex: Index {
    anchor?.registerRead(.order)
    return storage.startIndex
  }

  /// The position after the last entry. Depends on the keys.
  public var endIndex: Index {
    anchor?.registerRead(.order)
    return storage.endIndex
  }

  /// The position after another one.
  public func index(after position: Index) -> Index { storage.index(after: position) }

  /// The position of a key, if it is present. Depends on the keys.
  public func index(forKey key: Key) -> Index? {
    anchor?.registerRead(.order)
    return storage.index(forKey: key)
  }

  /// The entry at a position. Depends on that entry.
  public subscript(position: Index) -> Element {
    let (key, value) = storage[position]
    guard let anchor else { return (key, value) }
    return (key, anchor.part(value, at: .key(of: key)))
  }

  /// Iterates over the entries. Depends on all of them, even if it ends early, because their order differs
  /// from run to run. If the values are recorded collections, it depends on the keys and on what is read from
  /// each value.
  public func makeIterator() -> [Key: Value].Iterator { parts.makeIterator() }

  /// The entries that satisfy a predicate. Has the dependencies of an iteration.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> RecordedDictionary {
    RecordedDictionary(try parts.filter(isIncluded))
  }

  /// The same keys with other values. Has the dependencies of an iteration.
  public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> RecordedDictionary<Key, T> {
    RecordedDictionary<Key, T>(try parts.mapValues(transform))
  }

  /// The keys for which `transform` returns a value, with these values. Has the dependencies of an iteration.
  public func compactMapValues<T>(
    _ transform: (Value) throws -> T?
  ) rethrows -> RecordedDictionary<Key, T> {
    RecordedDictionary<Key, T>(try parts.compactMapValues(transform))
  }

  /// The entries merged with others; see `merge(_:uniquingKeysWith:)`. Has the dependencies of an iteration.
  public func merging(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> RecordedDictionary {
    RecordedDictionary(try parts.merging(other, uniquingKeysWith: combine))
  }

  /// The entries merged with others; see `merge(_:uniquingKeysWith:)`. Has the dependencies of an iteration.
  public func merging(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> RecordedDictionary {
    RecordedDictionary(try parts.merging(other, uniquingKeysWith: combine))
  }
}

extension RecordedDictionary {
  /// Creates a dictionary with these entries.
  ///
  /// - Precondition: The keys are unique.
  public init(uniqueKeysWithValues entries: some Sequence<(Key, Value)>) {
    storage = Dictionary(uniqueKeysWithValues: entries)
  }

  /// Creates a dictionary with these entries. If a key occurs again, the result of `combine` for both values
  /// is stored.
  public init(
    _ entries: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    storage = try Dictionary(entries, uniquingKeysWith: combine)
  }

  /// Creates a dictionary that groups values by key, in their order.
  public init<S: Sequence>(
    grouping values: S, by keyForValue: (S.Element) throws -> Key
  ) rethrows where Value == [S.Element] {
    storage = try Dictionary(grouping: values, by: keyForValue)
  }

  /// Creates an empty dictionary with room for this many entries.
  public init(minimumCapacity: Int) { storage = Dictionary(minimumCapacity: minimumCapacity) }
}

// MARK: Conformances

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

// The journal is used only during a mutation, which is exclusive.
extension RecordedDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension RecordedDictionary: CustomStringConvertible, CustomDebugStringConvertible {
  /// A description like that of a `Dictionary`. Depends on all entries.
  public var description: String { entries.description }

  /// A description like that of a `Dictionary`. Depends on all entries.
  public var debugDescription: String { entries.debugDescription }
}

extension RecordedDictionary: CustomReflectable {
  /// A mirror of the entries like that of a `Dictionary`. Depends on all of them.
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
