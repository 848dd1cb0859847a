import EventLog

/// A dictionary whose entries are tracked one by one: a projection that reads `episodes["a1"]` depends on
/// that entry and on its presence; setting another entry does not invalidate the projection.
///
///     @Recorded final class App { var episodes: RecordedDictionary<String, Episode> = [:] }
///
///     app.episodes["a1"]?.playbackPosition = 60   // logged at app.episodes["a1"].playbackPosition
///     app.episodes.merge(fresh) { $0.update(from: $1) } insert: { Episode($0) }
///
/// In a property of a ``Recorded()`` class the dictionary is mutated in place, and the log contains the edits
/// instead of the whole dictionary; elsewhere it is a plain dictionary. Values are compared like the elements
/// of a ``RecordedArray``, and a value that is a recorded collection tracks its own elements.
///
/// In paths a key is written as its description; two keys with the same description are the same key there.
/// If equal keys have different descriptions, such as two spellings of an accented letter, the log uses the
/// key with which the entry was inserted.
///
/// Cost: reading and setting an entry are constant on average; recording a change of one entry takes 2 us at
/// any size.
public struct RecordedDictionary<Key: Hashable, Value> {
  var storage: [Key: Value]
  /// The place of the dictionary, once its object is attached.
  public var anchor: Anchor?
  private var journal: DictionaryJournal?

  /// Creates an empty dictionary.
  public init() { storage = [:] }

  /// Creates a dictionary with these entries.
  public init(_ entries: [Key: Value]) { storage = entries }

  /// A plain dictionary of the entries. Depends on all of them.
  public var entries: [Key: Value] {
    anchor?.registerReadOfAll()
    return storage
  }
}

// MARK: Entries

extension RecordedDictionary {
  /// The value for a key. Reading depends on that entry, even if the value is only compared with nil;
  /// ``contains(key:)`` depends only on its presence. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get { value(forKey: key) }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
    }
    _modify {
      let key = journalKey(key)
      let old = copyToCompare(of: key)
      let wasThere = mutation != nil && storage[key] != nil
      defer { appendMutation(of: key, wasThere: wasThere, from: old) }
      yield &storage[key]
    }
  }

  /// The value for a key, or a default. Reading depends only on that entry. A mutation in place starts from
  /// the default if there is no value.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
    _modify {
      let key = journalKey(key)
      let old = copyToCompare(of: key)
      let wasThere = mutation != nil && storage[key] != nil
      defer { appendMutation(of: key, wasThere: wasThere, from: old) }
      yield &storage[key, default: defaultValue()]
    }
  }

  /// The value for a key. Registers the read.
  private func value(forKey key: Key) -> Value? {
    guard let anchor else { return storage[key] }
    return anchor.part(storage[key], ifAnyAt: .key(of: ownKey(key)))
  }

  /// Whether there is a value for a key. Depends only on that, not on the value or on other entries.
  public func contains(key: Key) -> Bool {
    let isThere = storage[key] != nil
    anchor?.registerPresence(of: .key(of: ownKey(key)), isThere: isThere)
    return isThere
  }

  /// Sets the value for a key, and returns the old value, if there was one.
  @discardableResult
  public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
    let key = journalKey(key)
    let old = storage.updateValue(value, forKey: key)
    if let journal = openJournal() {
      journal.append(key, setTo: value, isSame: old.map { Self.isSameValue($0, value) } ?? false)
    }
    return old
  }

  /// Removes an entry, and returns its value if there was one.
  @discardableResult
  public mutating func removeValue(forKey key: Key) -> Value? {
    let key = journalKey(key)
    let old = storage.removeValue(forKey: key)
    openJournal()?.append(removalOf: key, isSame: old == nil)
    return old
  }

  /// Removes the entry at a position, and returns it.
  @discardableResult
  public mutating func remove(at position: Index) -> Element {
    let entry = storage.remove(at: position)
    openJournal()?.append(removalOf: entry.key, isSame: false)
    return entry
  }

  /// Removes and returns an arbitrary entry, if there is one.
  public mutating func popFirst() -> Element? {
    storage.isEmpty ? nil : remove(at: storage.startIndex)
  }

  /// Removes all entries. Logged as one set.
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    openJournal()?.append(removalOfAll: storage.isEmpty)
    storage.removeAll(keepingCapacity: keepCapacity)
  }

  /// Removes the entries that satisfy a predicate. If the predicate throws, the dictionary is unchanged.
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    for (_, key, _) in Self.inOrder(try storage.filter(shouldBeRemoved)) { removeValue(forKey: key) }
  }

  /// Adds other entries. If a key is present, sets its value to the result of `combine` for both values.
  public mutating func merge(
    _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other { try merge(key, value, combine) }
  }

  /// Adds other entries. If a key is present, sets its value to the result of `combine` for both values.
  public mutating func merge(
    _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (_, key, value) in Self.inOrder(other) { try merge(key, value, combine) }
  }

  private mutating func merge(
    _ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value
  ) rethrows {
    updateValue(try storage[key].map { try combine($0, value) } ?? value, forKey: key)
  }

  /// Reserves room for this many entries.
  public mutating func reserveCapacity(_ minimumCapacity: Int) { storage.reserveCapacity(minimumCapacity) }

  /// The number of entries that fit without another allocation.
  public var capacity: Int { storage.capacity }

  /// A copy of a value before its mutation in place, if it will be compared.
  private func copyToCompare(of key: Key) -> Value? {
    mutation != nil && Self.comparesCopies ? storage[key] : nil
  }
}

