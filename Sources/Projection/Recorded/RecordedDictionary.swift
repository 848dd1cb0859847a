import EventLog

/// A dictionary whose entries are followed one by one: reading `episodes["a1"]` depends on that entry and on
/// whether it is there; setting another entry wakes nobody who read it.
///
///     @Recorded final class App { var episodes: RecordedDictionary<String, Episode> = [:] }
///
///     app.episodes["a1"]?.playbackPosition = 60   // logged at app.episodes["a1"].playbackPosition
///     app.episodes.merge(fresh) { $0.update(from: $1) } insert: { Episode($0) }
///
/// In a property of a ``Recorded()`` class it is mutated in place, and the log takes the edit, not the
/// dictionary; anywhere else it is a plain dictionary. A value is compared, and a recorded collection that is a value is
/// followed, as an element of a ``RecordedArray`` is.
///
/// In paths, keys are written as they describe themselves; two keys that describe themselves alike are one there. Of equal
/// keys that describe themselves differently, as two spellings of an accent, that of the entry counts.
public struct RecordedDictionary<Key: Hashable, Value> {
  var storage: [Key: Value]
  /// The place that holds the dictionary, once its object is attached.
  public var anchor: Anchor?
  private var journal: DictionaryJournal<Key, Value>?

  /// Creates an empty dictionary.
  public init() { storage = [:] }

  /// Creates a dictionary with these entries.
  public init(_ entries: [Key: Value]) { storage = entries }

  /// A plain dictionary of the entries. Depends on all of them.
  public var entries: [Key: Value] {
    anchor?.noteReadOfAll()
    return storage
  }
}

extension RecordedDictionary {
  /// The mutation that the dictionary keeps a journal for; nil when nobody asks what is done.
  var mutation: CollectionMutation? {
    guard let journal, journal.mutation.isOpen else { return nil }
    return journal.mutation
  }

  /// The key of the entry that a key finds: where the app takes two spellings of a name as one key, the entry keeps that
  /// with which it came. The key itself where there is no entry.
  func ownKey(_ key: Key) -> Key { storage.index(forKey: key).map { storage[$0].key } ?? key }

  /// The key by which what is about to be done to an entry is noted. Cost: a hash, during a mutation.
  func keyToNote(_ key: Key) -> Key { mutation == nil ? key : ownKey(key) }

  /// Notes what was done to one key.
  mutating func note(_ entry: @autoclosure () -> DictionaryJournal<Key, Value>.Entry, of key: Key) {
    if mutation != nil { journal?.append(entry(), of: key) }
  }

  /// Notes that all entries are about to be removed.
  mutating func noteRemovalOfAll() {
    if mutation != nil { journal?.appendRemovalOfAll(isSame: storage.isEmpty) }
  }

  /// Notes that the value for a key was mutated where it stands, or came or went.
  ///
  /// - Parameter old: The value before, if it is to be compared.
  mutating func noteMutation(of key: Key, wasThere: Bool, from old: Value?) {
    if mutation == nil { return }
    if let old, let new = storage[key] {
      note(.set(key, new, isSame: Self.isSameValue(old, new)), of: key)
    } else if storage[key] != nil {
      journal?.touch(key)
    } else {
      note(.removed(key, isSame: !wasThere), of: key)
    }
  }

  /// Entries in the order of their keys' texts: what is recorded must not depend on how keys are hashed.
  static func inOrder(_ entries: [Key: Value]) -> [(text: String, key: Key, value: Value)] {
    entries.map { (PathComponent.text(ofKey: $0.key), $0.key, $0.value) }.sorted {
      ExactString($0.0) < ExactString($1.0)
    }
  }

  /// Whether a copy of a value costs nothing later: a copy of one with parts would make these copy.
  static var comparesCopies: Bool { _isPOD(Value.self) || Value.self is AnyClass }

  /// Whether by the app's equality nothing changes; nil where the recorded values are to say.
  static func isSameValue(_ old: Value, _ new: Value) -> Bool? {
    if let same = Frame.untracked({ isSame(old, new) }) { return same }
    return Value.self is any RecordedCollection.Type ? nil : false
  }
}

extension RecordedDictionary: RecordedCollection {
  /// Makes this the dictionary that is stored at a place.
  public mutating func _$bind(to anchor: Anchor) { self.anchor = anchor }

  /// Starts to keep a journal.
  public mutating func _$beginEdits(_ mutation: CollectionMutation) { journal = DictionaryJournal(mutation) }

  /// Stops, and gives what was done.
  public mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]? {
    defer { journal = nil }
    guard let journal, journal.mutation === mutation else { return nil }
    return journal.edits(storage)
  }
}

extension RecordedDictionary: RecordableValue {
  /// A map of the entries, by key in order.
  public func recordedValue(in context: inout EncodingContext) -> EventLog.Value {
    var fields: NamedValues<EventLog.Value> = [:]
    for (text, _, value) in Self.inOrder(storage) { fields[text] = context.encodeElement(value) }
    return .map(fields)
  }
}
