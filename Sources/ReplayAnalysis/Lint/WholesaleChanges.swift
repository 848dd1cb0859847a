import EventLog

/// Finds writes that replace many elements at once, and counts the runs that follow.
struct WholesaleChanges {
  struct Found {
    var changes = 0
    /// The total number of elements that were written.
    var elements = 0
    var work = LintSums()
    /// Wasted runs of projections that were invalidated themselves, rather than running along.
    var woken = 0
    var followers: [GroupID<ProjectionID>: Int] = [:]
    var evidence = Evidence()
  }

  private(set) var found: [GroupID<PathID>: Found] = [:]
  private let thresholds: LintThresholds
  /// The write with which the current flush began.
  private var present: (group: GroupID<PathID>, elements: Int, seq: UInt64)?

  init(_ thresholds: LintThresholds) { self.thresholds = thresholds }

  /// Processes a write, the current row of a run.
  @inline(__always)
  mutating func apply(_ row: EventLog.Row, of group: GroupID<PathID>) {
    guard case .array(let elements) = row.value, !row.isSameValue else { return }
    // Elements that are only inserted replace nothing.
    let replaced = row.kind == .splice ? min(row.delete, elements.count) : elements.count
    if replaced >= max(1, thresholds.count) { present = (group, elements.count, row.seq) }
  }

  /// Counts the runs after the write.
  mutating func settle(_ flush: borrowing FlushRuns) {
    guard let (group, elements, seq) = present else { return }
    if flush.entries.isEmpty, flush.isHeld { return }
    present = nil
    var work = LintSums()
    var woken = 0
    var followers: [GroupID<ProjectionID>: Int] = [:]
    for entry in flush.entries where !entry.isFirst {
      work.add(entry)
      guard entry.isForNothing == true else { continue }
      if entry.wasInvalidated { woken += 1 }
      if entry.within != nil { followers[entry.group, default: 0] += 1 }
    }
    guard work.evaluations >= thresholds.fanOut, work.isWasted(atLeast: thresholds.wasted) else { return }
    found[group, default: Found()].changes += 1
    found[group]?.elements += elements
    found[group]?.woken += woken
    found[group]?.evidence.append(seq)
    found[group]?.work.add(work)
    found[group]?.followers.merge(followers, uniquingKeysWith: +)
  }
}
