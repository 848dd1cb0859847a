import ArgumentParser
import EventLog
import ReplayAnalysis

struct FindingCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "finding",
    abstract: "Shows one finding of lint: evidence, causes with values, lines of source, the change.",
    discussion: """
      Example: replay finding SampleLogs/chat-wide.evlog 1

      The number is that of replay overview, which is the order of replay lint. Below the finding stands why the first \
      run of its projection after its first event ran, as replay why says it; of a finding without a projection, its \
      events. With --source the lines around the places that it names are shown, as they are now.
      """)

  @OptionGroup var input: InputOptions

  @Argument(help: "The number of the finding, from 1.")
  var number: Int

  @Option(
    help: ArgumentHelp("Show lines of the sources in this folder.", valueName: "folder"),
    completion: .directory)
  var source: String?

  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let sources = try source.map { try SourceFolder($0, editor: nil) }
    let finding = try log.finding(number, progress: console.progress)
    let shown = ShownFinding(number, finding, in: log, sources, progress: console.progress)
    try input.output.print(shown, on: console) { try shown.print(to: console, limit: limit) }
    return log.reportDamage(on: console)
  }
}

/// A finding, with what explains it.
private struct ShownFinding: Encodable {
  struct Place: Encodable {
    var site: String
    var source: SourceFolder.Excerpt
  }

  var number: Int
  var finding: LintReport.Finding
  /// Why a run ran that the finding is about; nil if it is about none.
  var why: WhyChain?
  /// The events that show it, in a line each, where there is no such run.
  var events: [String]?
  var places: [Place]

  init(
    _ number: Int, _ finding: LintReport.Finding, in log: LogSource, _ sources: SourceFolder?,
    progress: AnalysisProgress
  ) {
    self.number = number
    self.finding = finding
    // A first run has no cause, and then there is no chain.
    if let first = finding.events.first, let projection = finding.projection,
      let run = log.firstRun(of: projection, from: first)
    {
      why = try? WhyChain(of: run.projection, at: .seq(run.seq), in: log, progress: progress)
    }
    if why == nil {
      events = finding.events.compactMap { seq in
        log.namedEvent(seq).map { "\(seq)  \(Units.moment($0.time))  \($0.line)" }
      }
    }
    places = finding.sites.all.compactMap { site in
      sources?.excerpt(at: site).map { Place(site: site, source: $0) }
    }
  }

  func print(to console: Console, limit: LimitOptions) throws {
    try finding.print(to: console)
    if let why {
      try console.print()
      try why.print(to: console, limit: limit, stacks: false)
    }
    for line in events ?? [] { try console.print("  " + console.fit(line, beside: 2)) }
    for place in places {
      try console.print()
      try console.print(console.style.heading(console.fit(place.site.shown)))
      for (index, line) in place.source.lines.enumerated() {
        let number = place.source.first + index
        let mark = number == place.source.line ? ">" : " "
        try console.print("\(mark) \(number)  \(console.fit(line.shown, beside: 10))")
      }
    }
  }
}

extension LogSource {
  /// The finding of this number, from 1, in the order of `lint`.
  ///
  /// - Throws: `ToolError` if there is none.
  func finding(_ number: Int, progress: AnalysisProgress) throws -> LintReport.Finding {
    let report = try LintReport(
      self, LintRule.allCases, LintThresholds(), in: Selection(in: self).seqs, progress: progress)
    guard number > 0, number <= report.findings.count else {
      let count = Units.count(report.findings.count, "finding")
      throw ToolError("there is no finding \(number); \(path) has \(count)")
    }
    return report.findings[number - 1]
  }

  /// The runs among which the first is looked for.
  private static let searchedMost: UInt64 = 200_000

  /// The first run of a projection, or of an instance of one, from an event on; nil if none comes soon.
  fileprivate func firstRun(of name: String, from seq: UInt64) -> (seq: UInt64, projection: String)? {
    var next = seq
    while next < seq + Self.searchedMost, let block = block(from: next) {
      for event in events(from: next) where event.seq >= next {
        guard case .evaluate = event.body, let projection = event.body.projectionName else { continue }
        if projection == name || projection.projectionGroup == name { return (event.seq, projection) }
      }
      next = block.endSeq
    }
    return nil
  }
}
