import EventLog

/// A session to look at, and where in it.
package struct FleetExample: Codable, Sendable {
  package var sessionID: String
  package var log: String
  /// An event to look at; nil if none is known.
  package var seq: UInt64?

  init(_ example: FleetTally.Example) {
    (sessionID, log, seq) = (example.session.id, example.session.log, example.seq)
  }

  enum CodingKeys: String, CodingKey {
    case sessionID = "session_id"
    case log
    case seq
  }
}

/// What a set of sessions lacks.
package struct FleetLosses: Codable, Sendable {
  /// Sessions whose logs are torn, damaged or still being written. What they cost is not known, so they are not counted.
  package var partial: Int
  /// Logs that could not be read, or not to their end, by the code of the failure.
  package var failures: [String: Int]

  init(_ tally: FleetTally) { (partial, failures) = (tally.partialCount, tally.failures) }
}

/// Ranks what cost the users of an app the most, over one set of sessions.
package struct FleetRanking: Codable, Sendable {
  package struct Line: Codable, Sendable {
    package var kind: String
    /// The mean time per session in nanoseconds, over all sessions, weighted.
    package var time: Double
    /// The share of the total cost of all subjects with the same role.
    package var share: Double
    /// The number of sessions that had it.
    package var sessions: Int
    package var example: FleetExample?
    /// For actions: how long it took until the last run that one led to, in half and in 95 % of the cases of the median
    /// session, in nanoseconds; nil if nothing ran after any.
    package var p50: UInt64?
    package var p95: UInt64?

    enum CodingKeys: String, CodingKey {
      case kind, time, share, sessions, example
      case p50 = "p50_ns"
      case p95 = "p95_ns"
    }
  }

  package var sessions: Int
  /// What was left out of them.
  package var leftOut: FleetLosses
  /// Kinds of writes, by the time of the wasted runs that they led to.
  package var writes: [Line]
  /// Kinds of projections, by the time of their runs.
  package var projections: [Line]
  /// Labels of actions, by the time of the runs that they led to.
  package var actions: [Line]
  /// Whether there were more kinds than can be counted.
  package var isCrowded: Bool

  /// Ranks the subjects of a tally.
  package init(_ tally: FleetTally) {
    sessions = tally.sessionCount
    leftOut = FleetLosses(tally)
    writes = Self.lines(of: .write, tally)
    projections = Self.lines(of: .projection, tally)
    actions = Self.lines(of: .action, tally)
    isCrowded = tally.isCrowded
  }

  private static func lines(of role: FleetSubject.Role, _ tally: FleetTally) -> [Line] {
    let weight = tally.weight
    var found: [(kind: String, cost: Double, sums: FleetTally.Sums)] = []
    var sum = 0.0
    for (subject, sums) in tally.sums where subject.role == role && sums.cost > 0 {
      found.append((subject.kind, sums.cost, sums))
    }
    found.sort { $0.cost != $1.cost ? $0.cost > $1.cost : ExactString($0.kind) < ExactString($1.kind) }
    // Added in the order of the lines, so that rounding is the same each time.
    for line in found { sum += line.cost }
    return found.map { line in
      Line(
        kind: line.kind, time: weight > 0 ? line.cost / weight : 0, share: line.cost / sum,
        sessions: line.sums.sessions, example: line.sums.worst.map { FleetExample($0) },
        p50: line.sums.p50.count > 0 ? line.sums.p50.quantile(percent: 50) : nil,
        p95: line.sums.p95.count > 0 ? line.sums.p95.quantile(percent: 50) : nil)
    }
  }

  enum CodingKeys: String, CodingKey {
    case sessions, writes, projections, actions
    case leftOut = "left_out"
    case isCrowded = "is_crowded"
  }
}
