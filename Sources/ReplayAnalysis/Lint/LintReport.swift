import EventLog

/// The findings of `lint` in a run.
package struct LintReport: Codable, Sendable {
  /// One bad pattern at one place.
  package struct Finding: Codable, Sendable {
    package var rule: LintRule
    package var projection: String?
    package var path: String?
    /// A sentence that describes what happened.
    package var message: String
    package var evidence: Facts
    /// The site of the first write; or, if the log has none, of the projection's creation or of an
    /// ancestor's.
    package var site: String?
    /// The options of `what-if` that stand for the fix; none if it cannot be predicted.
    var fix: [String] = []
    /// The command that predicts what the fix would save; empty if that cannot be predicted, or is nothing.
    package var whatIf = ""
    /// Whether the prediction has fewer runs, or runs of less time; nil if it was not made.
    package var saves: Bool?

    enum CodingKeys: String, CodingKey {
      case rule, projection, path, message, evidence, site
      case whatIf = "what_if"
      case saves
    }
  }

  /// The counts that a finding is based on.
  package struct Facts: Codable, Sendable {
    /// The number of events that show the pattern.
    package var writes = 0
    /// The runs that these events led to, how many had the same output as before, and the time of both in
    /// nanoseconds.
    package var evaluations = 0
    var wasted = 0
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// The first few of these events, and the last.
    package var seqs: [UInt64] = []
    package var last: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case writes, evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case seqs
      case last = "last_seq"
    }
  }

  package var findings: [Finding]
  /// The rules that were checked.
  package var rules: [LintRule]
  var thresholds: LintThresholds
}

extension LintReport {
  /// How many events predictions may go through, since each of them is a pass over the log.
  private static let eventsMax = 20_000_000

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

  /// Predicts what the fixes would save, for the first findings first, and proposes no fix that saves nothing.
  mutating func predict(in log: LogSource, counting seqs: Range<UInt64>) throws {
    var known: [[String]: Bool] = [:]
    var left = Self.eventsMax
    for index in findings.indices where !findings[index].fix.isEmpty {
      let fix = findings[index].fix
      if known[fix] == nil, log.eventCount <= left {
        left -= log.eventCount
        known[fix] = try WhatIf.saves(log, fix, counting: seqs)
      }
      findings[index].saves = known[fix]
      if known[fix] == false { findings[index].whatIf = "" }
    }
  }
}

extension WhatIf {
  /// Whether the command with these options predicts fewer runs or less time; what it calls unknown does not count.
  fileprivate static func saves(
    _ log: LogSource, _ options: [String], counting seqs: Range<UInt64>
  ) throws -> Bool {
    guard let rules = WhatIfRules(options: options) else { return false }
    do {
      let found = try WhatIf(log, rules, counting: seqs)
      var (before, after) = (PredictionLedger.Work(), PredictionLedger.Work())
      for line in found.lines {
        line.before.map { before.add($0) }
        after.add(line.after)
      }
      return after.evaluations < before.evaluations || after.time < before.time
    } catch is AnalysisError {
      // The log has nothing that the rules are about.
      return false
    }
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
    let found = judge.findings(rules)
    var shown = Array(found.prefix(most))
    judge.addSites(to: &shown)
    for index in shown.indices where !shown[index].fix.isEmpty {
      // A command of the tool for this log, quoted for a shell.
      let words = ["replay", "what-if", logName ?? run.log.path] + shown[index].fix
      shown[index].whatIf = words.map(\.quotedForShell).joined(separator: " ")
    }
    return (LintReport(findings: shown, rules: rules, thresholds: thresholds), found.count - shown.count)
  }
}

extension LintReport.Facts {
  init(_ evidence: Evidence, writes: Int, _ works: WakePairs.Work...) {
    self.init()
    self.writes = writes
    seqs = evidence.seqs
    last = evidence.last
    for work in works {
      evaluations += work.runs
      wasted += work.wasted
      time.addClamped(work.time)
      wastedTime.addClamped(work.wastedTime)
    }
  }
}
