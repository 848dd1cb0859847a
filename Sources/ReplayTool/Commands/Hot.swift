import ArgumentParser
import ReplayAnalysis

struct Hot: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Ranks projections, paths, actions, transactions or marks by the work that they took or led to.",
    discussion: """
      Example: replay hot SampleLogs/chat-wide.evlog --from 'mark:nami speaks'
      Example: replay hot SampleLogs/chat-wide.evlog --by mark

      Instances count under their name, Row#42 under Row; indices, keys and ids of paths count as [*]. An evaluation \
      is wasted when its output was the same as before. FAN-OUT is the average number of projections that a set which \
      changed something woke, MOST the largest; PEAK is the most in one second.

      With --line only the runs or writes of one line of the account are counted with which lint ends, so their number is \
      that of the line: drew-same, write-same. What they led to is not.

      With --projection only such projections count as woken; with --path only what such a path woke does.

      --by action has a line for each label of an action instead: what all of them led to, directly or by way of tasks \
      and callbacks, and how long it took from an action to the last run that it led to (P50, P95, LONGEST, and the event AT \
      which the longest began). --by transaction does so for transactions; --by mark for what came from each mark up to \
      the next, where the times are those of the evaluations: a frame that was late. --from and --to select those that begin \
      there, and --projection and --path what is counted of them.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var action: ActionOption
  @OptionGroup var line: LineOption

  @Option(
    help: """
      Rank projections by their evaluations, by the time that these took, or by waste: the time of those with the same \
      output as before, then their number; or total by action, transaction or mark.
      """)
  var by = HotTable.evaluations

  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let selection = try selection.selection(in: log, action: action, line: line)
    if let kind = SpanKind(rawValue: by.rawValue) {
      let report = try SpanReport(kind, log, selection, progress: console.progress)
      try input.output.print(report, on: console) { try report.print(to: console, limit: limit) }
    } else {
      let order = HotReport.Order(rawValue: by.rawValue) ?? .evaluations
      let report = try HotReport(log, selection, by: order, progress: console.progress)
      try input.output.print(report, on: console) {
        try report.print(to: console, limit: limit, isOfLine: line.line != nil)
      }
    }
    return log.reportDamage(on: console)
  }
}

/// What the lines of the tables are, and how they are ranked.
enum HotTable: String, ExpressibleByArgument, CaseIterable {
  case evaluations, time, waste, action, transaction, mark
}

extension SpanReport {
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    if lines.isEmpty { return try console.print("no \(kind.rawValue) is there") }
    let table = Table(
      .text(kind.rawValue.uppercased()), .number("TIMES"), .number("WRITES", leaves: 3),
      .number("EVALUATIONS"), .number("WASTED"), .number("TIME"), .number("P50", leaves: 1),
      .number("P95", leaves: 2), .number("LONGEST"), .number("AT"))
    try table.print(lines, kind.rawValue, limit, besides: forgotten, to: console) { line in
      // What follows a mark may go on until the next one, so the work counts; elsewhere the time until it is done.
      let spread = kind == .mark ? line.work : line.settled
      let isKnown = spread.longestSeq > 0
      func duration(_ time: UInt64) -> String { isKnown ? Units.duration(time) : "" }
      return [
        line.label.isEmpty ? "no label" : line.label, line.count.grouped, line.writes.grouped,
        line.evaluations.grouped, line.wasted.grouped, Units.duration(line.time), duration(spread.p50),
        duration(spread.p95), duration(spread.longest), isKnown ? "\(spread.longestSeq)" : "",
      ]
    }
    let outcomes = [
      ("threw", lines.reduce(0) { $0 + $1.threw }), ("were cancelled", lines.reduce(0) { $0 + $1.cancelled }),
      (
        "had not ended",
        kind == .action ? lines.reduce(0) { $0 + $1.count - $1.returned - $1.threw - $1.cancelled } : 0
      ),
    ].filter { $0.1 > 0 }.map { "\($0.1.grouped) \($0.0)" }
    // What such an action led to is counted for the last of those that shared it.
    let shared = lines.filter { $0.superseded > 0 }.map { "\($0.label) \($0.superseded.grouped)" }
    let words = kind == .mark ? "times of the evaluations up to the next mark" : "times up to the last run"
    try console.print()
    try console.print(
      console.style.dim(([words] + outcomes).joined(separator: "; ")))
    if shared.isEmpty { return }
    let more = shared.count > 4 ? " and \(shared.count - 4) more" : ""
    try console.print(
      console.style.dim(
        "superseded, since a later action shared the run: \(shared.prefix(4).joined(separator: ", "))\(more)")
    )
  }
}

extension HotReport {
  /// - Parameter isOfLine: Whether only runs or only writes were counted, and not what woke or was woken.
  fileprivate func print(to console: Console, limit: LimitOptions, isOfLine: Bool) throws {
    if projections.isEmpty, paths.isEmpty { return try console.print("nothing happened there") }
    let (hasProjections, hasPaths) = (!isOfLine || !projections.isEmpty, !isOfLine || !paths.isEmpty)
    if hasProjections { try printProjections(to: console, limit, hasWoken: !isOfLine) }
    if hasProjections, hasPaths { try console.print() }
    if hasPaths { try printPaths(to: console, limit, hasWoken: !isOfLine) }
    try console.print()
    let kept = paths.reduce(0) { $0 + $1.sameValue }
    let wasted = projections.reduce(UInt64(0)) { $0 + $1.wastedTime }
    let time = projections.reduce(UInt64(0)) { $0 + $1.time }
    let words = hasProjections ? "\(Units.duration(wasted)) of \(Units.duration(time)) wasted in" : "in"
    try console.print(console.style.dim("\(words) a run of \(Units.duration(duration))"))
    if kept > 0 { try console.print(console.style.dim("\(Units.count(kept, "same-value set")) suppressed")) }
  }

  private func printProjections(to console: Console, _ limit: LimitOptions, hasWoken: Bool) throws {
    let table = Table(
      .text("PROJECTION"), .number("INSTANCES", leaves: 3), .number("WOKEN", leaves: 4),
      .number("EVALUATIONS"), .number("WASTED"), .number("TIME"), .number("WASTED TIME"),
      .number("PER S", leaves: 2), .number("PEAK", leaves: 1))
    try table.print(projections, "projection", limit, to: console) { line in
      [
        line.name, line.instances.grouped, hasWoken ? line.invalidations.grouped : "-",
        line.evaluations.grouped, line.wasted.grouped, Units.duration(line.time),
        Units.duration(line.wastedTime), Units.rate(line.rate), line.peak.grouped,
      ]
    }
  }

  private func printPaths(to console: Console, _ limit: LimitOptions, hasWoken: Bool) throws {
    let table = Table(
      .text("PATH"), .number("SETS"), .number("SAME VALUE"), .number("WOKE"), .number("FAN-OUT"),
      .number("MOST", leaves: 3), .number("PER S", leaves: 2), .number("PEAK", leaves: 1))
    try table.print(paths, "path", limit, to: console) { line in
      [
        line.path, line.sets.grouped, line.sameValue.grouped, hasWoken ? line.invalidations.grouped : "-",
        Units.rate(hasWoken ? line.fanOut : nil), hasWoken ? line.fanOutMax.grouped : "-",
        Units.rate(line.rate), line.peak.grouped,
      ]
    }
  }
}
