import EventLog

/// The edits of a recorded array during a mutation in place of its property.
///
/// Elements are encoded at the end, so an object that is inserted and then changed is recorded as it is at the end. As
/// ``DictionaryJournal``, it is of no generic type.
final class ArrayJournal {
  private enum Entry {
    /// `isSame` is the result of the app's `==`; nil if the recorded values are to be compared.
    case replaced(Int, () -> Value, isSame: Bool?)
    case spliced(Int, removed: Int, () -> [Value], isSame: Bool)
    case edited(Int, [CollectionEdit])
  }

  let mutation: CollectionMutation
  @exclusivity(unchecked) private var entries: [Entry] = []
  /// The element that was mutated in place and has no entry yet. It is copied when something else is done, so that further
  /// mutations of it do not copy its parts.
  @exclusivity(unchecked) var touched: Int?

  init(_ mutation: CollectionMutation) { self.mutation = mutation }

  /// A journal of its own for a copy of the array.
  func copy() -> ArrayJournal {
    let copy = ArrayJournal(mutation)
    (copy.entries, copy.touched) = (entries, touched)
    return copy
  }

  /// Adds that an element was replaced.
  ///
  /// - Parameter isSame: The result of the app's `==`; nil if the recorded values are to be compared.
  func append<Element>(replacementAt index: Int, by element: Element, isSame: Bool?) {
    let mutation = mutation
    entries.append(.replaced(index, { mutation.encode(element) }, isSame: isSame))
  }

  /// Adds that an element was inserted.
  func append<Element>(insertionAt index: Int, of element: Element) {
    let mutation = mutation
    entries.append(.spliced(index, removed: 0, { [mutation.encode(element)] }, isSame: false))
  }

  /// Adds that elements were removed.
  func append(removalOf range: Range<Int>, isSame: Bool) {
    entries.append(.spliced(range.lowerBound, removed: range.count, { [] }, isSame: isSame))
  }

  /// Adds that elements were replaced by others.
  func append<Element>(spliceOf range: Range<Int>, by elements: [Element], isSame: Bool) {
    let mutation = mutation
    let encoded = {
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(mutation.encode(element)) }
      return values
    }
    entries.append(.spliced(range.lowerBound, removed: range.count, encoded, isSame: isSame))
  }

  /// Adds the edits of an element that kept a journal of its own.
  func append(editsAt index: Int, _ edits: [CollectionEdit]) { entries.append(.edited(index, edits)) }

  /// The index of the element that was mutated, if nothing else was done.
  var onlyElement: Int? {
    switch (entries.count, touched) {
    case (0, let index?): index
    case (1, nil):
      if case .replaced(let index, _, let isSame) = entries[0], isSame != true { index } else { nil }
    default: nil
    }
  }

  /// All edits in order, once no element is ``touched``.
  func edits() -> [CollectionEdit] {
    var edits: [CollectionEdit] = []
    edits.reserveCapacity(entries.count)
    for entry in entries {
      switch entry {
      case .replaced(let index, let encoded, let isSame):
        edits.append(
          CollectionEdit(edit: Edit(components: [.index(index)], kind: .set(encoded()), isSame: isSame)))
      case .spliced(let offset, let removed, let encoded, let isSame):
        let kind = Edit.Kind.splice(offset: offset, delete: removed, insert: .array(encoded()))
        edits.append(CollectionEdit(edit: Edit(kind: kind, isSame: isSame)))
      case .edited(let index, let parts):
        for part in parts { edits.append(CollectionEdit(edit: part.edit.within(.index(index)))) }
      }
    }
    return edits
  }
}
