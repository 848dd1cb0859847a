import EventLog

/// Writes that put many elements into a place at once, and what ran after them.
struct WholesaleChanges {
  struct Found {
    var changes = 0
    /// Elements that were put in, in all.
    var elements = 0
    var work = WakePairs.Work()
    /// Runs of projections that were woken themselves, and not run along.
    var woken = 0
    var followers: [Int32: Int] = [:]
    var evidence = Evidence()
  }

  /// By the group of the path.
  private(set) var found: [Int: Found] = [:]
  private let thresholds: LintThresholds
  /// What the present flush began with.
  private var present: (group: Int, elements: Int, seq: UInt64)?

  init(_ thresholds: LintThresholds) { self.thresholds = thresholds }

  /// Takes in a write, the last row of a run, to a place that was written before.
  @inline(__always)
  mutating func note(_ row: EventLog.Row, group: Int) {
    guard case .array(let elements) = row.value, !row.isSameValue else { return }
    // What is only put in replaces nothing.
    let replaced = row.kind == .splice ? min(row.delete, elements.count) : elements.count
    if replaced >= max(1, thresholds.count) { present = (group, elements.count, row.seq) }
  }

  /// Takes in what ran after it.
  mutating func settle(_ flush: borrowing FlushRuns) {
    guard let (group, elements, seq) = present else { return }
    if flush.entries.isEmpty, flush.isHeld { return }
    present = nil
    var work = WakePairs.Work()
    var woken = 0
    var followers: [Int32: Int] = [:]
    for entry in flush.entries where !entry.isFirst {
      work.add(entry)
      guard entry.changed == false else { continue }
      if entry.wasWoken { woken += 1 }
      if entry.within >= 0 { followers[entry.group, default: 0] += 1 }
    }
    guard work.runs >= thresholds.fanOut,
      LintThresholds.isShare(work.wasted, of: work.runs, atLeast: thresholds.wasted)
    else { return }
    found[group, default: Found()].changes += 1
    found[group]?.elements += elements
    found[group]?.woken += woken
    found[group]?.evidence.note(seq)
    found[group]?.work.add(work)
    found[group]?.followers.merge(followers, uniquingKeysWith: +)
  }
}

extension WakePairs.Work {
  mutating func add(_ other: WakePairs.Work) {
    runs += other.runs
    wasted += other.wasted
    time.addClamped(other.time)
    wastedTime.addClamped(other.wastedTime)
  }
}
