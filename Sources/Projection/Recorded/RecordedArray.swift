import EventLog

/// An array whose elements are followed one by one: reading `rows[3]` depends on that element, and setting
/// it wakes only those who read it, or the whole.
///
///     @Recorded final class Store { var rows: RecordedArray<Row> = [] }
///
///     store.rows[3].count += 1        // logged as one set of `store.rows[id: 3].count`
///     store.rows[id: 7]?.title        // follows the element wherever it moves
///     store.rows.sort { $0.count < $1.count }   // logged as the moves that it takes
///     store.rows.merge(fresh)         // takes over what differs, and says what that was
///
/// Elements that are `Identifiable` can be read and are logged by id. The first of several elements with
/// one id counts. In a property of a ``Recorded()`` class it is mutated in place, and the log takes the edit,
/// not the array; anywhere else it is a plain array. A recorded collection that is an element, or a value of a
/// ``RecordedDictionary``, is followed by its own elements in turn, however it is taken out; a struct that holds one is
/// followed as a whole.
///
/// An element that is bits and no more, such as a number, and an object are compared by `==` before and after a
/// mutation in place. Of any other element a copy kept for that would make its parts copy: it is compared by what the
/// log holds of it.
///
/// Prefer `Array` for small arrays that change as a whole.
public struct RecordedArray<Element> {
  var storage: [Element]
  /// The place that holds the array, once its object is attached.
  public var anchor: Anchor?
  var journal: ArrayJournal<Element>?
  /// Where the ids are, in an array that an object holds.
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
  /// The mutation that the array keeps a journal for; nil when nobody asks what is done.
  var mutation: CollectionMutation? {
    guard let journal, journal.mutation.isOpen else { return nil }
    return journal.mutation
  }

  /// Notes what is done, before it is done.
  mutating func note(_ entry: (_ elements: [Element]) -> ArrayJournal<Element>.Entry) {
    let areLookedUp = positions?.isUsed == true
    guard areLookedUp || mutation != nil else { return }
    let entry = entry(storage)
    if areLookedUp { moveKnownPositions(entry) }
    if mutation != nil { journal?.append(entry, in: storage) }
  }

  /// Notes that an element was mutated where it stands.
  mutating func noteMutation(at index: Int, from old: Element?) {
    guard mutation != nil else { return }
    if let old {
      let new = storage[index]
      journal?.append(.replaced(index, by: new, isSame: Self.isSameElement(old, new)), in: storage)
    } else {
      noteMutation(at: index)
    }
  }

  /// Notes that an element was mutated where it stands, which what is recorded of it will show.
  mutating func noteMutation(at index: Int) {
    if mutation != nil { journal?.touch(index, in: storage) }
  }

  private mutating func moveKnownPositions(_ entry: ArrayJournal<Element>.Entry) {
    // Another copy of the array may go on with the table as it is.
    guard isKnownUniquelyReferenced(&positions) else {
      positions = positions?.emptied()
      return
    }
    switch entry {
    case .replaced(let index, let element, _):
      positions?.splice(storage[index..<(index + 1)], CollectionOfOne(element))
    case .spliced(let offset, let removed, let inserted, _):
      positions?.splice(storage[offset..<(offset + removed)], inserted)
    case .edited: positions?.forget()
    }
  }

  /// Says that any element may have another id.
  mutating func forgetPositions() {
    if positions == nil { return }
    if isKnownUniquelyReferenced(&positions) {
      positions?.forget()
    } else {
      positions = positions?.emptied()
    }
  }

  /// Whether a copy of an element costs nothing later: a copy of one with parts would make these copy.
  static var comparesCopies: Bool { _isPOD(Element.self) || Element.self is AnyClass }

  /// Whether by the app's equality nothing changes; nil where the recorded values are to say.
  static func isSameElement(_ old: Element, _ new: Element) -> Bool? {
    if let same = Frame.untracked({ isSame(old, new) }) { return same }
    return Element.self is any RecordedCollection.Type ? nil : false
  }
}

extension RecordedArray: RecordedCollection {
  /// Makes this the array that is stored at a place.
  public mutating func _$bind(to anchor: Anchor) {
    self.anchor = anchor
    if positions == nil { positions = ElementPositions.make() }
  }

  /// Starts to keep a journal.
  public mutating func _$beginEdits(_ mutation: CollectionMutation) { journal = ArrayJournal(mutation) }

  /// Records that one element was mutated, if nothing else was done and there is a quick way to do so.
  public mutating func _$recordEdit(_ mutation: CollectionMutation) -> Bool {
    guard let index = journal?.onlyElement, journal?.mutation === mutation,
      storage.withUnsafeBufferPointer({
        $0.baseAddress.map { mutation.record($0 + index, at: index) } ?? false
      })
    else { return false }
    journal = nil
    return true
  }

  /// Stops, and gives what was done.
  public mutating func _$endEdits(_ mutation: CollectionMutation) -> [CollectionEdit]? {
    defer { journal = nil }
    guard var journal, journal.mutation === mutation else { return nil }
    self.journal = nil
    return journal.finish(storage)
  }
}

extension RecordedArray: RecordableValue {
  /// An array of the elements, each with its id.
  public func recordedValue(in context: inout EncodingContext) -> Value {
    .array(storage.map { context.encodeElement($0) })
  }
}
