import EventLog
import Invalidation

/// Counts how often paths of each group were set, and how fast.
struct WrittenPlaces {
  struct Place {
    var sets = 0
    var sameValue = 0
    /// Changes that a prediction can leave out when it throttles the path.
    var leavable = 0
    var evidence = Evidence()
    var sameEvidence = Evidence()
    /// Sets that counted as changes though the value is recorded as it was, and sets that counted as none though it is not.
    var equalChanges = 0
    var equalEvidence = Evidence()
    var hiddenChanges = 0
    var hiddenEvidence = Evidence()
    /// Sets to another object with the same properties.
    var copies = 0
    var copyEvidence = Evidence()
    /// Edits of a text.
    var edits = 0
    /// How often a set to an equal value invalidated a reader that tracks whole objects.
    var sameWakes = 0
    /// The stretches of a second or less in which one path was set at least as often as the threshold: their time, the
    /// sets in them, and the most in a second.
    var floodTime: UInt64 = 0
    var floodSets = 0
    var peak = 0
    var floodEvidence = Evidence()

    /// Sets that changed something.
    var changes: Int { sets - sameValue }
  }

  /// The current second of one path.
  private struct Second {
    var start: UInt64 = 0
    var first: UInt64 = 0
    var last: UInt64 = 0
    var count = 0
    /// The transaction in which the path was last written; 0 if none was open.
    var transaction: UInt64 = 0
    /// The cause of the last write, and its time.
    var cause: UInt64 = 0
    var written: UInt64 = 0
  }

  private var transactions = OpenTransactions()
  /// The events with which the open ones began, by their strands.
  private var begun: [Int: UInt64] = [:]
  private var places = DenseMap<GroupID<PathID>, Place>(default: Place())
  private var seconds = PathMap<Second>(default: Second())
  /// Paths with a second that may count, for the end.
  private var fast: [PathID: GroupID<PathID>] = [:]
  private let thresholds: LintThresholds

  init(_ thresholds: LintThresholds) { self.thresholds = thresholds }

  /// The counts of a group; empty if it was never written.
  subscript(group: GroupID<PathID>) -> Place { places[group] }

  /// The groups that were written.
  var groups: [GroupID<PathID>] {
    places.values.indices.filter { places.values[$0].sets > 0 }.map { GroupID($0) }
  }

  /// Counts a write, the current row of a run.
  @inline(__always)
  mutating func apply(
    _ row: EventLog.Row, _ path: PathID, of group: GroupID<PathID>,
    _ contradiction: InvalidationCore.Contradiction?
  ) {
    places[group].sets += 1
    places[group].evidence.append(row.seq)
    if let contradiction { apply(contradiction, row.seq, of: group) }
    if row.isSameValue {
      places[group].sameValue += 1
      places[group].sameEvidence.append(row.seq)
      return
    }
    if LeftOutSets.canLeaveOut(row) { places[group].leavable += 1 }
    if case .string = row.value, row.kind == .splice { places[group].edits += 1 }
    let second = seconds[path]
    let transaction = transaction(around: row)
    // What a transaction writes is seen at its end, however often.
    if transaction > 0, second.transaction == transaction { return }
    defer { (seconds[path].cause, seconds[path].written) = (row.cause, row.time) }
    // So is what one event sets again at once.
    if row.cause > 0, row.cause == second.cause,
      row.time.since(second.written).map({ $0 < Self.atOnce }) ?? false
    {
      return
    }
    if second.count > 0, let passed = row.time.since(second.start), passed < Self.length {
      seconds[path].count += 1
      seconds[path].last = max(second.last, row.time)
      if seconds[path].count == floodLeast, fast.count < Self.fastMax { fast[path] = group }
    } else {
      end(second, of: group)
      seconds[path] = Second(start: row.time, first: row.seq, last: row.time, count: 1)
    }
    seconds[path].transaction = transaction
  }

  /// Looks at the beginning or the end of a transaction.
  mutating func nest(_ row: borrowing EventLog.Row) {
    if row.kind == .begin, transactions.depth(around: row.origin.strand) == 0 {
      begun[row.origin.strand] = row.seq
    }
    transactions.apply(row.kind, on: row.origin.strand)
    if row.kind == .end, transactions.depth(of: row.origin.strand) == 0 { begun[row.origin.strand] = nil }
  }

  /// The beginning of the transaction to which a row belongs; 0 if there is none.
  func transaction(around row: borrowing EventLog.Row) -> UInt64 {
    begun.isEmpty ? 0 : begun[row.origin.strand] ?? begun[OpenTransactions.session] ?? 0
  }

  private mutating func apply(
    _ contradiction: InvalidationCore.Contradiction, _ seq: UInt64, of group: GroupID<PathID>
  ) {
    switch contradiction {
    case .equal:
      places[group].equalChanges += 1
      places[group].equalEvidence.append(seq)
    case .different:
      places[group].hiddenChanges += 1
      places[group].hiddenEvidence.append(seq)
    case .sameContent:
      places[group].copies += 1
      places[group].copyEvidence.append(seq)
    case .otherIDs: break
    }
  }

  /// Counts that a set to an equal value invalidated something.
  mutating func countSameValue(of group: GroupID<PathID>) { places[group].sameWakes += 1 }

  /// Ends a second. A burst shorter than half a second does not count: it is over before anyone sees it.
  private mutating func end(_ second: Second, of group: GroupID<PathID>) {
    guard second.count >= floodLeast, second.last - second.start >= Self.length / 2 else {
      return
    }
    places[group].peak = max(places[group].peak, second.count)
    places[group].floodTime += second.last - second.start
    places[group].floodSets += second.count
    places[group].floodEvidence.append(second.first)
  }

  /// Counts the seconds that are not over at the end.
  mutating func finish() {
    for (path, group) in fast.sorted(by: { $0.key.index < $1.key.index }) { end(seconds[path], of: group) }
    fast = [:]
  }

  private var floodLeast: Int { max(2, thresholds.floodRate) }

  private static let fastMax = 1 << 12
  private static let length: UInt64 = 1_000_000_000
  private static let atOnce: UInt64 = 1_000_000
}
