import EventLog

/// Where two runs part, and what they did differently.
package struct RunDiff: Encodable, Sendable {
  package enum Change: String, Codable, Sendable { case new, gone, more, less, slower, same }

  /// How often places of one kind were written in each.
  package struct PathCount: Codable, Sendable {
    package var path: String
    package var a: Int
    package var b: Int
    package var change: Change
  }

  /// How often, and for how long, the instances of one projection ran in each.
  package struct ProjectionCount: Codable, Sendable {
    package var name: String
    package var a: Int
    package var b: Int
    package var change: Change
    package var wastedA: Int
    package var wastedB: Int
    package var timeA: UInt64
    package var timeB: UInt64
    /// Whether an evaluation took longer in the second by more than is allowed.
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

  /// Whether the same happened, in whatever order of what does not depend on each other, with the same state at the end.
  package var isIdentical: Bool
  /// The first events that are not in both; nil in a run that had ended.
  @Nullable package var divergence: DiffHunk.Divergence?
  package var paths: [PathCount]
  package var projections: [ProjectionCount]
  package var state: [StateDifference]
  package var alignment: DiffAlignment
  /// What tells that the runs came from different builds of the program.
  var builds: [BuildDifference]
  /// The rules that the second run broke.
  package var failures: [DiffRule.Failure]
  /// What is in one run only, with what is around it, where that was asked for.
  package var hunks: [DiffHunk]?
  /// All that was counted; not part of what is encoded.
  var counts = (a: DiffCounts(), b: DiffCounts())

  /// How long all evaluations took in each, in nanoseconds.
  package var evaluationTimes: (a: UInt64, b: UInt64) {
    func sum(_ counts: DiffCounts) -> UInt64 {
      counts.projections.values.reduce(0) { $0.addingClamped($1.time) }
    }
    return (sum(counts.a), sum(counts.b))
  }

  enum CodingKeys: String, CodingKey {
    case isIdentical = "identical"
    case divergence = "first_divergence"
    case paths, projections, state
    case alignment = "events"
    case builds, failures, hunks
  }
}

/// How many events of two runs are the same.
package struct DiffAlignment: Codable, Sendable {
  package var both = 0
  package var onlyA = 0
  package var onlyB = 0
  /// Of those in both, the ones that stand in another order, which nothing depends on.
  package var moved = 0

  enum CodingKeys: String, CodingKey {
    case both
    case onlyA = "only_a"
    case onlyB = "only_b"
    case moved
  }

  mutating func note(_ step: DiffAligner.Step) {
    switch step {
    case .both(_, _, let isMoved):
      both += 1
      if isMoved { moved += 1 }
    case .onlyA: onlyA += 1
    case .onlyB: onlyB += 1
    }
  }
}
