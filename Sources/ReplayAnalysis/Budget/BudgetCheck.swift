import EventLog

/// The result of comparing a run with a budget.
package struct BudgetCheck: Codable, Sendable {
  /// One limit, and of all the names that it matches the one that exceeds it most or comes nearest to it.
  package struct Result: Codable, Sendable {
    package var scope: Budget.Scope
    /// The name in the budget, and the matching name that was measured; nil if nothing in the run matches.
    package var name: String
    package var subject: String?
    package var measure: Budget.Measure
    package var limit: UInt64
    package var actual: UInt64
    /// What the baseline took; nil without a baseline.
    package var baseline: UInt64?
    /// For a cascade, its root event.
    package var root: UInt64?
    package var isBroken: Bool
    /// Whether nothing in the run has such a name, though the limit is for something: it was renamed, perhaps.
    package var isMissing: Bool
    /// Of a missing one: the name in the run that comes nearest.
    package var nearest: String?
    package var line: Int

    enum CodingKeys: String, CodingKey {
      case scope, name, subject, measure, limit, actual, baseline
      case root = "root_seq"
      case isBroken = "broken"
      case isMissing = "missing"
      case nearest, line
    }
  }

  package var log: String
  package var budget: String
  /// How many limits are broken.
  package var broken: Int
  /// How many are of a name that nothing in the run has.
  package var missing: Int
  package var limits: [Result]

  /// - Parameter allowsMissing: Whether a limit of a name that nothing in the run has is kept. A limit of 0 is, always.
  package init(
    _ budget: Budget, _ run: BudgetMeasures, baseline: BudgetMeasures?, allowsMissing: Bool = false,
    log: String
  ) {
    self.log = log
    self.budget = budget.file
    limits = budget.limits.map { limit in
      var result = Self.result(limit, run, baseline)
      result.isMissing = result.subject == nil && limit.bound != .absolute(0) && !allowsMissing
      if result.isMissing { result.nearest = run.nearest(to: limit) }
      return result
    }
    broken = limits.count { $0.isBroken }
    missing = limits.count { $0.isMissing }
  }

  private static func result(
    _ limit: Budget.Limit, _ run: BudgetMeasures, _ baseline: BudgetMeasures?
  ) -> Result {
    let before = baseline.map { measures in
      Dictionary(
        measures.amounts(of: limit).map { ($0.name, $0.amounts[limit.measure]) }, uniquingKeysWith: max)
    }
    var worst: Result?
    var found = run.amounts(of: limit).map { (name: Optional($0.name), amounts: $0.amounts) }
    if found.isEmpty { found = [(nil, BudgetMeasures.Amounts())] }
    for (name, amounts) in found {
      let base = before.map { $0[name ?? limit.name] ?? 0 }
      let most = limit.bound.limit(base ?? 0)
      let actual = amounts[limit.measure]
      let result = Result(
        scope: limit.scope, name: limit.name, subject: name, measure: limit.measure, limit: most,
        actual: actual, baseline: base, root: amounts.roots[limit.measure], isBroken: actual > most,
        isMissing: false, line: limit.line)
      if let known = worst, !result.isWorse(than: known) { continue }
      worst = result
    }
    return worst!
  }
}

extension BudgetCheck.Result {
  /// Whether this result exceeds its limit by more than the other, or comes closer to it.
  fileprivate func isWorse(than other: BudgetCheck.Result) -> Bool {
    if isBroken != other.isBroken { return isBroken }
    return Double(actual) - Double(limit) > Double(other.actual) - Double(other.limit)
  }
}
