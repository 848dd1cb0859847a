import Algorithms
import EventLog
import OrderedCollections

/// Predicts what the changes of findings would save, and keeps those findings whose change still saves something once the
/// better ones are made.
///
/// Of some findings the log has itself which runs would not be made; these prices stand beside the predicted ones.
///
/// The best change is taken first, then what saves most on top of it. A finding whose work is gone by then is about the
/// same cause, so its change becomes an alternative of the finding that took the work. All changes are priced together, in
/// a pass over the log for each change that is taken. A change that cannot save enough, because the runs of its finding took
/// too little, is not priced. The number of predictions is bounded; what has no price keeps its change, unpriced. Where no
/// change can be predicted, the price is that of the runs that the finding is about.
///
/// What is worth a change is judged by runs, which are the same on every machine, and by time only where that leaves no doubt.
struct LintPrices {
  typealias Finding = LintReport.Finding
  typealias Price = LintReport.Price

  private let log: LogSource
  private let seqs: Range<UInt64>
  /// All recorded runs.
  let all: Price
  private var baseline: Price?
  /// How many changes may still be priced: fewer in a longer log, since each takes about as long as another pass, but at
  /// least three.
  private var left: Int
  /// What was predicted so far.
  private var known: [[Change]: Answer] = [:]
  /// The runs of each projection without a change, and under those that were predicted, by the projection's name.
  private var parts: (before: [String: Price], after: [[Change]: [String: Price]]) = ([:], [:])

  /// The least share of its own saving that a change must keep on top of others, in per cent.
  private static let keptShare: Int64 = 20
  /// The least share of all runs that is worth a change, in thousandths, and that of their time, which is so large that the
  /// load of a machine seldom decides.
  private static let worthShare = 10
  private static let worthTimeShare: UInt64 = 100
  /// How many other runs (``OtherRun``) share a pass. Each has a state of its own, and any number of predictions.
  private static let togetherMax = 8
  /// How many predictions take about as long as the other run that they share.
  private static let otherRunCost = 4

  /// - Parameter all: All recorded runs in the range.
  init(_ log: LogSource, counting seqs: Range<UInt64>, of all: Price) {
    self.log = log
    self.seqs = seqs
    self.all = all
    left = min(64, max(3, 1_600_000 / max(1, log.eventCount)))
  }

  /// The findings with their prices: faults first (``LintRule/faults``), then those with a price in the order of what they save,
  /// those without one, and notes.
  mutating func choose(from findings: [Finding]) throws -> [Finding] {
    let findings = findings.map { finding in
      if !isCost(finding) || mayBeWorth(finding) { return finding }
      var finding = finding
      (finding.changes, finding.options, finding.isNote) = ([], [], true)
      return finding
    }
    // Those that may save most come first, since not all of many can be priced.
    let candidates = findings.indices.filter { !findings[$0].changes.isEmpty }
      .sorted { mostSaved(findings[$0]) > mostSaved(findings[$1]) }
    let sets = candidates.map { findings[$0].changes }
    let answers = Dictionary(
      uniqueKeysWithValues: zip(
        candidates,
        try prices(of: sets, besides: candidates.flatMap { findings[$0].options })))
    var (priced, rest): ([Finding], [Finding]) = ([], [])
    for (index, var finding) in findings.enumerated() {
      guard var answer = answers[index] else {
        rest.append(finding)
        continue
      }
      if case .impossible = answer, let other = finding.options.first(where: { known[$0] != nil }) {
        // Not all of them have a parent that could do it, for example.
        finding.options.removeAll { $0 == other }
        finding.propose(other)
        answer = known[other] ?? .impossible
      }
      guard case .priced(let price) = answer, let baseline else {
        if case .impossible = answer { finding.changes = [] }
        rest.append(finding)
        continue
      }
      offer(finding.options, in: &finding)
      (finding.baseline, finding.predicted) = (baseline, price)
      if !isWorth(price, of: baseline), let better = finding.alternatives.first {
        finding.propose(better.change)
        finding.predicted = better.predicted
        finding.alternatives.removeFirst()
      }
      if isWorth(finding.predicted ?? price, of: baseline) {
        priced.append(finding)
      } else if finding.needless != nil {
        // No change that can be predicted is the one that it needs.
        finding.changes = []
        (finding.baseline, finding.predicted) = (nil, nil)
        rest.append(finding)
      } else {
        // The change helps little, so there is none to propose.
        if price.runs >= baseline.runs, price.time >= baseline.time {
          finding.changes = []
          (finding.baseline, finding.predicted) = (nil, nil)
        }
        finding.isNote = true
        rest.append(finding)
      }
    }
    let (estimated, others) = estimate(rest)
    let ranked = ranked(try chosen(from: priced), estimated)
    let found = folded(ranked + others.filter { !$0.isNote }) + others.filter(\.isNote)
    // Within a rank the order stays.
    return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(
      \.element)
  }

