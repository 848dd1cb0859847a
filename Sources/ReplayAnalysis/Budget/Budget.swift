/// The limits that a budget file sets on what a run may do.
package struct Budget: Sendable {
  package enum Scope: String, Codable, Sendable, CaseIterable {
    /// The whole run.
    case total
    /// All instances of a projection together.
    case projection = "projections"
    /// One write and everything that it caused.
    case cascade = "cascades"
    /// One action and everything that it led to.
    case action = "actions"
  }

  package enum Measure: String, Codable, Sendable, CaseIterable {
    case evaluations
    /// Evaluations whose output was the same as before.
    case wasted
    case invalidations
    /// Time in evaluations, in nanoseconds.
    case time
    /// The number of projections that a write itself invalidated.
    case fanOut = "fan_out"
    /// The time from an action to the end of the last run that it led to, in nanoseconds.
    case untilSettled = "until_settled"

    /// Whether it is in nanoseconds.
    package var isTime: Bool { self == .time || self == .untilSettled }
  }

  package enum Bound: Equatable, Sendable {
    case absolute(UInt64)
    /// This many per cent more than the baseline; fewer if negative.
    case percent(Double)
    /// This much more than the baseline.
    case more(UInt64)
  }

  package struct Limit: Sendable {
    package var scope: Scope
    /// The projection, or the root of the cascades, where `*` matches any characters; empty for the whole
    /// run.
    var name: String
    package var measure: Measure
    package var bound: Bound
    /// The line and column of the limit's value in the file, from 1; columns count bytes.
    package var line: Int
    package var column: Int

    package init(scope: Scope, name: String, measure: Measure, bound: Bound, line: Int, column: Int) {
      self.scope = scope
      self.name = name
      self.measure = measure
      self.bound = bound
      self.line = line
      self.column = column
    }
  }

  let file: String
  package var limits: [Limit] = []

  /// Creates a budget without limits, to which the reader of the file adds them.
  package init(file: String) { self.file = file }

  /// The first limit that is relative to a baseline; nil if none is.
  package var relative: Limit? { limits.first { if case .absolute = $0.bound { false } else { true } } }
}

extension Budget.Scope {
  /// The measures that can be limited in this scope.
  package var measures: [Budget.Measure] {
    switch self {
    case .total, .projection: [.evaluations, .wasted, .invalidations, .time]
    case .cascade: [.evaluations, .wasted, .invalidations, .time, .fanOut]
    case .action: [.evaluations, .wasted, .time, .untilSettled]
    }
  }
}

extension Budget.Bound {
  /// The largest allowed value, given what the baseline took.
  func limit(_ baseline: UInt64) -> UInt64 {
    switch self {
    case .absolute(let limit): limit
    case .percent(let percent):
      UInt64(Double(baseline) * (1 + percent / 100))
    case .more(let more): baseline + more
    }
  }
}
