import EventLog

/// The edits of a recorded array during a mutation of its property in place.
///
/// Elements are encoded at the end, so an object that is inserted and then changed is recorded in its final
/// state. Like ``DictionaryJournal`` it is not generic.
final class ArrayJournal {
  private enum Entry {
    /// `isSame` is the result of the app's `==`; nil means to compare the recorded values.
    /// `mutated` is the type of an element that was mutated in place.
    case replaced(Int, () -> Value, isSame: Bool?, mutated: Any.Type?)
    case spliced(Int, removed: Int, () -> [Value], isSame: Bool)
    case edited(Int, [CollectionEdit])
  }

  let mutation: CollectionMutation
  private var entries: [Entry] = []
  /// The element that was mutated in place and has no entry yet. It is copied only before another edit, so
  /// that further mutations of the element do not copy its parts.
  var touched: Int?

  init(_ mutation: CollectionMutation) { self.mutation = mutation }

  /// A separate journal for a copy of the array.
  func copy() -> ArrayJournal {
    let copy = ArrayJournal(mutation)
    (copy.entries, copy.touched) = (entries, touched)
    return copy
  }

  /// Adds the replacement of an element.
  ///
  /// - Parameters:
  ///   - isSame: The result of the app's `==`; nil to compare the recorded values.
  ///   - isMutation: Whether the element was mutated in place.
  func append<Element>(
    replacementAt index: Int, by element: Element, isSame: Bool?, isMutation: Bool = false
  ) {
    let mutation = mutation
    entries.append(
      .replaced(
        index, { mutation.encode(element) }, isSame: isSame, mutated: isMutation ? Element.self : nil))
  }

  /// Adds the insertion of an element.
  func append<Element>(insertionAt index: Int, of element: Element) {
    let mutation = mutation
    entries.append(.spliced(index, removed: 0, { [mutation.encode(element)] }, isSame: false))
  }

  /// Adds the removal of elements.
  func append(removalOf range: Range<Int>, isSame: Bool) {
    entries.append(.spliced(range.lowerBound, removed: range.count, { [] }, isSame: isSame))
  }

  /// Adds the replacement of elements by others.
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

  /// Adds the edits of an element that kept its own journal.
  func append(editsAt index: Int, _ edits: [CollectionEdit]) { entries.append(.edited(index, edits)) }

  /// The index of the mutated element, if there was no other edit.
  var onlyElement: Int? {
    switch (entries.count, touched) {
    case (0, let index?): index
    case (1, nil):
      if case .replaced(let index, _, let isSame, _) = entries[0], isSame != true { index } else { nil }
    default: nil
    }
  }

  /// All edits in order. No element may be ``touched`` any more.
  func edits() -> [CollectionEdit] {
    var edits: [CollectionEdit] = []
    edits.reserveCapacity(entries.count)
    for entry in entries {
      switch entry {
      case .replaced(let index, let encoded, let isSame, let mutated):
        let edit = Edit(
          components: [.index(index)], kind: .set(encoded()), isSame: isSame, mutated: mutated)
        edits.append(CollectionEdit(edit: edit))
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
