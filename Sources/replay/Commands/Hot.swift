import ArgumentParser

struct Hot: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks projections by their evaluations, and paths by what writes to them woke.",
    discussion: """
      Example: replay hot run.evlog

      Instances count under their name, Row#42 under Row; indices, keys and ids of paths count as [*]. An evaluation \
      is wasted when its output was the same as before.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: input.log)
    let report = try HotReport(log, progress: console.progress)
    switch input.output.format {
    case .json: try console.print(report.json)
    case .text: try report.print(to: console, limit: limit)
    }
    return log.reportDamage(on: console)
  }
}
