import EventLog

/// Counts how often paths of each group were set, and how fast.
struct WrittenPlaces {
  struct Place {
    var sets = 0
    var sameValue = 0
    /// Changes that a prediction can leave out when it throttles the path.
    var leavable = 0
    var evidence = Evidence()
    var sameEvidence = Evidence()
    /// How often a set to an equal value invalidated a reader that tracks whole objects.
    var sameWakes = 0
    /// The number of seconds in which one path was set at least as often as the thresholds, and the most sets
    /// in one second.
    var hotSeconds = 0
    var floodSeconds = 0
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
  }

  private var places = DenseMap<GroupID<PathID>, Place>(default: Place())
  private var seconds = PathMap<Second>(default: Second())
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
  mutating func note(_ row: EventLog.Row, _ path: PathID, of group: GroupID<PathID>) {
    places[group].sets += 1
    places[group].evidence.note(row.seq)
    if row.isSameValue {
      places[group].sameValue += 1
      places[group].sameEvidence.note(row.seq)
      return
    }
    if LeftOutSets.canLeaveOut(row) { places[group].leavable += 1 }
    let second = seconds[path]
    if second.count > 0, let passed = row.time.since(second.start), passed < Self.length {
      seconds[path].count += 1
      seconds[path].last = max(second.last, row.time)
    } else {
      end(second, of: group)
      seconds[path] = Second(start: row.time, first: row.seq, last: row.time, count: 1)
    }
  }

  /// Counts that a set to an equal value invalidated something.
  mutating func noteSameWake(of group: GroupID<PathID>) { places[group].sameWakes += 1 }

  /// Ends a second. A burst shorter than half a second does not count: it is over before anyone sees it.
  private mutating func end(_ second: Second, of group: GroupID<PathID>) {
    guard second.count > 1, second.last - second.start >= Self.length / 2 else { return }
    places[group].peak = max(places[group].peak, second.count)
    if second.count >= thresholds.hotRate { places[group].hotSeconds += 1 }
    if second.count >= thresholds.floodRate {
      places[group].floodSeconds += 1
      places[group].floodEvidence.note(second.first)
    }
  }

  private static let length: UInt64 = 1_000_000_000
}
