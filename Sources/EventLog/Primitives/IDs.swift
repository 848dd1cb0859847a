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

/// The name of a projection in a run. Ids are dense from 0, and hold as long as the run.
@usableFromInline
package struct ProjectionID: Hashable, Comparable, Sendable, DenseKey {
  @usableFromInline package let index: UInt32

  @inlinable package init(_ index: Int) { self.index = UInt32(truncatingIfNeeded: index) }

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
