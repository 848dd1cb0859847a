import EventLog

/// An array whose elements are tracked one by one: a projection that reads `rows[3]` depends on that element alone, and
/// setting it invalidates only projections that read it or the whole array.
///
///     @Recorded final class Store { var rows: RecordedArray<Row> = [] }
///
///     store.rows[3].count += 1        // logged as one set of `store.rows[id: 3].count`
///     store.rows[id: 7]?.title        // follows the element wherever it moves
///     store.rows.sort { $0.count < $1.count }   // logged as the moves that it takes
///     store.rows.merge(fresh)         // takes over what differs, and returns a report of it
///
/// Elements that are `Identifiable` can be read by id, and are logged by it. Of several elements with one id only the
/// first is found. In a property of a ``Recorded()`` class the array is mutated in place, and the log gets the edit, not
/// the array; anywhere else it is a plain array. A recorded collection that is an element, or a value of a
/// ``RecordedDictionary``, is tracked by its own elements in turn; a struct that holds one is tracked as a whole.
///
/// A mutation of an element in place is compared by `==` with the value before if the element is trivial (a number) or an
/// object. A copy of any other element would make its parts copy, so what the log holds of it is compared.
///
/// Cost: reading and setting an element are constant; recording a change of one element takes 2 us at any length.
///
/// Prefer `Array` for small arrays that change as a whole.
public struct RecordedArray<Element> {
  var storage: [Element]
  /// Where the array is stored, once its object is attached.
  public var anchor: Anchor?
  var journal: ArrayJournal<Element>?
  /// The index of each id, in an array that an object holds.
  var positions: ElementPositions<Element>?

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

extension RecordedArray {
  /// The mutation for which the array keeps a journal; nil outside of one.
  var mutation: CollectionMutation? {
    guard let journal, journal.mutation.isOpen else { return nil }
    return journal.mutation
  }

  /// Adds an entry to the journal, and updates the indexes of ids, before the change is made.
  mutating func note(_ entry: (_ elements: [Element]) -> ArrayJournal<Element>.Entry) {
    let areLookedUp = positions?.isUsed == true
    guard areLookedUp || mutation != nil else { return }
    let entry = entry(storage)
    if areLookedUp { moveKnownPositions(entry) }
    if mutation != nil { journal?.append(entry, in: storage) }
  }

  /// Adds to the journal that an element was mutated in place, from `old` if a copy was kept.
  mutating func noteMutation(at index: Int, from old: Element?) {
    guard mutation != nil else { return }
    if let old {
      let new = storage[index]
      journal?.append(.replaced(index, by: new, isSame: Self.areEqual(old, new)), in: storage)
    } else {
      noteMutation(at: index)
    }
  }

  /// Adds to the journal that an element was mutated in place; whether it changed is found from the recorded values.
  mutating func noteMutation(at index: Int) {
    if mutation != nil { journal?.touch(index, in: storage) }
  }

  /// Updates the indexes of ids for a change that is about to be made.
  private mutating func moveKnownPositions(_ entry: ArrayJournal<Element>.Entry) {
    // Copies of the array share the table.
    guard isKnownUniquelyReferenced(&positions) else {
      positions = positions?.emptied()
      return
    }
    switch entry {
    case .replaced(let index, let element, _):
      positions?.splice(at: index, removed: storage[index..<(index + 1)], inserted: CollectionOfOne(element))
    case .spliced(let offset, let removed, let inserted, _):
      // One of several splices may insert behind what is stored yet.
      let gone = removed == 0 ? [] : storage[offset..<(offset + removed)]
      positions?.splice(at: offset, removed: gone, inserted: inserted)
    case .edited: positions?.forget()
    }
  }

  /// Drops the indexes of ids, as any element may have another id.
  mutating func forgetPositions() {
    if positions == nil { return }
    if isKnownUniquelyReferenced(&positions) {
      positions?.forget()
    } else {
      positions = positions?.emptied()
    }
  }

  /// Whether a copy of an element can be kept during a mutation; a copy of one with parts would make them copy.
  static var comparesCopies: Bool { _isPOD(Element.self) || Element.self is AnyClass }

  /// Whether two elements are equal by the app's `==`; nil if the recorded values are to be compared.
  static func areEqual(_ old: Element, _ new: Element) -> Bool? {
    if let same = Frame.untracked({ isSame(old, new) }) { return same }
    return Element.self is any RecordedCollection.Type ? nil : false
  }
}

extension RecordedArray: RecordedCollection {
  /// Makes this the array that is stored at an anchor.
  public mutating func _$bind(to anchor: Anchor) {
    self.anchor = anchor
    if positions == nil { positions = ElementPositions.make() }
  }

  /// Starts a journal.
  public mutating func _$beginEdits(_ mutation: CollectionMutation) { journal = ArrayJournal(mutation) }

