import EventLog
import OrderedCollections

/// A dictionary whose entries are followed one by one: reading `episodes["a1"]` depends on that entry and on
/// whether it is there; setting another entry wakes nobody who read it.
///
///     @Recorded final class App { var episodes: RecordedDictionary<String, Episode> = [:] }
///
///     app.episodes["a1"]?.playbackPosition = 60   // logged at app.episodes["a1"].playbackPosition
///
/// In a property of a ``Recorded()`` class it is mutated in place, and the log takes the edit, not the
/// dictionary; anywhere else it is a plain dictionary. In paths, keys are written as they describe themselves.
public struct RecordedDictionary<Key: Hashable, Value> {
  var storage: [Key: Value]
  /// The property that holds the dictionary, once its object is attached.
  public var anchor: Anchor?
  var journal: DictionaryJournal<Key, Value>?
  /// How often this copy was mutated since its journal began: another copy may write into the same journal.
  var editCount = 0

  /// Creates an empty dictionary.
  public init() { storage = [:] }

  /// Creates a dictionary with these entries.
  public init(_ entries: [Key: Value]) { storage = entries }

  /// A plain dictionary of the entries. Depends on all of them.
  public var entries: [Key: Value] {
    anchor?.noteReadOfAll()
    return storage
  }

  /// The value for a key. Reading depends on that entry alone; setting nil removes it.
  public subscript(key: Key) -> Value? {
    get {
      anchor?.noteRead(.key(Self.text(of: key)))
      return storage[key]
    }
    set {
      note(key, old: storage[key], new: newValue)
      storage[key] = newValue
    }
    _modify {
      guard let journal else {
        yield &storage[key]
        return
      }
      let old = storage[key]
      editCount += 1
      defer { journal.entries.append((key, old, storage[key])) }
      yield &storage[key]
    }
  }

  /// The value for a key, or a default. Reading depends on that entry alone.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { self[key] = newValue }
  }

  /// Removes an entry, and returns its value if there was one.
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let old = storage[key]
    note(key, old: old, new: nil)
    storage[key] = nil
    return old
  }

  /// Removes all entries.
  public mutating func removeAll() {
    for key in storage.keys { note(key, old: storage[key], new: nil) }
    storage.removeAll()
  }

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

  private mutating func note(_ key: Key, old: Value?, new: Value?) {
    guard let journal else { return }
    editCount += 1
    journal.entries.append((key, old, new))
  }

  /// How a key is written in paths and in recorded values.
  static func text(of key: Key) -> String { MapKey.text(of: key) ?? String(describing: key) }
}

/// What was done to a recorded dictionary since its property began to be mutated in place.
final class DictionaryJournal<Key, Value> {
  var entries: [(key: Key, old: Value?, new: Value?)] = []
}

extension RecordedDictionary: RecordedCollection {
  /// Starts to keep a journal.
  public mutating func _$beginEdits() {
    journal = DictionaryJournal()
    editCount = 0
  }

  /// Stops, and gives what was done, or nil when the journal does not tell the whole story.
  public mutating func _$endEdits(_ encoder: CollectionEncoder) -> [CollectionEdit]? {
    defer { journal = nil }
    guard let journal, journal.entries.count == editCount else { return nil }
    return journal.entries.compactMap { edit($0, encoder) }.map(CollectionEdit.init)
  }

  private func edit(_ entry: (key: Key, old: Value?, new: Value?), _ encoder: CollectionEncoder) -> Edit? {
    let component = PathComponent.key(Self.text(of: entry.key))
    guard let new = entry.new else {
      return Edit(components: [component], kind: .remove, isSame: entry.old == nil)
    }
    let same = entry.old.flatMap { isSame($0, new) } ?? false
    return Edit(components: [component], kind: .set(encoder.encode(new)), isSame: same)
  }
}

extension RecordedDictionary: Sequence {
  /// Iterates over the entries. Depends on all of them.
  public func makeIterator() -> [Key: Value].Iterator {
    anchor?.noteReadOfAll()
    return storage.makeIterator()
  }
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

extension RecordedDictionary: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension RecordedDictionary: RecordableValue {
  /// A map of the entries, by key in order.
  public func recordedValue(in context: inout EncodingContext) -> EventLog.Value {
    let sorted = storage.map { (Self.text(of: $0.key), $0.value) }.sorted { $0.0 < $1.0 }
    var fields: OrderedDictionary<String, EventLog.Value> = [:]
    for (key, value) in sorted { fields[key] = context.encodeElement(value) }
    return .map(fields)
  }
}
