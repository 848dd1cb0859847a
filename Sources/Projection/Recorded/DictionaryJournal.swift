import EventLog

/// What was done to a recorded dictionary since its property began to be mutated in place.
struct DictionaryJournal<Key: Hashable, Value> {
  enum Entry {
    /// A value for a key. Whether it is the same as before is for the recorded values to say where the app was not
    /// asked.
    case set(Key, Value, isSame: Bool?)
    case removed(Key, isSame: Bool)
    case removedAll(isSame: Bool)
    case edited(Key, [Edit])
    /// A value was mutated where it stands, and is looked at in the end.
    case touched(Key)
  }

  let mutation: CollectionMutation
  private var entries: [Entry] = []
  private var touched: Set<Key> = []

  init(_ mutation: CollectionMutation) { self.mutation = mutation }

  /// Adds the removal of all entries.
  mutating func appendRemovalOfAll(isSame: Bool) {
    touched = []
    entries.append(.removedAll(isSame: isSame))
  }

  /// Adds what was done to one key.
  mutating func append(_ entry: Entry, of key: Key) {
    // What was mutated is looked at in the end, edits and all.
    if case .edited = entry, touched.contains(key) { return }
    touched.remove(key)
    entries.append(entry)
  }

  /// Notes that a value was mutated. It is not copied before the end, so that going on with it does not copy its
  /// parts.
  mutating func touch(_ key: Key) {
    if touched.insert(key).inserted { entries.append(.touched(key)) }
  }

  /// All edits, in order.
  func edits(_ values: [Key: Value]) -> [CollectionEdit] {
    var touched = touched
    return entries.flatMap { entry -> [Edit] in
      switch entry {
      case .set(let key, let value, let isSame): [set(.key(of: key), value, isSame)]
      case .removed(let key, let isSame):
        [Edit(components: [.key(of: key)], kind: .remove, isSame: isSame)]
      case .removedAll(let isSame): [Edit(kind: .set(.map([:])), isSame: isSame)]
      case .edited(let key, let edits): edits.map { $0.within(.key(of: key)) }
      case .touched(let key):
        touched.remove(key).flatMap { values[$0] }.map { [set(.key(of: key), $0, nil)] } ?? []
      }
    }
    .map(CollectionEdit.init)
  }

  private func set(_ component: PathComponent, _ value: Value, _ isSame: Bool?) -> Edit {
    Edit(components: [component], kind: .set(mutation.encode(value)), isSame: isSame)
  }
}

extension PathComponent {
  /// A dictionary's key as a step.
  static func key<Key>(of key: Key) -> PathComponent { .key(text(ofKey: key)) }

  /// How a dictionary's key is written in paths and in recorded values.
  static func text<Key>(ofKey key: Key) -> String { MapKey.text(of: key) ?? String(describing: key) }
}
