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
    let run = try Run(path: input.log, progress: console.progress)
    let report = CascadeReport(run)
    switch input.output.format {
    case .json: try console.print(report.json)
    case .text: try report.print(to: console, limit: limit)
    }
    return run.log.reportDamage(on: console)
  }
}
