/// A path of a run.
///
/// Ids are dense from 0. They start over when there are a quarter of a million; the epoch tells those from before from
/// those of now, so that nothing that was noted by an id is taken for another path's.
@usableFromInline
package struct PathID: Hashable, Sendable {
  @usableFromInline package let index: UInt32
  @usableFromInline package let epoch: UInt32

  @inlinable package init(_ index: UInt32, epoch: UInt32) {
    self.index = index
    self.epoch = epoch
  }
}

/// The name of a projection in a run.
///
/// Indices are dense from 0. That of a projection which ended long ago is used again; the use tells whose it is, so that
/// nothing that was noted of one is taken for another's.
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

/// What paths or projections are counted under: `store.rows[*].count`, `Row`. A group of one cannot be taken for a
/// group of the other.
@usableFromInline
package struct GroupID<Member>: Hashable, Comparable, Sendable, DenseKey {
  @usableFromInline package let index: UInt32

  @inlinable package init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }

  @inlinable package var denseIndex: Int { Int(index) }

  @inlinable package static func < (a: GroupID, b: GroupID) -> Bool { a.index < b.index }
}

/// Values by the paths of a run. The next epoch forgets them all.
///
/// A path that got none in this epoch has the default.
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

/// Values by the projections of a run. One that gets the index of another has the default.
@usableFromInline
package struct ProjectionMap<Element> {
  @usableFromInline var entries: [(use: UInt32, value: Element)] = []
  @usableFromInline let missing: Element

  /// Creates a map in which every projection has the default.
  @inlinable package init(default missing: Element) { self.missing = missing }

  /// The value of a projection.
  @inlinable package subscript(id: ProjectionID) -> Element {
    @inline(__always)
    get {
      let index = id.denseIndex
      guard index < entries.count, entries[index].use == id.use else { return missing }
      return entries[index].value
    }
    @inline(__always)
    _modify {
      let index = id.denseIndex
      if index >= entries.count { grow(beyond: index) }
      if entries[index].use < id.use { entries[index] = (id.use, missing) }
      if entries[index].use == id.use {
        yield &entries[index].value
      } else {
        // What is noted of one that is gone is lost.
        var lost = missing
        yield &lost
      }
    }
  }

  /// How many indices it has room for.
  package var count: Int { entries.count }

  /// Those that have a value, and some that have the default.
  package var all: some Sequence<(id: ProjectionID, value: Element)> {
    entries.enumerated().lazy.map { (ProjectionID($0.offset, use: $0.element.use), $0.element.value) }
  }

  /// Gives every projection the default again.
  package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  @inlinable @inline(never)
  mutating func grow(beyond index: Int) {
    let count = max(index + 1, 2 * entries.count)
    entries.append(contentsOf: repeatElement((use: 0, value: missing), count: count - entries.count))
  }
}

extension ProjectionMap: Sendable where Element: Sendable {}
