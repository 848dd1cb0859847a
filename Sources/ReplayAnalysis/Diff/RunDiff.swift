import EventLog

/// The differences between two runs.
package struct RunDiff: Encodable, Sendable {
  package enum Change: String, Codable, Sendable { case new, gone, more, less, slower, same }

  /// The number of writes to the paths of one kind, in each run.
  package struct PathCount: Codable, Sendable {
    package var path: String
    package var a: Int
    package var b: Int
    package var change: Change
  }

  /// The evaluations of one projection's instances in each run, and the time that they took.
  package struct ProjectionCount: Codable, Sendable {
    package var name: String
    package var a: Int
    package var b: Int
    package var change: Change
    package var wastedA: Int
    package var wastedB: Int
    package var timeA: UInt64
    package var timeB: UInt64
    /// Whether an evaluation in the second run took longer by more than is allowed.
    package var isSlower: Bool

    enum CodingKeys: String, CodingKey {
      case name, a, b, change
      case wastedA = "a_wasted"
      case wastedB = "b_wasted"
      case timeA = "a_time_ns"
      case timeB = "b_time_ns"
      case isSlower = "slower"
    }
  }

  /// Whether the runs had the same events, but for the order of events that do not depend on each other, and
  /// the same final state.
  package var isIdentical: Bool
  /// The first events that are not in both runs; nil if the runs are equal.
  @Nullable package var divergence: DiffHunk.Divergence?
  /// The first writes that are in another order; nil if there are none.
  package var changedPlaces: ChangedPlaces?
  package var paths: [PathCount]
  package var projections: [ProjectionCount]
  package var state: [StateDifference]
  package var alignment: DiffAlignment
  /// The header fields that show that different builds recorded the runs.
  var builds: [BuildDifference]
  /// The rules that the second run broke.
  package var failures: [DiffRule.Failure]
  /// The events that are in one run only, with those around them; nil if hunks were not requested.
  package var hunks: [DiffHunk]?
  /// What `lint` finds in one of the runs only; nil if that was not requested.
  package var findings: FindingChanges?
  /// All counts; not encoded.
  var counts = (a: DiffCounts(), b: DiffCounts())

  /// The total time of all evaluations in each run, in nanoseconds.
  package var evaluationTimes: (a: UInt64, b: UInt64) {
    func sum(_ counts: DiffCounts) -> UInt64 {
      counts.projections.values.reduce(0) { $0 + $1.time }
    }
    return (sum(counts.a), sum(counts.b))
  }

  enum CodingKeys: String, CodingKey {
    case isIdentical = "identical"
    case divergence = "first_divergence"
    case changedPlaces = "changed_places"
    case paths, projections, state
    case alignment = "events"
    case builds, failures, hunks, findings
  }
}

/// The numbers of events that two runs have in common, and that only one has.
package struct DiffAlignment: Codable, Sendable {
  package var both = 0
  package var onlyA = 0
  package var onlyB = 0
  /// The events of `both` that are in another order, relative to events that do not depend on them.
  package var moved = 0

  enum CodingKeys: String, CodingKey {
    case both
    case onlyA = "only_a"
    case onlyB = "only_b"
    case moved
  }

  mutating func append(_ aligned: DiffAligner.AlignedEvent) {
    switch aligned {
    case .both(_, _, let isMoved):
      both += 1
      if isMoved { moved += 1 }
    case .onlyA: onlyA += 1
    case .onlyB: onlyB += 1
    }
  }
}
