/// The index of each id in one array.
///
/// Finding an element by its id would otherwise cost a scan. What comes and goes shifts all elements behind it: each shift
/// is noted, and counted in when an id is looked up, until there are as many as make looking up slow.
@usableFromInline
package struct IdentityIndex<ID: Hashable & Sendable>: Sendable {
  @usableFromInline
  struct Entry: Sendable {
    /// The index of the element when there were so many shifts.
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
  /// By how much what stood at an index, or behind it, was shifted each time.
  @usableFromInline var shifts: [(index: Int, by: Int)] = []
  /// Whether more than one element has an id: which is the next one is not known when the first goes.
  @usableFromInline var hasRepeatedIDs = false

  /// Creates the index of an array without elements.
  @inlinable
  package init() {}

  /// Looks at the ids of an array's elements, nil for one that has none, and reports each that came before.
  @inlinable
  package init(_ ids: some Collection<ID?>, repeated: (ID) -> Void) {
    entries.reserveCapacity(ids.count)
    for (index, id) in ids.enumerated() {
      if let id, !append(id, at: index) { repeated(id) }
    }
  }

  /// How many ids there are.
  @inlinable
  package var count: Int { entries.count }

  /// The index of the first element with an id. Cost: a hash, and the shifts since it was put there.
  @inlinable
  package subscript(id: ID) -> Int? {
    guard let entry = entries[id] else { return nil }
    var index = entry.index
    for shift in shifts[entry.shiftCount...] where shift.index <= index { index += shift.by }
    return index
  }

  /// Adds an element behind all others.
  ///
  /// - Returns: Whether none before it has its id.
  @inlinable
  package mutating func append(_ id: ID, at index: Int) -> Bool {
    let isNew = entries[id] == nil
    if isNew { entries[id] = Entry(index: index, shiftCount: shifts.count) } else { hasRepeatedIDs = true }
    return isNew
  }

  /// Notes that elements took the place of others.
  ///
  /// - Parameter count: How many elements there were before.
  /// - Returns: Whether the index is still true; if not, it has to be made anew.
  @inlinable
  package mutating func splice(
    at offset: Int, removed: some Collection<ID?>, inserted: some Collection<ID?>, of count: Int
  ) -> Bool {
    let isAppending = offset == count
    // Looking up costs at most as many steps as make the cost of a new index, spread over the shifts, as small.
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
