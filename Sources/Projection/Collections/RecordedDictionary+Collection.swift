extension RecordedDictionary: Collection {
  /// A position among the entries; good until an entry comes or goes.
  public typealias Index = [Key: Value].Index
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)

  /// The keys. Depends on which there are, not on their values.
  public var keys: [Key: Value].Keys {
    anchor?.noteRead(.order)
    return storage.keys
  }

  /// The values. Depends on all of them.
  public var values: [Key: Value].Values {
    anchor?.noteReadOfAll()
    return storage.values
  }

  /// How many entries there are. Depends on nothing else.
  public var count: Int {
    anchor?.noteRead(.count)
    return storage.count
  }

  /// Whether there are none. Depends on the count.
  public var isEmpty: Bool { count == 0 }

  /// The position of the first entry. Depends on which keys there are.
  public var startIndex: Index {
    anchor?.noteRead(.order)
    return storage.startIndex
  }

  /// The position after the last entry. Depends on which keys there are.
  public var endIndex: Index {
    anchor?.noteRead(.order)
    return storage.endIndex
  }

  /// The position after another.
  public func index(after position: Index) -> Index { storage.index(after: position) }

  /// The position of a key, if it is there. Depends on which keys there are.
  public func index(forKey key: Key) -> Index? {
    anchor?.noteRead(.order)
    return storage.index(forKey: key)
  }

  /// The entry at a position. Depends on that entry.
  public subscript(position: Index) -> Element {
    let entry = storage[position]
    anchor?.noteRead(.key(of: entry.key))
    return entry
  }

  /// Iterates over the entries. Depends on all of them.
  public func makeIterator() -> [Key: Value].Iterator {
    anchor?.noteReadOfAll()
    return storage.makeIterator()
  }

  /// The entries that satisfy a predicate. Depends on all of them.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> RecordedDictionary {
    RecordedDictionary(try entries.filter(isIncluded))
  }

  /// The same keys with other values. Depends on all entries.
  public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> RecordedDictionary<Key, T> {
    RecordedDictionary<Key, T>(try entries.mapValues(transform))
  }

  /// The keys for which there is another value, with these. Depends on all entries.
  public func compactMapValues<T>(
    _ transform: (Value) throws -> T?
  ) rethrows -> RecordedDictionary<Key, T> {
    RecordedDictionary<Key, T>(try entries.compactMapValues(transform))
  }

  /// The entries with others put in; see ``merge(_:uniquingKeysWith:)``. Depends on all entries.
  public func merging(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> RecordedDictionary {
    RecordedDictionary(try entries.merging(other, uniquingKeysWith: combine))
  }

  /// The entries with others put in; see ``merge(_:uniquingKeysWith:)``. Depends on all entries.
  public func merging(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> RecordedDictionary {
    RecordedDictionary(try entries.merging(other, uniquingKeysWith: combine))
  }
}
