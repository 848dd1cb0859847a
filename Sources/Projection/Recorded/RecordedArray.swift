import EventLog

/// An array whose elements are tracked one by one: a projection that reads `rows[3]` depends only on that
/// element, and setting the element invalidates only projections that read it or the whole array.
///
///     @Recorded final class Store { var rows: RecordedArray<Row> = [] }
///
///     store.rows[3].count += 1        // logged as one set of `store.rows[id: 3].count`
///     store.rows[id: 7]?.title        // follows the element wherever it moves
///     store.rows.sort { $0.count < $1.count }   // logged as the moves that it takes
///     store.rows.merge(fresh)         // takes over what differs, and returns a report of it
///
/// Elements that are `Identifiable` can be read by id, and are logged by it. If several elements have the
/// same id, only the first one is found. In a property of a ``Recorded()`` class the array is mutated in
/// place, and the log contains the edits instead of the whole array; elsewhere it is a plain array. A
/// recorded collection that is an element, or a value of a ``RecordedDictionary``, tracks its own elements in
/// turn; a struct that holds one is tracked as a whole.
///
/// After a mutation of an element in place, the element is compared with its earlier value by `==` if it is
/// trivial (a number) or an object. Keeping a copy of any other element would make its parts copy when they
/// are mutated, so its recorded forms are compared instead. If nothing has changed, nothing shows which field was
/// written. The log has a same-value set of the field if there can be only one: the only variable of the element
/// besides its `id`, or the one that all earlier mutations of the array's elements have changed; otherwise one of
/// the element.
///
/// Cost: reading and setting an element are constant; recording a change of one element takes 2 us at any
/// length.
///
/// Prefer `Array` for small arrays that change as a whole.
public struct RecordedArray<Element> {
  var storage: [Element]
  /// Where the array is stored, once its object is attached.
  public var anchor: Anchor?
  var journal: ArrayJournal?
  /// The index of each id, in an array that an object holds.
  var positions: ElementPositions<Element>?

  /// Creates an empty array.
  public init() { storage = [] }

  /// Creates an array of these elements.
  public init(_ elements: some Sequence<Element>) { storage = Array(elements) }

  /// A plain array of the elements. Depends on all of them.
  public var elements: [Element] {
    anchor?.registerReadOfAll()
    return storage
  }
}

extension RecordedArray {
  /// The mutation for which the array keeps a journal; nil outside of one.
  var mutation: CollectionMutation? {
    guard let journal, journal.mutation.isOpen else { return nil }
    return journal.mutation
  }

  /// The journal, for adding entries; nil outside of a mutation. A copy of the array gets its own journal.
  private mutating func openJournal() -> ArrayJournal? {
    guard journal?.mutation.isOpen == true else { return nil }
    if !isKnownUniquelyReferenced(&journal) { journal = journal?.copy() }
    return journal
  }

  /// The same, after adding an entry for an element that was mutated in place, because its index may change.
  private mutating func settledJournal() -> ArrayJournal? {
    guard let journal = openJournal() else { return nil }
    settle(journal)
    return journal
  }

  private func settle(_ journal: ArrayJournal) {
    guard let index = journal.touched else { return }
    journal.touched = nil
    journal.append(replacementAt: index, by: storage[index], isSame: nil, isMutation: true)
  }

  /// Adds an entry to the journal for an element that was mutated in place, because its index may change.
  mutating func settleJournal() { _ = settledJournal() }

  // Each of these is called before a change, and adds it to the journal and to the indexes of ids.

  mutating func appendReplacement(at index: Int, by element: Element, isSame: @autoclosure () -> Bool?) {
    if positions?.isUsed == true { moveKnownPositions(index..<(index + 1), CollectionOfOne(element)) }
    settledJournal()?.append(replacementAt: index, by: element, isSame: isSame())
  }

  mutating func appendInsertion(of element: Element, at index: Int) {
    if positions?.isUsed == true { moveKnownPositions(index..<index, CollectionOfOne(element)) }
    settledJournal()?.append(insertionAt: index, of: element)
  }

  mutating func appendRemoval(of range: Range<Int>, isSame: Bool = false) {
    if positions?.isUsed == true { moveKnownPositions(range, EmptyCollection()) }
    settledJournal()?.append(removalOf: range, isSame: isSame)
  }

