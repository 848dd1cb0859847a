import EventLog

/// The findings of `lint` in a run.
package struct LintReport: Codable, Sendable {
  /// One bad pattern at one place.
  package struct Finding: Codable, Sendable {
    package var rule: LintRule
    /// The projection that it is about; nil if it is about a path alone.
    package var projection: String?
    package var path: String?
    /// A sentence that says what happened, in the names of the app.
    package var message: String
    /// What to change, in a sentence.
    package var advice: String
    package var evidence: Facts
    /// The first few events that show the pattern, and the last.
    package var events: [UInt64]
    package var lastEvent: UInt64
    package var sites = Sites()
    /// The change that it proposes, as `what-if` takes it; empty if that cannot be predicted, or saves nothing.
    package var changes: [Change]
    /// The runs of the log, and those with the change; nil if they were not predicted.
    package var baseline: Price?
    package var predicted: Price?
    /// Other changes that save the same work.
    package var alternatives: [Alternative] = []
    /// Changes that would do instead, to be priced; not encoded.
    var options: [[Change]] = []
    /// All paths that it is about; not encoded.
    var paths: [String] = []
    /// The runs that would not be, where no change can be predicted; not encoded.
    package var needless: Price?
    /// Whether what a projection keeps is lost, which is wrong even if it costs nothing; not encoded.
    var losesState = false
    /// Whether it is only worth knowing, so that no check fails for it.
    package var isNote = false
    /// The command that predicts the change; empty if there is none.
    package var whatIf = ""

    init(
      rule: LintRule, projection: String?, path: String?, message: String, advice: String, evidence: Facts,
      changes: [Change], options: [[Change]] = [], paths: [String] = [], needless: Price? = nil,
      losesState: Bool = false, isNote: Bool = false
    ) {
      self.rule = rule
      self.projection = projection
      self.path = path
      self.message = message
      self.advice = advice
      self.evidence = evidence
      events = evidence.seqs
      lastEvent = evidence.last
      self.changes = changes
      self.options = options
      self.paths = paths.isEmpty ? path.map { [$0] } ?? [] : paths
      self.needless = needless
      self.losesState = losesState
      self.isNote = isNote
    }

    /// Its place among others, before what it costs: faults in the order of their rules, then costs, then notes.
    var rank: Int {
      if isNote { return .max }
      return changes.isEmpty ? LintRule.faults.firstIndex(of: rule) ?? .max - 1 : .max - 1
    }

    /// Proposes another change, with the command that predicts it.
    mutating func propose(_ changes: [Change]) {
      let start = whatIf.dropLast(self.changes.commandWords.count)
      self.changes = changes
      whatIf = whatIf.isEmpty ? "" : start + changes.commandWords
    }

    enum CodingKeys: String, CodingKey {
      case rule
      case projection = "subject"
      case path, message, advice, evidence, events
      case lastEvent = "last_event"
      case sites
      case changes = "change"
      case baseline, predicted, alternatives
      case isNote = "is_note"
      case whatIf = "what_if"
    }
  }

  /// Lines of the source, as `Chat.swift:12`, as far as the log has them.
  package struct Sites: Codable, Sendable {
    /// Where the first write was made.
    package var write: String?
    /// Where the projection is created, or the nearest around it.
    package var view: String?

    var all: [String] { [view, write].compactMap { $0 } }
  }

  /// A change of another finding, about runs of the same cause.
  package struct Alternative: Codable, Sendable {
    package var rule: LintRule
    package var change: [Change]
    package var predicted: Price
  }

  /// All runs of a log, or those with a change.
  package struct Price: Codable, Hashable, Sendable {
    package var runs: Int
    /// The time in nanoseconds, also that of derived values that a change adds.
    package var time: UInt64
    /// How often derived values would be computed that a change adds, beside the runs; nil if it adds none.
    package var derivedValues: Int?

    enum CodingKeys: String, CodingKey {
      case runs
      case time = "time_ns"
      case derivedValues = "derived_values"
    }

    init(runs: Int, time: UInt64, derivedValues: Int = 0) {
      (self.runs, self.time) = (runs, time)
      self.derivedValues = derivedValues > 0 ? derivedValues : nil
    }

    /// `465`, or `20 and 445 of derived values`.
    package var runsText: String {
      runs.grouped + (derivedValues.map { " and \($0.grouped) of derived values" } ?? "")
    }

    package static let zero = Price(runs: 0, time: 0)

    /// This, less some of it.
    func less(_ part: Price) -> Price {
      Price(runs: max(0, runs - part.runs), time: time.since(part.time) ?? 0)
    }

    /// What is saved over a baseline: nanoseconds, or runs where the clock hardly sees them.
    func saved(over baseline: Price) -> Int64 {
      if baseline.time < 1000 * UInt64(baseline.runs) { return Int64(baseline.runs - runs) }
      return Int64(baseline.time) - Int64(time)
    }
  }

  /// The counts that a finding is based on.
  package struct Facts: Codable, Sendable, RunCounts {
    /// The number of events that show the pattern.
    package var writes = 0
    /// The runs that these events led to, how many had the same output as before, and the time of both in
    /// nanoseconds.
    package var evaluations = 0
    package var wasted = 0
    /// Those of which it cannot be told whether their output was the same, since their bodies have no value.
    package var unknown = 0
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// The first few of these events, and the last. The finding states them.
    fileprivate(set) var seqs: [UInt64] = []
    fileprivate(set) var last: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case writes, evaluations, wasted, unknown
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
    }
  }

  package var findings: [Finding]
  /// Projections that come near to a finding, as sentences, if there is none.
  package var nearMisses: [String] = []
  /// Why some rules judge nothing here, in a sentence; nil if all do.
  package var notJudged: String?
  /// The rules that were checked.
  package var rules: [LintRule]
  var thresholds: LintThresholds
  /// All runs, each in one line; nil if it was not asked for.
  package var account: RunAccount?
  /// All runs; not encoded.
  var all = Price.zero

  enum CodingKeys: String, CodingKey {
    case findings
    case nearMisses = "near_misses"
    case notJudged = "not_judged"
    case rules, thresholds, account
  }

  /// Whether a finding is worth a change.
  package var isWorthChanging: Bool { findings.contains { !$0.isNote } }

  /// The lines of the account that no finding explains, largest first: none if what is to be changed is about half of the
  /// needless time or more.
  package var unexplained: [RunAccount.Line] {
    guard let account else { return [] }
    let explained = findings.filter { !$0.isNote }.reduce(UInt64(0)) { $0 + $1.explainedTime }
    return isWorthChanging && 2 * explained >= account.needlessTime ? [] : account.largest
  }
}