  /// Whether it is no fault, but something that costs: what has no change is a fault, apart from these.
  func isCost(_ finding: Finding) -> Bool {
    if finding.losesState { return false }
    return !finding.changes.isEmpty
      || [.flood, .replacedObject, .wholesaleChange, .callbackChain, .hostRuns, .madeAnew].contains(
        finding.rule)
  }

  /// Adds those of several changes that are worth it to the alternatives of a finding.
  private func offer(_ options: [[Change]], in finding: inout Finding) {
    for option in options {
      guard case .priced(let price)? = known[option], let baseline, isWorth(price, of: baseline) else {
        continue
      }
      finding.alternatives.append(
        LintReport.Alternative(rule: finding.rule, change: option, predicted: price))
    }
  }

  func saved(_ finding: Finding) -> Int64 {
    guard let baseline = finding.baseline, let predicted = finding.predicted else { return 0 }
    return predicted.saved(over: baseline)
  }

  func isPace(_ changes: [Change]) -> Bool {
    changes.contains { $0.kind == .throttle || $0.kind == .debounce }
  }

  /// Whether enough is saved of all runs when these are left.
  ///
  /// - Parameter before: The runs without the change; nil for all.
  func isWorth(_ price: Price, over before: Price? = nil, of all: Price) -> Bool {
    let before = before ?? all
    let runs = before.runs - price.runs
    if runs > 0, 1000 * runs >= Self.worthShare * all.runs { return true }
    guard let time = before.time.since(price.time), time > 0 else { return false }
    return 1000 * time >= Self.worthTimeShare * all.time
  }

  /// Whether a change may save enough at all.
  private func mayBeWorth(_ finding: Finding) -> Bool { isWorth(least(finding), of: all) }

  private func mostSaved(_ finding: Finding) -> Int64 { least(finding).saved(over: all) }

  /// What a change leaves at least: it saves the runs of its finding that drew the same, if it leaves out only these;
  /// otherwise all of them, and maybe as many behind them. A burst is over more than the runs that are seen with it.
  private func least(_ finding: Finding) -> Price {
    let (facts, kinds) = (finding.evidence, finding.changes.map(\.kind))
    if let needless = finding.needless, kinds.isEmpty { return all.less(needless) }
    // A callback whose values are derived may run other projections less, too.
    if [.burst, .callbackChain].contains(finding.rule) || facts.evaluations == 0 { return .zero }
    let ofWaste: [Change.Kind] = [.derived, .equatable, .tracking, .noSameValue]
    let isOfWaste = !kinds.isEmpty && kinds.allSatisfy { ofWaste.contains($0) }
    let runs = isOfWaste ? facts.wasted : 2 * facts.evaluations
    let time = isOfWaste ? facts.wastedTime : 2 * facts.time
    return all.less(Price(runs: runs, time: time))
  }

  // MARK: The greedy choice

  /// A finding that is not chosen yet.
  private struct Candidate {
    var finding: Finding
    /// The price of its change on top of those that are made; nil if it is not known, as of what the log has itself.
    var together: Price?
    /// What it saves on top of them.
    var more: Int64
  }

