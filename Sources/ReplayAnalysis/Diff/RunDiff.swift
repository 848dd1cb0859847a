import EventLog

/// Where two runs part, and what they did differently.
struct RunDiff: Encodable, Sendable {
  enum Change: String, Codable, Sendable { case new, gone, more, less, slower, same }

  /// How often places of one kind were written in each.
  struct PathCount: Codable, Sendable {
    var path: String
    var a: Int
    var b: Int
    var change: Change
  }

  /// How often, and for how long, the instances of one projection ran in each.
  struct ProjectionCount: Codable, Sendable {
    var name: String
    var a: Int
    var b: Int
    var change: Change
    var wastedA: Int
    var wastedB: Int
    var timeA: UInt64
    var timeB: UInt64
    /// Whether an evaluation took longer in the second by more than is allowed.
    var isSlower: Bool

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
  var isIdentical: Bool
  /// The first events that are not in both; nil in a run that had ended.
  @Nullable var divergence: DiffHunk.Divergence?
  var paths: [PathCount]
  var projections: [ProjectionCount]
  var state: [StateDifference]
  var alignment: DiffAlignment
  /// What tells that the runs came from different builds of the program.
  var builds: [BuildDifference]
  /// The rules that the second run broke.
  var failures: [DiffRule.Failure]
  /// What is in one run only, with what is around it, where that was asked for.
  var hunks: [DiffHunk]?

  enum CodingKeys: String, CodingKey {
    case isIdentical = "identical"
    case divergence = "first_divergence"
    case paths, projections, state
    case alignment = "events"
    case builds, failures, hunks
  }
}

/// How many events of two runs are the same.
struct DiffAlignment: Codable, Sendable {
  var both = 0
  var onlyA = 0
  var onlyB = 0
  /// Of those in both, the ones that stand in another order, which nothing depends on.
  var moved = 0

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
