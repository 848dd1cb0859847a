import EventLog

/// What was done to a recorded array since its property began to be mutated in place.
///
/// Elements are encoded at the end: an object that is put in and then changed is recorded as it is at the end.
struct ArrayJournal<Element> {
  enum Entry {
    /// Whether the two are the same is for the recorded values to say where the app was not asked.
    case replaced(Int, by: Element, isSame: Bool?)
    case spliced(Int, removed: Int, inserted: [Element], isSame: Bool)
    case edited(Int, [Edit])
  }

  let mutation: CollectionMutation
  private var entries: [Entry] = []
  /// An element that was mutated where it stands, and has not been looked at since.
  private var touched: Int?

  init(_ mutation: CollectionMutation) { self.mutation = mutation }

  mutating func append(_ entry: Entry, in elements: [Element]) {
    settle(elements)
    entries.append(entry)
  }

  /// Notes that an element was mutated. It is copied when something else happens, so that going on with it does
  /// not copy its parts.
  mutating func touch(_ index: Int, in elements: [Element]) {
    if touched != index { settle(elements) }
    touched = index
  }

  /// Copies an element that was mutated, before others come to stand in its place.
  mutating func settle(_ elements: [Element]) {
    guard let index = touched else { return }
    touched = nil
    entries.append(.replaced(index, by: elements[index], isSame: nil))
  }

  /// The element that was mutated, if nothing else was done.
  var onlyElement: Int? {
    switch (entries.count, touched) {
    case (0, let index?): index
    case (1, nil):
      if case .replaced(let index, _, let isSame) = entries[0], isSame != true { index } else { nil }
    default: nil
    }
  }

  /// All edits, in order.
  mutating func finish(_ elements: [Element]) -> [CollectionEdit] {
    settle(elements)
    // A loop, as `flatMap` and `map` would ask the run time for the types of their closures' results again and again.
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
