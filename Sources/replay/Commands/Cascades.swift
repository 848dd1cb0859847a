import ArgumentParser

struct Cascades: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks the writes that woke the most work, with the tree of what each woke.",
    discussion: """
      Example: replay cascades run.evlog --limit 3

      A projection that ran because its parent did hangs below its parent. Writes to places of one kind that led to \
      the same tree are counted together.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: input.log)
    let report = try CascadeReport(log, progress: console.progress)
    switch input.output.format {
    case .json: try console.print(report.json)
    case .text: try report.print(to: console, limit: limit)
    }
    return log.reportDamage(on: console)
  }
}
