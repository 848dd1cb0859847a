import EventLog

/// An array whose elements are followed one by one: reading `rows[3]` depends on that element, and setting
/// it wakes only those who read it, or the whole.
///
///     @Recorded final class Store { var rows: RecordedArray<Row> = [] }
///
///     store.rows[3].count += 1        // logged as one set of `store.rows[id: 3].count`
///     store.rows[id: 7]?.title        // follows the element wherever it moves
///
/// Elements that are `Identifiable` can be read and are logged by id. The first of several elements with
/// one id counts. In a property of a ``Recorded()`` class it is mutated in place, and the log takes the edit,
/// not the array; anywhere else it is a plain array. Prefer `Array` for small arrays that change as a whole.
public struct RecordedArray<Element> {
  var storage: [Element]
  /// The property that holds the array, once its object is attached.
  public var anchor: Anchor?
  var journal: ArrayJournal<Element>?
  /// How often this copy was mutated since its journal began: another copy may write into the same journal.
  var editCount = 0

  /// Creates an empty array.
  public init() { storage = [] }

  /// Creates an array of these elements.
  public init(_ elements: some Sequence<Element>) { storage = Array(elements) }

  /// A plain array of the elements. Depends on all of them.
  public var elements: [Element] {
    anchor?.noteReadOfAll()
    return storage
  }
}

/// What was done to a recorded array since its property began to be mutated in place.
final class ArrayJournal<Element> {
  enum Entry {
    case replace(Int, old: Element, new: Element)
    case splice(offset: Int, removed: [Element], inserted: [Element])
  }

  var entries: [Entry] = []
}

extension RecordedArray: RecordedCollection {
  /// Starts to keep a journal.
  public mutating func _$beginEdits() {
    journal = ArrayJournal()
    editCount = 0
  }

  /// Stops, and gives what was done, or nil when the journal does not tell the whole story.
  public mutating func _$endEdits(_ encoder: CollectionEncoder) -> [CollectionEdit]? {
    defer { journal = nil }
    guard let journal, journal.entries.count == editCount else { return nil }
    return journal.entries.flatMap { edits($0, encoder) }.map(CollectionEdit.init)
  }

  private func edits(_ entry: ArrayJournal<Element>.Entry, _ encoder: CollectionEncoder) -> [Edit] {
    switch entry {
    case .replace(let index, let old, let new):
      let same = isSame(old, new) ?? false
      return [Edit(components: [.index(index)], kind: .set(encoder.encode(new)), isSame: same)]
    case .splice(let offset, let removed, let inserted):
      let same =
        removed.count == inserted.count
        && zip(removed, inserted).allSatisfy { isSame($0, $1) ?? false }
      let values = inserted.map(encoder.encode)
      return [
        Edit(kind: .splice(offset: offset, delete: removed.count, insert: .array(values)), isSame: same)
      ]
    }
  }
}
