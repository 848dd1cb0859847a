/// What a run may do at most, as a file says it.
package struct Budget: Sendable {
  package enum Scope: String, Codable, Sendable, CaseIterable {
    /// The whole run.
    case total
    /// All instances of a projection together.
    case projection = "projections"
    /// Any one write, and all that it led to.
    case cascade = "cascades"
  }

  package enum Measure: String, Codable, Sendable, CaseIterable {
    case evaluations
    /// Evaluations whose output was the same as before.
    case wasted
    case invalidations
    /// Time in evaluations, in nanoseconds.
    case time
    /// How many projections a write itself put out of date.
    case fanOut = "fan_out"
  }

  package enum Bound: Equatable, Sendable {
    case absolute(UInt64)
    /// So much per cent more than the baseline; less where it is negative.
    case percent(Double)
    /// So much more than the baseline.
    case more(UInt64)
  }

  package struct Limit: Sendable {
    package var scope: Scope
    /// The projection, or the root of cascades, with `*` for any characters; empty for the whole run.
    var name: String
    package var measure: Measure
    package var bound: Bound
    /// Where its value stands in the file, from 1; a column is a byte.
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

  /// A budget without limits, as a file begins.
  package init(file: String) { self.file = file }

  /// Whether any limit needs a run to compare with.
  package var relative: Limit? { limits.first { if case .absolute = $0.bound { false } else { true } } }
}

extension Budget.Scope {
  /// What can be limited there.
  package var measures: [Budget.Measure] {
    switch self {
    case .total, .projection: [.evaluations, .wasted, .invalidations, .time]
    case .cascade: [.evaluations, .wasted, .invalidations, .time, .fanOut]
    }
  }
}

extension Budget.Bound {
  /// The most that is allowed, beside what the baseline took.
  func limit(_ baseline: UInt64) -> UInt64 {
    switch self {
    case .absolute(let limit): limit
    case .percent(let percent):
      UInt64(exactly: max(0, Double(baseline) * (1 + percent / 100)).rounded(.down)) ?? .max
    case .more(let more): baseline.addingReportingOverflow(more).overflow ? .max : baseline + more
    }
  }
}
