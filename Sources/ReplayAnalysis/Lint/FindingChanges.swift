import EventLog

/// What `lint` finds in one of two runs only: whether a change came true.
package struct FindingChanges: Encodable, Sendable {
  package struct Line: Encodable, Sendable {
    package var rule: LintRule
    package var subject: String?
    package var path: String?
    package var message: String
    /// What the change of a finding that is gone was predicted to make of all runs.
    package var baseline: LintReport.Price?
    package var predicted: LintReport.Price?

    init(_ finding: LintReport.Finding) {
      (rule, message) = (finding.rule, finding.message)
      (subject, path) = (finding.projection, finding.path)
    }
  }

  /// The findings of the first run that the second does not have, and the reverse.
  package var gone: [Line]
  package var new: [Line]
  /// The findings that both have.
  package var kept: Int
  /// All runs of the first and of the second log; derived values that only the second has stand beside these.
  package var before: LintReport.Price
  package var real: LintReport.Price

  private struct Key: Hashable {
    var rule: LintRule
    var subject: ExactString?
    var path: ExactString?

    init(_ finding: LintReport.Finding) {
      rule = finding.rule
      subject = finding.projection.map { ExactString($0) }
      // A projection has one finding of a rule, whichever of its paths is the worst.
      path = subject == nil ? finding.path.map { ExactString($0) } : nil
    }
  }

  /// Cost: a pass over each log, and one for each price.
  package init(
    _ a: LogSource, in seqsA: Range<UInt64>, _ b: LogSource, in seqsB: Range<UInt64>,
    progress: AnalysisProgress = .hidden
  ) throws {
    func findings(
      _ log: LogSource, _ seqs: Range<UInt64>
    ) throws -> (all: [LintReport.Finding], runs: LintReport.Price, derived: [String: Int]) {
      var tally = LintTally(LintThresholds(), in: seqs)
      let run = try log.play(to: &tally, progress: progress)
      var report = tally.report(LintRule.allCases, run)
      // Whether a finding is only a note depends on its price.
      try report.predict(in: log, counting: seqs)
      return (report.findings.filter { !$0.isNote }, tally.runs, LintJudge(tally, run).derivedRuns)
    }
    let (first, second) = (try findings(a, seqsA), try findings(b, seqsB))
    let (inFirst, inSecond) = (Set(first.all.map { Key($0) }), Set(second.all.map { Key($0) }))
    gone = first.all.filter { !inSecond.contains(Key($0)) }.map {
      var line = Line($0)
      (line.baseline, line.predicted) = ($0.baseline, $0.predicted)
      return line
    }
    new = second.all.filter { !inFirst.contains(Key($0)) }.map { Line($0) }
    kept = inFirst.intersection(inSecond).count
    let added = second.derived.reduce(0) { first.derived[$1.key] == nil ? $0 + $1.value : $0 }
    before = first.runs
    real = LintReport.Price(runs: second.runs.runs - added, time: second.runs.time, derivedValues: added)
  }
}
