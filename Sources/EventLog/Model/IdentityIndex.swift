/// The index of the first element with each id in one array.
///
/// It saves a scan for each lookup. An insertion or removal shifts all elements after it: instead of
/// renumbering them, the shift is recorded, and lookups add it up. Once there are so many shifts that lookups
/// become slow, the index is built again.
@usableFromInline
package struct IdentityIndex<ID: Hashable & Sendable>: Sendable {
  @usableFromInline
  struct Entry: Sendable {
    /// The index of the element when `shiftCount` shifts were recorded.
    @usableFromInline var index: Int
    @usableFromInline var shiftCount: Int

    @inlinable
    init(index: Int, shiftCount: Int) {
      self.index = index
      self.shiftCount = shiftCount
    }
  }

  /// The first element with each id.
  @usableFromInline var entries: [ID: Entry] = [:]
  /// Each shift: the first index that it moved, and by how much.
  @usableFromInline var shifts: [(index: Int, by: Int)] = []
  /// Whether several elements have the same id. The index does not know the next one when the first is
  /// removed.
  @usableFromInline var hasRepeatedIDs = false

  /// Creates the index of an array without elements.
  @inlinable
  package init() {}

  /// Creates the index of an array from its elements' ids, nil for an element without one. Calls `repeated`
  /// with each id that an earlier element has.
  @inlinable
  package init(_ ids: some Collection<ID?>, repeated: (ID) -> Void) {
    entries.reserveCapacity(ids.count)
    for (index, id) in ids.enumerated() {
      if let id, !append(id, at: index) { repeated(id) }
    }
  }

  /// The number of ids.
  @inlinable
  package var count: Int { entries.count }

  /// The index of the first element with an id. Cost: a hash, and a step for each shift since the element was
  /// added.
  @inlinable
  package subscript(id: ID) -> Int? {
    guard let entry = entries[id] else { return nil }
    var index = entry.index
    for shift in shifts[entry.shiftCount...] where shift.index <= index { index += shift.by }
    return index
  }

  /// Adds an element at the end.
  ///
  /// - Returns: Whether no earlier element has its id.
  @inlinable
  package mutating func append(_ id: ID, at index: Int) -> Bool {
    let isNew = entries[id] == nil
    if isNew { entries[id] = Entry(index: index, shiftCount: shifts.count) } else { hasRepeatedIDs = true }
    return isNew
  }

  /// Updates the index after elements were replaced by others.
  ///
  /// - Parameter count: The number of elements before.
  /// - Returns: Whether the index is still right; if not, it must be built again.
  @inlinable
  package mutating func splice(
    at offset: Int, removed: some Collection<ID?>, inserted: some Collection<ID?>, of count: Int
  ) -> Bool {
    let isAppending = offset == count
    // A new index costs `count` steps. With at most the square root of that many shifts between two builds, a
    // lookup costs no more than a build divided by the number of shifts.
    guard isAppending || !hasRepeatedIDs && (shifts.count < 64 || shifts.count * shifts.count < count) else {
      return false
    }
    for case let id? in removed { entries[id] = nil }
    if !isAppending, inserted.count != removed.count {
      shifts.append((offset + removed.count, inserted.count - removed.count))
    }
    for (position, id) in inserted.enumerated() {
      if let id, !append(id, at: offset + position), !isAppending { return false }
    }
    return true
  }
}
