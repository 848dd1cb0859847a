import ArgumentParser
import ReplayAnalysis

struct Hot: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks projections by their evaluations, and paths by what writes to them woke.",
    discussion: """
      Example: replay hot SampleLogs/chat-wide.evlog --from 'mark:nami speaks'

      Instances count under their name, Row#42 under Row; indices, keys and ids of paths count as [*]. An evaluation \
      is wasted when its output was the same as before. FAN-OUT is how many projections a set that changed something \
      woke on average, MOST at most; PEAK is the most in one second.

      With --projection, paths count as woken only such projections; with --path, only what such a path woke counts \
      as woken.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var selection: SelectionOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log)
    let report = try HotReport(log, selection.selection(in: log), progress: console.progress)
    switch input.output.format {
    case .json: try console.print(json: report)
    case .text: try report.print(to: console, limit: limit)
    }
    return log.reportDamage(on: console)
  }
}