extension LintReport.Finding {
  /// The time that it is about: what its runs wasted, or what its change saves if that is more.
  fileprivate var explainedTime: UInt64 {
    let saved = predicted.flatMap { after in baseline.map { $0.time - min($0.time, after.time) } } ?? 0
    return max(evidence.wastedTime, saved)
  }
}

extension LintReport {
  /// Analyses a log up to the end of the range, and counts the events in the range.
  package init(
    _ log: LogSource, _ rules: [LintRule], _ thresholds: LintThresholds, in seqs: Range<UInt64>,
    progress: AnalysisProgress = .hidden
  ) throws {
    var tally = LintTally(thresholds, in: seqs)
    let run = try log.play(to: &tally, progress: progress)
    self = tally.report(rules, run)
    try predict(in: log, counting: seqs)
  }

  /// Predicts what the changes would save, and chooses among them; see ``LintPrices``.
  mutating func predict(in log: LogSource, counting seqs: Range<UInt64>) throws {
    var prices = LintPrices(log, counting: seqs, of: all)
    findings = try prices.choose(from: findings)
    for index in findings.indices where findings[index].changes.isEmpty { findings[index].whatIf = "" }
  }
}

extension LintTally {
  /// The findings of these rules, once the run is over.
  func report(_ rules: [LintRule], _ run: borrowing LogRun) -> LintReport {
    report(rules, run, most: .max, logName: nil).report
  }

  /// The same with at most `most` findings, and the number of further ones.
  ///
  /// - Parameter logName: The name of the log in commands; nil for its path.
  func report(
    _ rules: [LintRule], _ run: borrowing LogRun, most: Int, logName: String?
  ) -> (report: LintReport, hidden: Int) {
    var judge = LintJudge(self, run)
    let unchanged = judge.unchangedReads()
    let found = judge.findings(rules, unchanged)
    var shown = Array(found.prefix(most))
    judge.addSites(to: &shown)
    for index in shown.indices where !shown[index].changes.isEmpty {
      // A command of the tool for this log, quoted for a shell.
      let words = ["replay", "what-if", logName ?? run.log.path].map(\.quotedForShell)
      shown[index].whatIf = words.joined(separator: " ") + " " + shown[index].changes.commandWords
    }
    var report = LintReport(findings: shown, rules: rules, thresholds: thresholds, all: runs)
    report.notJudged = pace.sentence
    report.account = account.sums.account(
      run.log, in: seqs, unchanged: unchanged.map { judge.account(of: $0) }, logName: logName)
    if shown.allSatisfy(\.isNote) { report.nearMisses = judge.nearMisses() }
    return (report, found.count - shown.count)
  }
}

extension [Change] {
  /// The changes as words of a command, quoted for a shell.
  package var commandWords: String { flatMap(\.words).map(\.quotedForShell).joined(separator: " ") }
}

extension RunCounts {
  /// Some of these runs, if each took as long as the mean.
  func part(_ runs: Int) -> LintReport.Price {
    let runs = min(max(0, runs), evaluations)
    return .init(
      runs: runs, time: evaluations == 0 ? 0 : UInt64(Double(time) * Double(runs) / Double(evaluations)))
  }
}

extension LintReport.Facts {
  init(_ evidence: Evidence, writes: Int, _ works: LintSums...) {
    self.init()
    self.writes = writes
    seqs = evidence.seqs
    last = evidence.last
    for work in works {
      add(work)
      unknown += work.unknown
    }
  }
}
