import EventLog

/// The edits of a recorded dictionary during a mutation of its property in place.
///
/// Values are encoded at the end, so an object that is inserted and then changed is recorded in its final
/// state. The journal is not generic: the code of a generic dictionary is not specialized, and would look up
/// the metadata of the journal, its entries and their arrays at each step.
final class DictionaryJournal {
  private enum Entry {
    /// `isSame` is the result of the app's `==`; nil means to compare the recorded values.
    /// `mutated` is the type of a value that was mutated in place.
    case set(PathComponent, () -> Value, isSame: Bool?, mutated: Any.Type?)
    case removed(PathComponent, isSame: Bool)
    case removedAll(isSame: Bool)
    case edited(PathComponent, [CollectionEdit])
    /// A value was mutated in place.
    case touched(PathComponent, AnyHashable, Any.Type)
  }

  let mutation: CollectionMutation
  private var entries: [Entry] = []
  /// The keys whose last entry is `touched`, with the index of that entry.
  private var touched: [AnyHashable: Int] = [:]

  init(_ mutation: CollectionMutation) { self.mutation = mutation }

  /// A separate journal for a copy of the dictionary.
  func copy() -> DictionaryJournal {
    let copy = DictionaryJournal(mutation)
    (copy.entries, copy.touched) = (entries, touched)
    return copy
  }

  /// Adds the set of the value for a key.
  ///
  /// - Parameters:
  ///   - isSame: The result of the app's `==`; nil to compare the recorded values.
  ///   - isMutation: Whether the value was mutated in place.
  func append<Key: Hashable, Value>(
    _ key: Key, setTo value: Value, isSame: Bool?, isMutation: Bool = false
  ) {
    forget(key)
    let mutation = mutation
    entries.append(
      .set(
        .key(of: key), { mutation.encode(value) }, isSame: isSame, mutated: isMutation ? Value.self : nil))
  }

  /// Adds the removal of the value for a key.
  func append<Key: Hashable>(removalOf key: Key, isSame: Bool) {
    forget(key)
    entries.append(.removed(.key(of: key), isSame: isSame))
  }

  /// Adds the removal of all entries.
  func append(removalOfAll isSame: Bool) {
    touched = [:]
    entries.append(.removedAll(isSame: isSame))
  }

  /// Adds the edits of a value that kept its own journal.
  func append<Key: Hashable>(_ key: Key, _ edits: [CollectionEdit]) {
    // The value is encoded at the end and then includes these edits.
    if !touched.isEmpty, touched[AnyHashable(key)] != nil { return }
    entries.append(.edited(.key(of: key), edits))
  }

  /// Records that a value was mutated in place. It is not copied before the end, so that further mutations of
  /// the value do not copy its parts.
  func touch<Key: Hashable>(_ key: Key, as type: Any.Type) {
    let hashable = AnyHashable(key)
    if touched[hashable] != nil { return }
    touched[hashable] = entries.count
    entries.append(.touched(.key(of: key), hashable, type))
  }

  /// Drops the entry for a value's mutation, because the entry that follows replaces the whole value.
  private func forget<Key: Hashable>(_ key: Key) {
    if !touched.isEmpty { touched[AnyHashable(key)] = nil }
  }

  /// All edits, in order.
  ///
  /// - Parameter value: The recorded form of the present value for a key; nil if there is none.
  func edits(_ value: (AnyHashable) -> Value?) -> [CollectionEdit] {
    var edits: [CollectionEdit] = []
    edits.reserveCapacity(entries.count)
    func add(_ edit: Edit) { edits.append(CollectionEdit(edit: edit)) }
    for (index, entry) in entries.enumerated() {
      switch entry {
      case .set(let component, let encoded, let isSame, let mutated):
        add(Edit(components: [component], kind: .set(encoded()), isSame: isSame, mutated: mutated))
      case .removed(let component, let isSame):
        add(Edit(components: [component], kind: .remove, isSame: isSame))
      case .removedAll(let isSame): add(Edit(kind: .set(.map([:])), isSame: isSame))
      case .edited(let component, let parts): for part in parts { add(part.edit.within(component)) }
      case .touched(let component, let key, let type):
        guard touched[key] == index, let value = value(key) else { continue }
        add(Edit(components: [component], kind: .set(value), isSame: nil, mutated: type))
      }
    }
    return edits
  }
}

extension PathComponent {
  /// The path component of a dictionary's key.
  static func key<Key>(of key: Key) -> PathComponent { .key(text(ofKey: key)) }

  /// The text of a dictionary's key in paths and in recorded values.
  static func text<Key>(ofKey key: Key) -> String {
    // This gives the same text as the general way, without looking up protocol conformances.
    if Key.self == Int.self, let number = key as? Int { return number.description }
    return MapKey.text(of: key) ?? String(describing: key).asName
  }
}
