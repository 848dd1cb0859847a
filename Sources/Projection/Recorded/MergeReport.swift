/// What a merge did to a collection: the ids of what came, went, moved and changed.
///
///     let report = store.rows.merge(fresh)
///     log("\(report.inserted.count) new, \(report.unchangedCount) as they were")
public struct MergeReport<ID: Hashable> {
  /// What the snapshot has and the collection had not, in the snapshot's order.
  public internal(set) var inserted: [ID] = []
  /// What the collection had and the snapshot has not, in the collection's order.
  public internal(set) var removed: [ID] = []
  /// What stands elsewhere among those that stayed, as few as explain the new order, in the snapshot's order.
  public internal(set) var moved: [ID] = []
  /// What differed, in the snapshot's order. An element may be both moved and updated.
  public internal(set) var updated: [ID] = []
  /// How many elements neither moved nor differed.
  public internal(set) var unchangedCount = 0

  /// Creates the report of a merge that found nothing at all.
  public init() {}

  /// Whether the collection is as it was.
  public var isEmpty: Bool { inserted.isEmpty && removed.isEmpty && moved.isEmpty && updated.isEmpty }
}

extension MergeReport: Equatable, Hashable {}

extension MergeReport: Sendable where ID: Sendable {}

extension MergeReport: CustomStringConvertible {
  /// `2 inserted, 1 removed, 0 moved, 3 updated, 94 unchanged`.
  public var description: String {
    "\(inserted.count) inserted, \(removed.count) removed, \(moved.count) moved, \(updated.count) updated, "
      + "\(unchangedCount) unchanged"
  }
}
