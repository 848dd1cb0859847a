import ArgumentParser
import ReplayAnalysis

struct Info: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what is in a log: events, time, objects, projections, bytes.",
    discussion: "Example: replay info SampleLogs/chat-wide.evlog")

  @OptionGroup var input: InputOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log)
    let summary = LogSummary(log)
    switch input.output.format {
    case .json: try console.print(json: summary)
    case .text: try summary.print(to: console, path: input.log)
    }
    return log.reportDamage(on: console)
  }
}
