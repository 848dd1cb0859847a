import EventLog

/// A rule that fails if the second run does worse than the first: `more-evaluations:10%`.
package struct DiffRule: Codable, Sendable {
  package enum Kind: String, Codable, Sendable, CaseIterable {
    case moreEvaluations = "more-evaluations"
    case moreWasted = "more-wasted"
    case moreTime = "more-time"
    case moreSets = "more-sets"
    /// The final states differ.
    case state
    /// Some event is in one run only.
    case events
  }

  enum Allowance: Codable, Sendable {
    case share(Double)
    case count(Int)
  }

  /// A broken rule.
  package struct Failure: Codable, Sendable {
    package var rule: String
    /// The projection or the kind of path; nil for the total.
    package var name: String?
    package var a: Int
    package var b: Int

    /// Whether `name` is a kind of path.
    var isOfPaths: Bool { DiffRule(argument: rule)?.kind == .moreSets }
    /// Whether the amounts are times, in nanoseconds.
    package var isOfTime: Bool { DiffRule(argument: rule)?.kind == .moreTime }
  }

  let text: String
  let kind: Kind
  let allowance: Allowance

  /// The failures of this rule: of the total, and of single projections or kinds of paths.
  func failures(
    _ a: DiffCounts, _ b: DiffCounts, _ state: [StateDifference], _ alignment: DiffAlignment
  ) -> [Failure] {
    func runs(_ count: (DiffCounts.Runs) -> Int) -> [Failure] {
      failures(a.projections.mapValues(count), b.projections.mapValues(count))
    }
    switch kind {
    case .moreEvaluations: return runs(\.evaluations)
    case .moreWasted: return runs(\.wasted)
    case .moreTime: return runs { Int($0.time) }
    case .moreSets: return failures(a.paths, b.paths)
    case .state: return state.isEmpty ? [] : [Failure(rule: text, a: 0, b: state.count)]
    case .events:
      return alignment.onlyA + alignment.onlyB == 0
        ? [] : [Failure(rule: text, a: alignment.onlyA, b: alignment.onlyB)]
    }
  }

  private func failures(_ a: [ExactString: Int], _ b: [ExactString: Int]) -> [Failure] {
    func sum(_ counts: [ExactString: Int]) -> Int { counts.values.reduce(0) { $0 + $1 } }
    let all = Failure(rule: text, name: nil, a: sum(a), b: sum(b))
    let each = b.sorted { $0.key < $1.key }
      .map { Failure(rule: text, name: $0.key.string, a: a[$0.key] ?? 0, b: $0.value) }
    return ([all] + each.sorted { $0.b - $0.a > $1.b - $1.a })
      .filter { !allows($0.a, $0.b) }
  }

  private func allows(_ a: Int, _ b: Int) -> Bool {
    switch allowance {
    case .count(let count): b - a <= count
    case .share(let share): Double(b) <= Double(a) * (1 + share)
    }
  }
}

extension DiffRule {
  /// Parses an argument; nil if it is not a rule.
  package init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, let kind = Kind(rawValue: String(name)) else { return nil }
    text = argument
    self.kind = kind
    guard parts.count > 1 else {
      allowance = .count(0)
      return
    }
    guard let allowance = Allowance(String(parts[1])) else { return nil }
    self.allowance = allowance
  }
}

extension DiffRule.Allowance {
  /// Parses `10%` or a number.
  fileprivate init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let share = Double(text.dropLast()), share >= 0, share.isFinite else { return nil }
      self = .share(share / 100)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      self = .count(count)
    }
  }
}