  private mutating func chosen(from findings: [Finding]) throws -> [Finding] {
    // What only its own runs show stands for itself.
    var waiting = findings.map {
      Candidate(finding: $0, together: $0.changes.isEmpty ? nil : $0.predicted, more: saved($0))
    }
    var chosen: [Finding] = []
    var made: [Change] = []
    while let next = waiting.indices.min(by: { comesBefore(waiting[$0], waiting[$1]) }) {
      let best = waiting.remove(at: cause(of: next, in: waiting) ?? next)
      chosen.append(best.finding)
      // Without a price on top of the others it stands for itself.
      guard let price = best.together else { continue }
      made += best.finding.changes.filter { !made.contains($0) }
      try reprice(&waiting, onTopOf: made, price, &chosen)
    }
    return chosen
  }

  /// The candidate that is about writes which change nothing, if it saves at least half of what another does that is about
  /// their path: who makes less of such a write still makes it.
  private func cause(of best: Int, in waiting: [Candidate]) -> Int? {
    waiting.indices.first { index in
      let (cause, other) = (waiting[index], waiting[best])
      return index != best && cause.finding.rule == .notEquatable && 2 * cause.more >= other.more
        && cause.finding.paths.contains { other.finding.paths.contains($0) }
    }
  }

  /// What loses no update comes before what does, and then what saves more.
  private func comesBefore(_ a: Candidate, _ b: Candidate) -> Bool {
    (isPace(a.finding.changes) ? 1 : 0, b.more) < (isPace(b.finding.changes) ? 1 : 0, a.more)
  }

  /// Prices the candidates on top of what is made. Those whose work is gone become alternatives of the last finding that was
  /// chosen, or of one about the same.
  private mutating func reprice(
    _ waiting: inout [Candidate], onTopOf made: [Change], _ price: Price, _ chosen: inout [Finding]
  ) throws {
    let all = baseline ?? .zero
    var kept = waiting.filter(\.finding.changes.isEmpty)
    waiting.removeAll { candidate in candidate.finding.changes.allSatisfy { made.contains($0) } }
    func fold(_ candidate: Candidate) {
      guard let predicted = candidate.finding.predicted else { return }
      let best = chosen.firstIndex { isAbout(candidate.finding, $0) } ?? chosen.count - 1
      chosen[best].alternatives.append(
        LintReport.Alternative(
          rule: candidate.finding.rule, change: candidate.finding.changes, predicted: predicted))
    }
    // A pass over the log is worth it only for those of whose work something may be left.
    waiting.removeAll { candidate in
      guard let least = leastLeft(candidate.finding, onTopOf: made, price),
        !isKept(least, candidate.finding, over: price)
      else { return false }
      fold(candidate)
      return true
    }
    let prices = try prices(
      of: waiting.map { candidate in made + candidate.finding.changes.filter { !made.contains($0) } })
    for (var candidate, together) in zip(waiting, prices) {
      guard case .priced(let together) = together else {
        candidate.together = nil
        kept.append(candidate)
        continue
      }
      if isKept(together, candidate.finding, over: price) {
        candidate.together = together
        candidate.more = together.saved(over: all) - price.saved(over: all)
        kept.append(candidate)
      } else {
        fold(candidate)
      }
    }
    waiting = kept
  }

  /// Whether a change that leaves this is worth it on top of others, which leave more.
  private func isKept(_ together: Price, _ finding: Finding, over price: Price) -> Bool {
    let all = baseline ?? .zero
    let more = together.saved(over: all) - price.saved(over: all)
    return isWorth(together, over: price, of: all) && 100 * more >= Self.keptShare * saved(finding)
  }

  /// What a change leaves at least on top of others that leave a price: of each projection it is taken to save no more than it
  /// does alone, nor more than they leave. Nil if the runs of each projection are not known.
  private func leastLeft(_ finding: Finding, onTopOf made: [Change], _ price: Price) -> Price? {
    guard let alone = parts.after[finding.changes], let made = parts.after[made] else { return nil }
    return made.reduce(price) { left, part in
      let (name, others) = part
      let saved = parts.before[name]?.less(alone[name] ?? .zero) ?? others
      return left.less(Price(runs: min(saved.runs, others.runs), time: min(saved.time, others.time)))
    }
  }

