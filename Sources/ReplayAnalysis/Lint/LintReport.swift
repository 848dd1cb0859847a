import EventLog

/// The bad shapes that a run shows.
package struct LintReport: Codable, Sendable {
  /// One shape, found at one place.
  package struct Finding: Codable, Sendable {
    package var rule: LintRule
    package var projection: String?
    package var path: String?
    /// What happened, in a sentence.
    package var message: String
    package var evidence: Facts
    /// Where in the source the first write was made or, where the log does not say, the projection or a parent of it.
    package var site: String?
    /// The command that tells what the fix would save; empty where that cannot be told.
    package var whatIf: String

    enum CodingKeys: String, CodingKey {
      case rule, projection, path, message, evidence, site
      case whatIf = "what_if"
    }
  }

  /// What a finding rests on.
  package struct Facts: Codable, Sendable {
    /// Events that show it.
    package var writes = 0
    /// What these led to, and how much of it had the same output as before.
    package var evaluations = 0
    var wasted = 0
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// The first few of the events, and the last.
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
  /// The rules that were looked for.
  package var rules: [LintRule]
  var thresholds: LintThresholds
}

extension LintReport {
  /// Goes through a log from its first event that counts to its last.
  package init(
    _ log: LogSource, _ rules: [LintRule], _ thresholds: LintThresholds, in seqs: Range<UInt64>,
    progress: AnalysisProgress = .hidden
  ) throws {
    var tally = LintTally(thresholds, in: seqs)
    let run = try log.play(to: &tally, progress: progress)
    self = tally.report(rules, run)
  }
}

extension LintTally {
  /// What the rules find in the counts, once the run is over.
  func report(_ rules: [LintRule], _ run: borrowing LogRun) -> LintReport {
    report(rules, run, most: .max, logName: nil).report
  }

  /// The same, so many findings at most, and how many there are besides.
  ///
  /// - Parameter logName: What the log is called in commands; nil for its path.
  func report(
    _ rules: [LintRule], _ run: borrowing LogRun, most: Int, logName: String?
  ) -> (report: LintReport, hidden: Int) {
    var judge = LintJudge(self, run, logName: logName)
    let found = judge.findings(rules)
    var shown = Array(found.prefix(most))
    judge.addSites(to: &shown)
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
