/// The id of a path in a run.
///
/// Indices are dense from 0. They start over after a quarter of a million paths; the epoch distinguishes
/// earlier from later ids, so that data about one path is not taken for that of another.
@usableFromInline
package struct PathID: Hashable, Sendable {
  @usableFromInline package let index: UInt32
  @usableFromInline package let epoch: UInt32

  @inlinable package init(_ index: UInt32, epoch: UInt32) {
    self.index = index
    self.epoch = epoch
  }
}

/// The id of a projection's name in a run.
///
/// Indices are dense from 0. The index of a projection that ended long ago is reused; the use distinguishes
/// the two, so that data about one projection is not taken for that of another.
@usableFromInline
package struct ProjectionID: Hashable, Comparable, Sendable, DenseKey {
  @usableFromInline package let index: UInt32
  @usableFromInline package let use: UInt32

  @inlinable package init(_ index: Int, use: UInt32 = 0) {
    self.index = UInt32(truncatingIfNeeded: index)
    self.use = use
  }

  @inlinable package var denseIndex: Int { Int(index) }

  @inlinable package static func < (a: ProjectionID, b: ProjectionID) -> Bool { a.index < b.index }
}

/// The id of a group under which paths or projections are counted: `store.rows[*].count`, `Row`. The type
/// parameter distinguishes groups of paths from groups of projections.
@usableFromInline
package struct GroupID<Member>: Hashable, Comparable, Sendable, DenseKey {
  @usableFromInline package let index: UInt32

  @inlinable package init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }

  @inlinable package var denseIndex: Int { Int(index) }

  @inlinable package static func < (a: GroupID, b: GroupID) -> Bool { a.index < b.index }
}

/// Values by the paths of a run. All are dropped with the next epoch.
///
/// A path without a value in this epoch has the default.
@usableFromInline
package struct PathMap<Element> {
  @usableFromInline var values: DenseMap<Int, Element>
  @usableFromInline var epoch: UInt32 = 0

  /// Creates a map in which every path has the default.
  @inlinable package init(default missing: Element) { values = DenseMap(default: missing) }

  /// The value of a path.
  @inlinable package subscript(path: PathID) -> Element {
    @inline(__always)
    get { path.epoch == epoch ? values[Int(path.index)] : values.missing }
    @inline(__always)
    _modify {
      if path.epoch != epoch { begin(path.epoch) }
      yield &values[Int(path.index)]
    }
  }

  @inlinable @inline(never)
  mutating func begin(_ epoch: UInt32) {
    self.epoch = epoch
    values.removeAll(keepingCapacity: true)
  }
}

extension PathMap: Sendable where Element: Sendable {}

/// Values by the projections of a run. A projection that reuses the index of another starts with the default.
@usableFromInline
package struct ProjectionMap<Element> {
  /// The entries by index, after an entry that takes the values that are discarded.
  @usableFromInline var entries: [(use: UInt32, value: Element)] = []
  @usableFromInline let missing: Element

  /// Creates a map in which every projection has the default.
  @inlinable package init(default missing: Element) { self.missing = missing }

  /// The value of a projection. A value for a projection that no longer exists is discarded.
  @inlinable package subscript(id: ProjectionID) -> Element {
    @inline(__always)
    get {
      let index = id.denseIndex + 1
      guard index < entries.count, entries[index].use == id.use else { return missing }
      return entries[index].value
    }
    // An accessor that yields at two places is not inlined, and each call allocates.
    @inline(__always)
    _modify {
      var index = id.denseIndex + 1
      if index >= entries.count || entries[index].use != id.use { index = place(id) }
      yield &entries[index].value
    }
  }

  /// The number of indices that it has room for.
  @inlinable package var count: Int { max(entries.count - 1, 0) }

  /// The projections that have a value, and some that have the default.
  @inlinable package var all: some Sequence<(id: ProjectionID, value: Element)> {
    entries.enumerated().dropFirst().lazy.map {
      (ProjectionID($0.offset - 1, use: $0.element.use), $0.element.value)
    }
  }

  /// Resets every projection to the default value.
  @inlinable package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// Makes the entry of a projection that has none. Returns its index, or that of the entry for discarded
  /// values if a later projection has the place.
  @inlinable @inline(never)
  mutating func place(_ id: ProjectionID) -> Int {
    let index = id.denseIndex + 1
    if index >= entries.count {
      let count = max(index + 1, 2 * entries.count)
      entries.append(contentsOf: repeatElement((use: 0, value: missing), count: count - entries.count))
    }
    if entries[index].use > id.use {
      entries[0].value = missing
      return 0
    }
    if entries[index].use < id.use { entries[index] = (id.use, missing) }
    return index
  }
}

extension ProjectionMap: Sendable where Element: Sendable {}
