import EventLog

/// Predicts what the changes of findings would save, and keeps those findings whose change still saves something once the
/// better ones are made.
///
/// The best change is taken first, then what saves most on top of it. A finding whose work is gone by then is about the
/// same cause, so its change becomes an alternative of the finding that took the work. Each price is a pass over the log, so
/// their number is bounded by the events that they go through; what has no price keeps its change, unpriced.
struct LintPrices {
  typealias Finding = LintReport.Finding
  typealias Price = LintReport.Price

  private let log: LogSource
  private let seqs: Range<UInt64>
  private var known: [[Change]: Price?] = [:]
  private(set) var baseline: Price?
  /// How many events predictions may still go through.
  private var left = 20_000_000

  /// The least share of its own saving that a change must keep on top of others, in per cent.
  private static let keptShare: Int64 = 20
  /// The least share of all work that is worth a change, in thousandths.
  private static let worthShare: Int64 = 10
  private static let candidatesMax = 12

  init(_ log: LogSource, counting seqs: Range<UInt64>) {
    self.log = log
    self.seqs = seqs
  }

  /// The findings with their prices, in the order of what they save; then those without a price, then notes.
  mutating func choose(from findings: [Finding]) throws -> [Finding] {
    var (priced, rest): ([Finding], [Finding]) = ([], [])
    for var finding in findings {
      guard !finding.changes.isEmpty, priced.count < Self.candidatesMax,
        let price = try price(finding.changes), let baseline
      else {
        if !finding.changes.isEmpty, known[finding.changes] == .some(nil) { finding.changes = [] }
        rest.append(finding)
        continue
      }
      (finding.baseline, finding.predicted) = (baseline, price)
      if isWorth(price.saved(over: baseline), of: baseline) {
        priced.append(finding)
      } else {
        // The change helps little, so there is none to propose.
        if price.saved(over: baseline) <= 0 {
          finding.changes = []
          (finding.baseline, finding.predicted) = (nil, nil)
        }
        finding.isNote = true
        rest.append(finding)
      }
    }
    // What loses no update comes before what does.
    let chosen = try chosen(
      from: priced.sorted { (isPace($0) ? 1 : 0, saved($1)) < (isPace($1) ? 1 : 0, saved($0)) })
    return chosen + rest.filter { !$0.isNote } + rest.filter(\.isNote)
  }

  private func saved(_ finding: Finding) -> Int64 {
    guard let baseline = finding.baseline, let predicted = finding.predicted else { return 0 }
    return predicted.saved(over: baseline)
  }

  private func isPace(_ finding: Finding) -> Bool {
    finding.changes.contains { $0.kind == .throttle || $0.kind == .debounce }
  }

  private func isWorth(_ saved: Int64, of baseline: Price) -> Bool {
    let all = Price.zero.saved(over: baseline)
    return saved > 0 && saved.multipliedReportingOverflow(by: 1000).partialValue >= Self.worthShare * all
  }

  private mutating func chosen(from findings: [Finding]) throws -> [Finding] {
    var chosen: [Finding] = []
    var made: [Change] = []
    var price = baseline ?? .zero
    for finding in findings {
      guard let predicted = finding.predicted else { continue }
      let changes = finding.changes.filter { !made.contains($0) }
      guard !changes.isEmpty else { continue }
      guard !chosen.isEmpty else {
        (chosen, made, price) = ([finding], changes, predicted)
        continue
      }
      // Without a price on top of the others it stands for itself.
      guard let together = try self.price(made + changes) else {
        chosen.append(finding)
        continue
      }
      let all = baseline ?? .zero
      let more = together.saved(over: all) - price.saved(over: all)
      if isWorth(more, of: all),
        more.multipliedReportingOverflow(by: 100).partialValue >= Self.keptShare * saved(finding)
      {
        chosen.append(finding)
        made += changes
        price = together
      } else {
        let best = chosen.firstIndex { isAbout(finding, $0) } ?? 0
        chosen[best].alternatives.append(
          LintReport.Alternative(rule: finding.rule, change: finding.changes, predicted: predicted))
      }
    }
    return chosen
  }

  private func isAbout(_ a: Finding, _ b: Finding) -> Bool {
    (a.projection != nil && a.projection == b.projection) || (a.path != nil && a.path == b.path)
  }

  /// All runs with some changes; nil if that cannot be predicted, or would take too long.
  private mutating func price(_ changes: [Change]) throws -> Price? {
    if let price = known[changes] { return price }
    guard log.eventCount <= left else { return nil }
    left -= log.eventCount
    let price = try predict(changes)
    known[changes] = .some(price)
    return price
  }

  private mutating func predict(_ changes: [Change]) throws -> Price? {
    guard let rules = try? WhatIfRules(changes) else { return nil }
    do {
      let found = try WhatIf(log, rules, counting: seqs)
      var (before, after) = (PredictionLedger.Work(), PredictionLedger.Work())
      for line in found.lines {
        line.before.map { before.add($0) }
        after.add(line.after)
      }
      baseline = Price(runs: before.evaluations, time: before.time)
      return Price(runs: after.evaluations, time: after.time)
    } catch is AnalysisError {
      // The log has nothing that the rules are about.
      return nil
    }
  }
}
