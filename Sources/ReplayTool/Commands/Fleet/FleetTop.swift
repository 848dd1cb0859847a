import ArgumentParser
import ReplayAnalysis

struct FleetTop: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Ranks the writes, projections and actions that cost most over all sessions.",
    discussion: """
      Example: replay fleet top summaries
      Example: replay fleet top summaries@1.5 --limit 5

      A write costs the time of runs after it that had the same output as before, a projection that of all its runs, an \
      action that of the runs that it led to; P50 and P95 are how long it took until the last of these, in the median \
      session. Times are those of an average session, each weighted by how many it stands for. Below is for each of the first lines the \
      session that had most of it, as the command that opens it. The exit status is 4 where there are no such sessions.
      """)

  @Argument(
    help: ArgumentHelp("A folder of tables, or one and a version: summaries@1.5.", valueName: "folder"),
    completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("The app, if the tables have sessions of several.", valueName: "name"))
  var app: String?

  @OptionGroup var limit: LimitOptions
  @OptionGroup var output: OutputOptions

  func run(on console: Console) throws -> ToolStatus {
    let reader = try SummaryReader(folder, app: app)
    let ranking = FleetRanking(try reader.tally(console.progress))
    console.reportCrowd(ranking.isCrowded)
    try output.print(ranking, on: console) { try print(ranking, to: console) }
    if ranking.sessions > 0 { return .done }
    console.report("replay: \(try reader.absence())")
    return .undecided
  }

  private func print(_ ranking: FleetRanking, to console: Console) throws {
    if ranking.sessions == 0 {
      try console.print("there are no such sessions")
      return try console.print(ranking.leftOut, "")
    }
    try print(ranking.writes, "WASTEFUL WRITE", to: console)
    try console.print()
    try print(ranking.projections, "PROJECTION", to: console)
    if !ranking.actions.isEmpty {
      try console.print()
      try print(ranking.actions, "ACTION", to: console)
    }
    let first = [ranking.writes, ranking.projections, ranking.actions].flatMap {
      limit.cut($0).shown.prefix(3)
    }
    try console.printSessions(first.compactMap(\.example))
    try console.print()
    try console.print(console.style.dim("of \(Units.count(ranking.sessions, "session"))"))
    try console.print(ranking.leftOut, "")
  }

  private func print(_ lines: [FleetRanking.Line], _ title: String, to console: Console) throws {
    let hasTimes = lines.contains { $0.p50 != nil }
    let times: [Table.Column] = hasTimes ? [.number("P50"), .number("P95")] : []
    let table = Table(
      [.text(title), .number("A SESSION"), .number("SHARE"), .number("SESSIONS")] + times)
    try table.print(lines, "line", limit, to: console) { line in
      let times = hasTimes ? [line.p50, line.p95].map { $0.map { Units.duration($0) } ?? "" } : []
      let share = "\(Units.rate(100 * line.share)) %"
      return [line.kind, line.time.asDuration, share, line.sessions.grouped] + times
    }
  }
}
