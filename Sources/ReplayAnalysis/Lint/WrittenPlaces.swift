import EventLog

/// How often places of each kind were set, and how fast. By the numbers of groups of paths.
struct WrittenPlaces {
  struct Place {
    var sets = 0
    var sameValue = 0
    var evidence = Evidence()
    var sameEvidence = Evidence()
    /// Whole seconds in which one place was set at least so often, and the most sets in one.
    var hotSeconds = 0
    var floodSeconds = 0
    var peak = 0
    var floodEvidence = Evidence()

    /// Sets that changed something.
    var changes: Int { sets - sameValue }
  }

  /// The second of one path that is being counted.
  private struct Second {
    var start: UInt64 = 0
    var first: UInt64 = 0
    var last: UInt64 = 0
    var count = 0
  }

  private(set) var places: [Place] = []
  /// By the number of the path.
  private var seconds = PathMap<Second>(default: Second())
  private let thresholds: LintThresholds

  init(_ thresholds: LintThresholds) { self.thresholds = thresholds }

  /// Takes in a write, the last row of a run.
  @inline(__always)
  mutating func note(_ row: EventLog.Row, path: Int, group: Int, _ tables: borrowing RunTables) {
    while group >= places.count { places.append(Place()) }
    places[group].sets += 1
    places[group].evidence.note(row.seq)
    if row.isSameValue {
      places[group].sameValue += 1
      places[group].sameEvidence.note(row.seq)
      return
    }
    let second = seconds[path, tables.generation]
    if second.count > 0, row.time &- second.start < Self.length {
      seconds[path, tables.generation].count += 1
      seconds[path, tables.generation].last = row.time
    } else {
      end(second, of: group)
      seconds[path, tables.generation] = Second(start: row.time, first: row.seq, last: row.time, count: 1)
    }
  }

  /// Ends a second. A burst of less than half of one does not count: it is over before it is seen.
  private mutating func end(_ second: Second, of group: Int) {
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
