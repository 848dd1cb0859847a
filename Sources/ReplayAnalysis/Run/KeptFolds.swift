import EventLog

/// States of a log that were come by, so that a question about a place nearby need not begin at a checkpoint: those lie
/// up to 65,536 events apart, which take up to a fifth of a second to apply.
///
/// A kept state shares with the others what has not changed between them. Of a large state only few are kept.
struct KeptFolds {
  /// In the order of their last use.
  private var folds: [StateFold] = []
  /// The number of objects and projections in all of them.
  private var size = 0

  /// About 20 MiB if nothing is shared.
  private static let sizeMax = 1 << 17
  /// At most one state is kept for so many events passed. Applying them takes about 20 ms.
  private static let distance: UInt64 = 1 << 13

  /// The last known state at or before an event.
  mutating func last(atOrBefore seq: UInt64) -> StateFold? {
    let before = folds.indices.filter { folds[$0].seq <= seq }
    guard let index = before.max(by: { folds[$0].seq < folds[$1].seq }) else { return nil }
    let fold = folds.remove(at: index)
    folds.append(fold)
    return fold
  }

  /// Keeps a state that a fold has come by, unless one shortly before it is known, or it is large: the fold goes on with a
  /// copy of what it changes then.
  mutating func pass(_ fold: StateFold) {
    guard fold.entryCount <= Self.sizeMax / 8,
      !folds.contains(where: { $0.seq <= fold.seq && fold.seq - $0.seq < Self.distance })
    else { return }
    keep(fold)
  }

  /// Keeps a state that was asked for.
  mutating func keep(_ fold: StateFold) {
    guard fold.failure == nil, !folds.contains(where: { $0.seq == fold.seq }) else { return }
    folds.append(fold)
    size += fold.entryCount
    // The one just asked for is kept whatever its size, since the next question often is about the same place.
    while size > Self.sizeMax, folds.count > 1 { size -= folds.removeFirst().entryCount }
  }
}
