import EventLog

/// Finds writes of one action to several places that follow each other within a frame, outside a transaction, and run a
/// projection again and again.
struct Bursts {
  struct Found {
    /// The bursts, and the runs in them, without the first of each.
    var bursts = 0
    fileprivate var lastBurst: UInt32 = 0
    var runs = 0
    var time: UInt64 = 0
    /// The most runs in one burst.
    var most = 0
    /// Paths that were written in bursts.
    var paths: [GroupID<PathID>] = []
    var evidence = Evidence()
  }

  /// The writes that follow each other so closely that nobody sees what is between them.
  private struct Burst {
    var last: UInt64 = 0
    var seq: UInt64 = 0
    /// The action that made them; 0 for none.
    var action: UInt64 = 0
    var number: UInt32 = 0
    /// The first two paths that were written: two places, not one that moves.
    var first: PathID?
    var second: PathID?
    var paths: [GroupID<PathID>] = []
  }

  private(set) var found: [GroupID<ProjectionID>: Found] = [:]
  private var burst = Burst()
  /// The last burst in which a projection ran, and how often.
  private var ran = ProjectionMap<(number: UInt32, runs: Int32)>(default: (0, 0))
  private var transactions = OpenTransactions()

  private static let pathsMax = 6

  init() {}

  /// Looks at a row that is a write of the app itself, or begins or ends a transaction. Another action's write is of another
  /// burst, since no transaction can have both.
  mutating func apply(_ row: borrowing EventLog.Row, _ path: PathID?, of group: GroupID<PathID>?) {
    transactions.apply(row.kind, on: row.origin.strand)
    guard row.kind == .begin || transactions.depth(around: row.origin.strand) == 0, !row.isSameValue else {
      return
    }
    let isLate = row.time.since(burst.last).map { $0 > AccountLine.burstGap } ?? true
    // Where a transaction begins or ends, the cause may be a callback's.
    if burst.number == 0 || isLate || path != nil && row.cause != burst.action {
      burst = Burst(seq: row.seq, action: row.cause, number: max(1, burst.number &+ 1))
    }
    burst.last = row.time
    guard let path, let group else { return }
    if burst.first == nil {
      burst.first = path
    } else if burst.first != path, burst.second == nil {
      burst.second = path
    }
    if burst.paths.count < Self.pathsMax, !burst.paths.contains(group) { burst.paths.append(group) }
  }

  /// Looks at a row that is no write. While a projection runs the app writes nothing, so that time is no pause.
  @inline(__always)
  mutating func follow(_ row: borrowing EventLog.Row) {
    if row.kind == .evaluate, burst.number > 0,
      let last = row.endOfRun(within: AccountLine.burstGap, of: burst.last)
    {
      burst.last = last
    }
  }

  /// Counts the bursts.
  var number: UInt32 { burst.number }

  /// Looks at a run of a projection that was invalidated.
  mutating func countRun(_ entry: FlushRuns.Entry) {
    let last = ran[entry.projection]
    guard last.number == burst.number else {
      ran[entry.projection] = (burst.number, 1)
      return
    }
    ran[entry.projection].runs &+= 1
    guard burst.second != nil else { return }
    var known = found[entry.group] ?? Found()
    if known.lastBurst != burst.number {
      known.lastBurst = burst.number
      known.bursts += 1
      known.evidence.append(burst.seq)
    }
    known.runs += 1
    known.time += entry.duration
    known.most = max(known.most, Int(last.runs) + 1)
    for path in burst.paths where known.paths.count < Self.pathsMax && !known.paths.contains(path) {
      known.paths.append(path)
    }
    found[entry.group] = known
  }
}

extension EventLog.Row {
  /// The time of the row, the end of a run, if the run began at most `gap` nanoseconds after another time.
  @inline(__always)
  func endOfRun(within gap: UInt64, of last: UInt64) -> UInt64? {
    guard let began = time.since(duration), began.since(last).map({ $0 <= gap }) ?? true else { return nil }
    return max(last, time)
  }
}