  func isAbout(_ a: Finding, _ b: Finding) -> Bool {
    (a.projection != nil && a.projection == b.projection) || (a.path != nil && a.path == b.path)
  }

  // MARK: Predictions

  private typealias Rules = (changes: [Change], rules: WhatIfRules)

  private enum Answer {
    case priced(Price)
    /// The log has nothing that the change is about, or does not fit it.
    case impossible
    /// It would take too long.
    case unknown
  }

  /// All runs under each set of changes, as many sets as may still be priced.
  ///
  /// - Parameter options: Further sets, which are priced only if that takes no other's place.
  private mutating func prices(
    of sets: [[Change]], besides options: [[Change]] = []
  ) throws -> [Answer] {
    var affordable: [Rules] = []
    var isUnknown: Set<[Change]> = []
    func add(_ changes: [Change]) {
      guard known[changes] == nil, let rules = try? WhatIfRules(changes) else { return }
      if affordable.count < left {
        affordable.append((changes, rules))
      } else {
        isUnknown.insert(changes)
      }
    }
    // Several findings may have the same change.
    sets.uniqued().forEach(add)
    if left >= 2 * Self.togetherMax {
      for option in options.uniqued() where affordable.count < Self.togetherMax { add(option) }
    }
    left -= affordable.count
    let groups = Array(OrderedDictionary(grouping: affordable, by: \.rules.otherRun).values)
    for pass in groups.chunks(ofCount: Self.togetherMax) {
      for (changes, result) in try predictions(pass) {
        if case .success(let whatIf) = result { insert(whatIf, of: changes) }
      }
    }
    return sets.map { isUnknown.contains($0) ? .unknown : known[$0] ?? .impossible }
  }

  private mutating func insert(_ whatIf: WhatIf, of changes: [Change]) {
    var (before, after) = (PredictionLedger.Work(), PredictionLedger.Work())
    for line in whatIf.lines {
      line.before.map { before.add($0) }
      after.add(line.after)
      parts.before[line.name] = line.before.map { Price(runs: $0.evaluations, time: $0.time) }
      parts.after[changes, default: [:]][line.name] = Price(
        runs: line.after.evaluations, time: line.after.time)
    }
    baseline = Price(runs: before.evaluations, time: before.time)
    known[changes] = .priced(
      Price(
        runs: after.evaluations - whatIf.derivedValues, time: after.time, derivedValues: whatIf.derivedValues)
    )
  }

  /// The predictions of other runs, in a pass, or in two at once if there are several.
  private func predictions(
    _ groups: ArraySlice<[Rules]>
  ) throws -> [([Change], Result<WhatIf, AnalysisError>)] {
    // Another run takes about as long as some predictions of it.
    var (here, there, lead): ([Rules], [Rules], Int) = ([], [], 0)
    for group in groups.sorted(by: { $0.count > $1.count }) {
      if lead <= 0 {
        here += group
        lead += group.count + Self.otherRunCost
      } else {
        there += group
        lead -= group.count + Self.otherRunCost
      }
    }
    func paired(_ rules: [Rules], _ found: [Result<WhatIf, AnalysisError>]) -> [(
      [Change], Result<WhatIf, AnalysisError>
    )] {
      zip(rules, found).map { ($0.changes, $1) }
    }
    if there.isEmpty { return paired(here, try WhatIf.all(log, here.map(\.rules), counting: seqs)) }
    let side = SideWork { [path = log.path, limits = log.limits, rules = there.map(\.rules), seqs] in
      try WhatIf.all(LogSource(path: path, limits: limits), rules, counting: seqs)
    }
    // The log must not be in use any more when this returns.
    defer { _ = try? side.value() }
    return paired(here, try WhatIf.all(log, here.map(\.rules), counting: seqs))
      + paired(there, try side.value())
  }
}