  /// Ends the journal and records its entry, if one element was mutated in place and the engine can record that at once.
  public mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool {
    guard let index = journal?.onlyElement, journal?.mutation === mutation,
      storage.withUnsafeBufferPointer({
        $0.baseAddress.map { mutation.record($0 + index, at: index) } ?? false
      })
    else { return false }
    journal = nil
    return true
  }

  /// Ends the journal, and returns its edits; nil if it was begun for another mutation.
  public mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]? {
    defer { journal = nil }
    guard var journal, journal.mutation === mutation else { return nil }
    self.journal = nil
    return journal.finish(storage)
  }
}

extension RecordedArray: RecordableValue {
  /// An array of the elements; each that is `Identifiable` and recorded as a map has its `id`.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(storage.map { context.encodeElement($0) })
  }
}

extension RecordedArray: RestorableValue {
  /// The elements.
  public static func restored(from value: Value, in context: RestoringContext) throws -> Self {
    try restoredElements(from: value, in: context)
  }
}

// MARK: Conformances

extension RecordedArray: ExpressibleByArrayLiteral {
  /// Creates an array of these elements.
  public init(arrayLiteral elements: Element...) { storage = elements }
}

extension RecordedArray: Equatable where Element: Equatable {
  /// Compares the elements. Depends on all of them.
  public static func == (a: RecordedArray, b: RecordedArray) -> Bool { a.elements == b.elements }
}

extension RecordedArray: Hashable where Element: Hashable {
  /// Hashes the elements. Depends on all of them.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

// What is shared between copies is behind locks; the journal is used during a mutation only, which is exclusive.
extension RecordedArray: @unchecked Sendable where Element: Sendable {}

extension RecordedArray: CustomStringConvertible, CustomDebugStringConvertible {
  /// As an `Array` describes itself. Depends on all elements.
  public var description: String { elements.description }

  /// As an `Array` describes itself. Depends on all elements.
  public var debugDescription: String { elements.debugDescription }
}

extension RecordedArray: CustomReflectable {
  /// Shows the elements, as of an `Array`. Depends on all of them.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .collection) }
}

extension RecordedArray: Encodable where Element: Encodable {
  /// Encodes as an `Array` does. Depends on all elements.
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension RecordedArray: Decodable where Element: Decodable {
  /// Decodes as an `Array` does.
  public init(from decoder: any Decoder) throws { storage = try [Element](from: decoder) }
}

// MARK: Journal

/// The edits of a recorded array during a mutation in place of its property.
///
/// Elements are encoded at the end, so an object that is inserted and then changed is recorded as it is at the end.
struct ArrayJournal<Element> {
  enum Entry {
    /// `isSame` is the result of the app's `==`; nil if the recorded values are to be compared.
    case replaced(Int, by: Element, isSame: Bool?)
    case spliced(Int, removed: Int, inserted: [Element], isSame: Bool)
    case edited(Int, [Edit])
  }

  let mutation: CollectionMutation
  private var entries: [Entry] = []
  /// The element that was mutated in place and has no entry yet.
  private var touched: Int?

  init(_ mutation: CollectionMutation) { self.mutation = mutation }

  /// Adds an entry.
  mutating func append(_ entry: Entry, in elements: [Element]) {
    settle(elements)
    entries.append(entry)
  }

  /// Notes that an element was mutated in place. It is copied when something else is done, so that further mutations of
  /// it do not copy its parts.
  mutating func touch(_ index: Int, in elements: [Element]) {
    if touched != index { settle(elements) }
    touched = index
  }

  /// Adds an entry for the element that was mutated in place, before its index changes.
  mutating func settle(_ elements: [Element]) {
    guard let index = touched else { return }
    touched = nil
    entries.append(.replaced(index, by: elements[index], isSame: nil))
  }

  /// The index of the element that was mutated, if nothing else was done.
  fileprivate var onlyElement: Int? {
    switch (entries.count, touched) {
    case (0, let index?): index
    case (1, nil):
      if case .replaced(let index, _, let isSame) = entries[0], isSame != true { index } else { nil }
    default: nil
    }
  }

  /// Ends the journal, and returns all edits in order.
  mutating func finish(_ elements: [Element]) -> [CollectionEdit] {
    settle(elements)
    // A loop: `flatMap` and `map` look up the metadata of their result types at each call.
    var edits: [CollectionEdit] = []
    for entry in entries {
      switch entry {
      case .replaced(let index, let element, let isSame):
        let value = mutation.encode(element)
        edits.append(
          CollectionEdit(edit: Edit(components: [.index(index)], kind: .set(value), isSame: isSame)))
      case .spliced(let offset, let removed, let inserted, let isSame):
        var values: [Value] = []
        values.reserveCapacity(inserted.count)
        for element in inserted { values.append(mutation.encode(element)) }
        let kind = Edit.Kind.splice(offset: offset, delete: removed, insert: .array(values))
        edits.append(CollectionEdit(edit: Edit(kind: kind, isSame: isSame)))
      case .edited(let index, let parts):
        for part in parts { edits.append(CollectionEdit(edit: part.within(.index(index)))) }
      }
    }
    return edits
  }
}
