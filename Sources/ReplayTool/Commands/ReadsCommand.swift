import ArgumentParser
import EventLog
import ReplayAnalysis

struct ReadsCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "reads",
    abstract: "Lists what a projection reads, and how often that made it run.",
    discussion: """
      Example: replay reads SampleLogs/chat-wide.evlog ChatView

      Row stands for all its instances. Indices, keys and ids of paths count as [*]. RUNS are those that followed a write \
      there, to a part of it, or to what holds it; WASTED had the same output as before. A read that never made it run \
      may be one too many, or of something that does not change.
      """)

  @OptionGroup var input: InputOptions

  @Argument(help: "The projection.", completion: .projections)
  var projection: String

  @Option(
    help: ArgumentHelp("What it reads after this: \(Moment.form).", valueName: "moment"),
    completion: .moments, transform: Moment.read)
  var at: Moment?

  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log, limits: input.limits)
    let report = try ReadsReport(of: projection, at: at, in: log, progress: console.progress)
    try input.output.print(report, on: console) { try report.print(to: console, limit: limit) }
    return log.reportDamage(on: console)
  }
}

extension ReadsReport {
  fileprivate func print(to console: Console, limit: LimitOptions) throws {
    if lines.isEmpty { return try console.print("it reads nothing that the session records") }
    let table = Table(
      .text("READS"), .number("PATHS"), .number("RUNS"), .number("WASTED"), .number("TIME", leaves: 1),
      .number("WASTED TIME"))
    try table.print(lines, "read", limit, to: console) { line in
      [
        line.path, line.count == 0 ? "earlier" : line.count.grouped, line.evaluations.grouped,
        line.wasted.grouped, Units.duration(line.time), Units.duration(line.wastedTime),
      ]
    }
    try console.print()
    let paths = lines.reduce(0) { $0 + $1.count }
    let who = instances == 0 ? "by the instance that ended last" : "by \(Units.count(instances, "instance"))"
    try console.print("\(Units.count(paths, "path")) read \(who), after event \(seq)")
  }
}
