import ArgumentParser
import EventLog
import ReplayAnalysis

struct OverviewCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "overview",
    abstract: "Shows a log at a glance: figures, the dearest causes, findings, what is not in it.",
    discussion: """
      Example: replay overview SampleLogs/chat-wide.evlog

      The findings are those of replay lint, each in a line with what it would save. replay finding shows the one of a \
      number with its causes. The dearest actions are those of replay hot --by action, or the dearest writes, as of replay \
      cascades, where there is no action.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let overview = try LogOverview(log, progress: console.progress)
    try input.output.print(overview, on: console) {
      try overview.print(to: console, path: log.path, limit: limit)
    }
    return log.reportDamage(on: console)
  }
}

/// What one reads of a log first.
private struct LogOverview: Encodable {
  /// An action, or a write where there are none, and what it led to.
  struct Cause: Encodable {
    var cause: String
    var times: Int
    var evaluations: Int
    var wasted: Int
    var time: UInt64

    enum CodingKeys: String, CodingKey {
      case cause, times, evaluations, wasted
      case time = "time_ns"
    }
  }

  var summary: LogSummary
  var causes: [Cause]
  var findings: [LintReport.Finding]
  var account: String
  /// What the log does not have, or what cannot be told by it, in sentences.
  var missing: [String]

  enum CodingKeys: String, CodingKey {
    case summary, causes, findings, account
    case missing = "not_recorded"
  }

  private static let causesShown = 5

  init(_ log: LogSource, progress: AnalysisProgress) throws {
    summary = LogSummary(log)
    let all = try Selection(in: log)
    let cascades = try CascadeReport(log, all, by: .time, progress: progress)
    let lint = try LintReport(log, LintRule.allCases, LintThresholds(), in: all.seqs, progress: progress)
    findings = lint.findings
    account = lint.account?.summary ?? ""
    causes =
      cascades.actions.isEmpty
      ? cascades.lines.map {
        Cause(cause: $0.root, times: $0.count, evaluations: $0.evaluations, wasted: $0.wasted, time: $0.time)
      }
      : cascades.actions.map {
        Cause(
          cause: "action \(Value.string($0.label).json)", times: $0.count, evaluations: $0.evaluations,
          wasted: $0.wasted, time: $0.time)
      }
    causes = Array(
      causes.filter { $0.evaluations > 0 }.sorted { ($1.time, $1.evaluations) < ($0.time, $0.evaluations) }
        .prefix(Self.causesShown))
    let kinds = Set(summary.kinds.fields.map(\.key))
    missing = []
    if !kinds.contains(EventKind.evaluate.name) {
      missing.append("runs: no projection ran, so nothing is known of what writes lead to")
    }
    if !kinds.contains(EventKind.action.name) {
      missing.append("actions: what one tap or request led to is not held together")
    }
    if let unknown = lint.account?.lines.first(where: { $0.line == .unknown }) {
      missing.append(
        "outputs of \(Units.count(unknown.runs, "run")): whether they were for nothing cannot be told")
    }
    if summary.events > 0, !log.hasSites { missing.append("places in the source") }
    if let notJudged = lint.notJudged { missing.append(notJudged) }
  }

  func print(to console: Console, path: String, limit: LimitOptions) throws {
    let style = console.style
    try console.print(style.heading(console.fit(path.shown)))
    if !summary.program.isEmpty { try console.print(console.fit(summary.program.shown)) }
    let figures = [
      summary.state.rawValue, Units.duration(summary.duration), Units.count(summary.events, "event"),
      Units.count(summary.objects, "object"), Units.count(summary.projections, "projection"),
    ]
    try console.print(wrapping: figures.joined(separator: ", "), "")
    if !account.isEmpty { try console.print(wrapping: account.shown, "") }
    if !causes.isEmpty {
      try console.print()
      var table = Table(
        .text("CAUSE"), .number("TIMES"), .number("EVALUATIONS"), .number("WASTED"), .number("TIME"))
      for cause in causes {
        table.add(
          cause.cause, cause.times.grouped, cause.evaluations.grouped, cause.wasted.grouped,
          Units.duration(cause.time))
      }
      try table.print(to: console)
    }
    try console.print()
    try console.print(style.heading(findings.isEmpty ? "nothing found" : "findings"))
    let cut = limit.cut(Array(findings.enumerated()))
    for (index, finding) in cut.shown {
      let saving = finding.saving.map { " (\($0))" } ?? ""
      let text =
        "\(finding.rule.rawValue)\(finding.isNote ? " note" : ""): \(finding.message.shown(most: 240))"
      try console.print(wrapping: text + saving, "     ", first: "\(index + 1)".leftPadded(to: 3) + "  ")
    }
    try console.printHidden(cut.hidden, "finding")
    if missing.isEmpty { return }
    try console.print()
    try console.print(style.heading("not recorded"))
    for sentence in missing { try console.print(wrapping: sentence.shown, "     ", first: "  -  ") }
  }
}

extension LogSource {
  /// Whether any of the first events names its place in the source. Who records places records them from the beginning.
  fileprivate var hasSites: Bool {
    let searchedMost: UInt64 = 20_000
    var next = firstSeq
    while next < firstSeq + searchedMost, let block = block(from: next) {
      if events(from: next).contains(where: { $0.site != nil }) { return true }
      next = block.endSeq
    }
    return false
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
