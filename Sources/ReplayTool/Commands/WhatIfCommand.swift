import ArgumentParser
import EventLog
import ReplayAnalysis

struct WhatIfCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "what-if",
    abstract: "Predicts evaluations and time under other rules, from the log alone.",
    discussion: """
      Example: replay what-if SampleLogs/chat-wide.evlog \\
                 --isolate ChatView:chat.tts.audioLevel

      Rules can be combined and repeated. A projection's name stands for all its instances, Row for Row#42; * stands \
      for any characters. In a path * stands for characters of one name, ** for any number of steps, [*] for any \
      element. Quote them for the shell.

      With --from and --to, only what ran between is counted.

      What the log does not show is listed below the table, and as "unknown" and "limits" in JSON.
      """)

  @OptionGroup var source: InputOptions

  @Option(
    help: ArgumentHelp(
      "Follow reads by object, property or element: all of them, or those of one PROJECTION:tracking.",
      valueName: "tracking"), completion: .list(["element", "property", "object"]),
    transform: Change.reader(.tracking))
  var tracking: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Move the reads of some paths out of a projection, into a child of its own. Children that were handed what is "
        + "moved read it themselves.",
      valueName: "projection:path-pattern"), completion: .projections, transform: Change.reader(.isolate))
  var isolate: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Pass a projection what it needs as its input, so that it is skipped while that is equal; its parent reads what "
        + "it had read of the path.",
      valueName: "projection[:path-pattern]"), completion: .projections, transform: Change.reader(.input))
  var input: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Let a projection read a derived value of what it shows, so that it runs only if that differs; if a path is "
        + "given, only where a write to it invalidated the projection. Of a callback, what it sets is derived, and seen at "
        + "once with what that follows from.",
      valueName: "projection[:path-pattern]"), completion: .projections, transform: Change.reader(.derived))
  var derived: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Make writes that follow each other within such a time one transaction, as 16ms; or cascade: each write of the "
        + "app and what callbacks write because of it.", valueName: "gap"),
    transform: Change.reader(.transaction))
  var transaction: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Set such paths at most once in an interval, as 250ms.", valueName: "path-pattern=interval"),
    completion: .paths, transform: Change.reader(.throttle))
  var throttle: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Set such paths only once they have not been set for an interval.", valueName: "path-pattern=interval"),
    completion: .paths, transform: Change.reader(.debounce))
  var debounce: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Compare what is set to such paths, so that a value that is equal as recorded changes nothing.",
      valueName: "path-pattern"), completion: .paths, transform: Change.reader(.equatable))
  var equatable: [Change] = []

  @Option(
    help: ArgumentHelp(
      "Know the projections that show a list's elements by the elements' ids, not by their place.",
      valueName: "projection:list"), completion: .projections, transform: Change.reader(.identity))
  var identity: [Change] = []

  @Option(
    help: ArgumentHelp("Leave out sets of such paths to equal values.", valueName: "path-pattern"),
    completion: .paths, transform: Change.reader(.noSameValue))
  var noSameValue: [Change] = []

  @OptionGroup var range: RangeOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: source.log, limits: source.limits)
    let whatIf = try predict(log, progress: console.progress)
    try source.output.print(WhatIfReport(whatIf), on: console) { try whatIf.print(to: console) }
    return log.reportDamage(on: console)
  }

  private func predict(_ log: LogSource, progress: AnalysisProgress) throws -> WhatIf {
    try WhatIf(log, WhatIfRules(changes), counting: range.selection(in: log).seqs, progress: progress)
  }

  private var changes: [Change] {
    let kinds = [
      tracking, isolate, input, derived, transaction, throttle, debounce, equatable, identity, noSameValue,
    ]
    return Array(kinds.joined())
  }

  func validate() throws {
    if changes.isEmpty { throw ValidationError("say what would be different: \(Change.Kind.options)") }
  }
}

extension WhatIf {
  fileprivate func print(to console: Console) throws {
    var table = Table(
      .text("PROJECTION"), .number("EVALUATIONS"), .number("AFTER"), .number("CHANGE"), .number("TIME"),
      .number("AFTER"))
    var before = PredictionLedger.Work()
    var after = PredictionLedger.Work()
    for line in lines {
      before.add(line.before ?? .init())
      after.add(line.after)
      add(line.name, line.before, line.after, to: &table)
    }
    if lines.count > 1 { add("all", before, after, to: &table) }
    try table.print(to: console)
    if !unknown.isEmpty {
      try console.print()
      try console.print(console.style.heading("not known, and not counted"))
      for item in unknown {
        let text =
          "\(item.name): \(Units.count(item.work.evaluations, "evaluation")),"
          + " \(Units.duration(item.work.time)): \(item.reason)"
        try console.print(wrapping: text.shown, "    ", first: "  - ")
      }
    }
    if limits.isEmpty { return }
    try console.print()
    try console.print(console.style.heading("what the prediction rests on"))
    for limit in limits { try console.print(wrapping: limit.shown, "    ", first: "  - ") }
  }

  private func add(
    _ name: String, _ before: PredictionLedger.Work?, _ after: PredictionLedger.Work, to table: inout Table
  ) {
    table.add(
      name, before?.evaluations.grouped ?? "", after.evaluations.grouped,
      Self.change(before?.evaluations ?? 0, after.evaluations), before.map { Units.duration($0.time) } ?? "",
      Units.duration(after.time))
  }

  /// The change as text: `-99.3 %`, `x 20` if it more than doubled, or `new`.
  private static func change(_ before: Int, _ after: Int) -> String {
    if before == after { return "" }
    if before == 0 { return "new" }
    if after > 2 * before { return "x \(Units.tenths(UInt64(after), of: UInt64(before)))" }
    let permille = (abs(after - before) * 1000 + before / 2) / before
    return "\(after < before ? "-" : "+")\(permille / 10).\(permille % 10) %"
  }
}
