extension RecordedDictionary: Collection {
  /// A position among the entries; good until an entry comes or goes.
  public typealias Index = [Key: Value].Index
  /// A key and its value.
  public typealias Element = (key: Key, value: Value)

  /// The keys. Depends on which there are, not on their values; so does what is asked of one of them:
  /// ``contains(key:)`` depends on that one alone.
  public var keys: [Key: Value].Keys {
    anchor?.noteRead(.order)
    return storage.keys
  }

  /// The values. Depends on what an iteration depends on.
  public var values: [Key: Value].Values { parts.values }

  /// The entries, for who looks at all of them one by one.
  private var parts: [Key: Value] {
    guard let anchor, anchor.isFollowed else { return storage }
    guard Anchor.isCollection(Value.self) else {
      anchor.noteReadOfAll()
      return storage
    }
    anchor.noteRead(.order)
    var parts = storage
    anchor.placeParts(of: &parts.values) { .key(of: storage[$0].key) }
    return parts
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
    let (key, value) = storage[position]
    guard let anchor else { return (key, value) }
    return (key, anchor.part(value, at: .key(of: key)))
  }

  /// Iterates over the entries. Depends on all of them, wherever it ends: their order is not the app's, and differs from
  /// run to run. Where the values are recorded collections it depends on which keys there are, and on what is read
  /// of each value.
  public func makeIterator() -> [Key: Value].Iterator { parts.makeIterator() }

  /// The entries that satisfy a predicate. Depends on what an iteration depends on.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> RecordedDictionary {
    RecordedDictionary(try parts.filter(isIncluded))
  }

  /// The same keys with other values. Depends on what an iteration depends on.
  public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> RecordedDictionary<Key, T> {
    RecordedDictionary<Key, T>(try parts.mapValues(transform))
  }

  /// The keys for which there is another value, with these. Depends on what an iteration depends on.
  public func compactMapValues<T>(
    _ transform: (Value) throws -> T?
  ) rethrows -> RecordedDictionary<Key, T> {
    RecordedDictionary<Key, T>(try parts.compactMapValues(transform))
  }

  /// The entries with others put in; see ``merge(_:uniquingKeysWith:)``. Depends on what an iteration depends on.
  public func merging(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> RecordedDictionary {
    RecordedDictionary(try parts.merging(other, uniquingKeysWith: combine))
  }

  /// The entries with others put in; see ``merge(_:uniquingKeysWith:)``. Depends on what an iteration depends on.
  public func merging(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows -> RecordedDictionary {
    RecordedDictionary(try parts.merging(other, uniquingKeysWith: combine))
  }
}
