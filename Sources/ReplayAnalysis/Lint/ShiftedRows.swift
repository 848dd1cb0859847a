import EventLog

/// Finds lists of which an insertion or a removal runs the projections of the elements behind it, since these are known
/// by their places.
struct ShiftedRows {
  struct Key: Hashable {
    var list: GroupID<PathID>
    var rows: GroupID<ProjectionID>
  }

  struct Found {
    var changes = 0
    var work = LintSums()
    var evidence = Evidence()
  }

  private(set) var found: [Key: Found] = [:]
  private let thresholds: LintThresholds
  /// The list that has changed in the present flush, and the event.
  private var present: (list: GroupID<PathID>, seq: UInt64, elements: Int)?

  init(_ thresholds: LintThresholds) { self.thresholds = thresholds }

  /// Looks at a write, the current row of a run.
  @inline(__always)
  mutating func apply(_ row: borrowing EventLog.Row, of group: GroupID<PathID>) {
    guard row.kind == .splice, case .array(let inserted) = row.value, inserted.count != row.delete else {
      return
    }
    present = (group, row.seq, max(inserted.count, row.delete))
  }

  /// Counts the runs after it.
  mutating func settle(_ flush: borrowing FlushRuns) {
    guard let (list, seq, elements) = present else { return }
    if flush.entries.isEmpty, flush.isHeld { return }
    present = nil
    var work: [GroupID<ProjectionID>: LintSums] = [:]
    for entry in flush.entries
    where !entry.isFirst && entry.within != nil && entry.inputChanged == true && !entry.wasInvalidated {
      work[entry.group, default: LintSums()].add(entry)
    }
    for (rows, work) in work where work.evaluations >= max(thresholds.fanOut, 2 * elements + 1) {
      let key = Key(list: list, rows: rows)
      found[key, default: Found()].changes += 1
      found[key]?.work.add(work)
      found[key]?.evidence.append(seq)
    }
  }
}
