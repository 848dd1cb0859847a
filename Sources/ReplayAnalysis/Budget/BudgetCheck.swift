import EventLog

/// A run held against a budget.
package struct BudgetCheck: Codable, Sendable {
  /// One limit, and the name that comes nearest to it or exceeds it most.
  package struct Result: Codable, Sendable {
    package var scope: Budget.Scope
    /// The name as the budget has it, and whom it was held against; nil where nothing has such a name.
    package var name: String
    package var subject: String?
    package var measure: Budget.Measure
    package var limit: UInt64
    package var actual: UInt64
    /// What the baseline took, where there is one.
    package var baseline: UInt64?
    /// Of a cascade: the event that it began with.
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
  /// Whether it is further over its limit, or nearer to it.
  fileprivate func isWorse(than other: BudgetCheck.Result) -> Bool {
    if isBroken != other.isBroken { return isBroken }
    return Double(actual) - Double(limit) > Double(other.actual) - Double(other.limit)
  }
}