extension RecordedDictionary where Value: RecordedCollection {
  /// The recorded collection for a key. Reading depends on its presence. It registers reads of its own
  /// elements, and its mutations are recorded as edits of it.
  public subscript(key: Key) -> Value? {
    get { value(forKey: key) }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeValue(forKey: key) }
    }
    _modify {
      let key = journalKey(key)
      guard let mutation, storage[key]?._$beginEdits(mutation) != nil else {
        defer { appendMutation(of: key, wasThere: false, from: nil) }
        yield &storage[key]
        return
      }
      defer {
        if let edits = storage[key]?._$endEdits(mutation) ?? nil {
          openJournal()?.append(key, edits)
        } else {
          appendMutation(of: key, wasThere: true, from: nil)
        }
      }
      yield &storage[key]
    }
  }

  /// The collection for a key, or a default: `groups["a", default: []].append(1)`.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
    _modify {
      let key = journalKey(key)
      guard let mutation, storage[key]?._$beginEdits(mutation) != nil else {
        defer { appendMutation(of: key, wasThere: false, from: nil) }
        yield &storage[key, default: defaultValue()]
        return
      }
      defer {
        if let edits = storage[key]?._$endEdits(mutation) ?? nil {
          openJournal()?.append(key, edits)
        } else {
          appendMutation(of: key, wasThere: true, from: nil)
        }
      }
      yield &storage[key, default: defaultValue()]
    }
  }
}

// MARK: Functions for the library

extension RecordedDictionary: RecordedCollection {
  /// Makes this the dictionary that is stored at an anchor.
  public mutating func _$bind(to anchor: Anchor) { self.anchor = anchor }

  /// Starts a journal.
  public mutating func _$beginEdits(_ mutation: CollectionMutation) { journal = DictionaryJournal(mutation) }

  /// Ends the journal and returns its edits; nil if it was begun for another mutation.
  public mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]? {
    defer { journal = nil }
    guard let journal, journal.mutation === mutation else { return nil }
    return journal.edits { key in
      (key.base as? Key).flatMap { storage[$0] }.map { mutation.encode($0) }
    }
  }
}

extension RecordedDictionary: RecordableValue {
  /// Encodes the entries as a map, sorted by key.
  public func recordedValue(in context: inout EncodingContext) -> EventLog.Value {
    var fields: NamedValues<EventLog.Value> = [:]
    for (text, _, value) in Self.inOrder(storage) { fields[text] = context.encodeElement(value) }
    return .map(fields)
  }
}

extension RecordedDictionary: RestorableValue {
  /// Restores the entries from a map.
  public static func restored(from value: EventLog.Value, in context: RestoringContext) throws -> Self {
    guard case .map = value else { throw context.mismatch(value, self) }
    return RecordedDictionary(try [Key: Value].restored(from: value, in: context))
  }
}

// MARK: Journal

extension RecordedDictionary {
  /// The mutation for which the dictionary keeps a journal; nil outside of one.
  var mutation: CollectionMutation? {
    guard let journal, journal.mutation.isOpen else { return nil }
    return journal.mutation
  }

  /// The stored key that equals a key, which may have another spelling; the key itself if there is no entry.
  private func ownKey(_ key: Key) -> Key {
    // A number has only one spelling.
    if Key.self == Int.self { return key }
    guard let position = storage.index(forKey: key) else { return key }
    return storage.keys[position]
  }

  /// The key for an entry in the journal. Cost: a hash during a mutation, otherwise none.
  private func journalKey(_ key: Key) -> Key { mutation == nil ? key : ownKey(key) }

  /// The journal, for adding entries; nil outside of a mutation. A copy of the dictionary gets its own
  /// journal.
  private mutating func openJournal() -> DictionaryJournal? {
    guard journal?.mutation.isOpen == true else { return nil }
    if !isKnownUniquelyReferenced(&journal) { journal = journal?.copy() }
    return journal
  }

  /// Adds the mutation, insertion or removal of the value for a key to the journal.
  ///
  /// - Parameter old: The earlier value, if a copy was kept.
  private mutating func appendMutation(of key: Key, wasThere: Bool, from old: Value?) {
    guard let journal = openJournal() else { return }
    if let old, let new = storage[key] {
      journal.append(key, setTo: new, isSame: Frame.untracked { isSame(old, new) }, isMutation: true)
    } else if storage[key] != nil {
      journal.touch(key, as: Value.self)
    } else {
      journal.append(removalOf: key, isSame: !wasThere)
    }
  }

  /// Entries sorted by the texts of their keys, so that the recorded order does not depend on hashes.
  static func inOrder(_ entries: [Key: Value]) -> [(text: String, key: Key, value: Value)] {
    entries.map { (PathComponent.text(ofKey: $0.key), $0.key, $0.value) }.sorted {
      ExactString($0.0) < ExactString($1.0)
    }
  }

  /// Whether to keep a copy of a value during its mutation. A copy of a value with parts would make them
  /// copy.
  private static var comparesCopies: Bool { _isPOD(Value.self) || Value.self is AnyClass }

  /// Whether two values are equal by the app's `==`; nil if the recorded values must be compared.
  private static func isSameValue(_ old: Value, _ new: Value) -> Bool? {
    if let same = Frame.untracked({ isSame(old, new) }) { return same }
    return Value.self is any RecordedCollection.Type ? nil : false
  }
}

extension RecordedDictionary: KeyedCollection {}

/// Records the replacement of a dictionary by another.
extension RecordedDictionary: PlainCollection {
  func agrees(with old: Self) -> Bool { storage.agrees(with: old.storage) }

  func edits(from old: Self, recorded: EventLog.Value, by encoder: some ElementEncoding) -> [Edit]? {
    storage.edits(from: old.storage, recorded: recorded, by: encoder) { PathComponent.text(ofKey: $0) }
  }
}