  mutating func appendSplice(of range: Range<Int>, by elements: [Element], isSame: @autoclosure () -> Bool) {
    if positions?.isUsed == true { moveKnownPositions(range, elements) }
    settledJournal()?.append(spliceOf: range, by: elements, isSame: isSame())
  }

  /// Adds the edits of an element that kept its own journal.
  mutating func appendEdits(at index: Int, _ edits: [CollectionEdit]) {
    if positions?.isUsed == true { forgetPositions() }
    settledJournal()?.append(editsAt: index, edits)
  }

  /// Adds the mutation of an element in place to the journal; `old` is its earlier value, if a copy was kept.
  mutating func appendMutation(at index: Int, from old: Element?) {
    guard mutation != nil else { return }
    if let old {
      let new = storage[index]
      let same = Frame.untracked { isSame(old, new) }
      settledJournal()?.append(replacementAt: index, by: new, isSame: same, isMutation: true)
    } else {
      appendMutation(at: index)
    }
  }

  /// Adds the mutation of an element in place to the journal. The recorded values will show whether it
  /// changed.
  mutating func appendMutation(at index: Int) {
    guard let journal = openJournal() else { return }
    if journal.touched != index { settle(journal) }
    journal.touched = index
  }

  /// Updates the indexes of ids before a change.
  private mutating func moveKnownPositions(_ range: Range<Int>, _ inserted: some Sequence<Element>) {
    // Copies of the array share the table, so this array gets its own.
    guard isKnownUniquelyReferenced(&positions) else {
      positions = positions?.emptied()
      return
    }
    // With several splices, one may insert after the end of what is stored so far.
    let gone = range.isEmpty ? [] : storage[range]
    positions?.splice(at: range.lowerBound, removed: gone, inserted: inserted)
  }

  /// Drops the indexes of ids, because any element may have another id.
  mutating func forgetPositions() {
    if positions == nil { return }
    if isKnownUniquelyReferenced(&positions) {
      positions?.forget()
    } else {
      positions = positions?.emptied()
    }
  }

  /// Whether to keep a copy of an element during its mutation. A copy of an element with parts would make
  /// them copy.
  static var comparesCopies: Bool { _isPOD(Element.self) || Element.self is AnyClass }

  /// Whether two elements are equal by the app's `==`; nil if the recorded values must be compared.
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

  /// Ends the journal and records its entry, if a single element was mutated in place and the engine can
  /// record that at once.
  public mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool {
    guard let journal, journal.mutation === mutation, let index = journal.onlyElement else { return false }
    // This does not map the address, because the types of the closure and its result would be looked up.
    let isRecorded = storage.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return false }
      return mutation.record(first + index, as: Element.self, at: index)
    }
    if isRecorded { self.journal = nil }
    return isRecorded
  }

  /// Ends the journal and returns its edits; nil if it was begun for another mutation.
  public mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]? {
    defer { journal = nil }
    guard journal?.mutation === mutation else { return nil }
    return settledJournal()?.edits()
  }
}

extension RecordedArray: RecordableValue {
  /// Encodes the elements as an array. Each element that is `Identifiable` and recorded as a map includes its
  /// `id`.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(storage.map { context.encodeElement($0) })
  }
}

extension RecordedArray: RestorableValue {
  /// Restores an array of elements.
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

// Data shared between copies is behind locks. The journal is used only during a mutation, which is exclusive.
extension RecordedArray: @unchecked Sendable where Element: Sendable {}

extension RecordedArray: CustomStringConvertible, CustomDebugStringConvertible {
  /// A description like that of an `Array`. Depends on all elements.
  public var description: String { elements.description }

  /// A description like that of an `Array`. Depends on all elements.
  public var debugDescription: String { elements.debugDescription }
}

extension RecordedArray: CustomReflectable {
  /// A mirror of the elements like that of an `Array`. Depends on all of them.
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

/// Records the replacement of an array by another.
extension RecordedArray: PlainCollection {
  func agrees(with old: Self) -> Bool { storage.agrees(with: old.storage) }

  func edits(from old: Self, recorded: Value, by encoder: some ElementEncoding) -> [Edit]? {
    storage.edits(from: old.storage, recorded: recorded, by: encoder)
  }
}
