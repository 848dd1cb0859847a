import ArgumentParser
import ReplayAnalysis

struct Cascades: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ranks the writes that woke the most work, with the tree of what each woke.",
    discussion: """
      Example: replay cascades SampleLogs/chat-wide.evlog --limit 3
      Example: replay cascades SampleLogs/scopes.evlog \\
                 --by time --projection DetailView

      A projection that ran because its parent did hangs below its parent. Writes to places of one kind that led to \
      the same tree are counted together: "MessageRow x 50" ran fifty times for each, and beside it stands what all \
      of them took, and how many ran for the same output as before. --from and --to are for the writes at the roots, \
      --path for what these wrote, and --projection for who was woken or ran.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var selection: SelectionOptions

  @Option(help: "What comes first: the most evaluations, or the most time in them.")
  var by = CascadeReport.Order.evaluations

  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: input.log)
    let report = try CascadeReport(
      log, selection.selection(in: log), by: by, progress: console.progress)
    switch input.output.format {
    case .json: try console.print(json: report)
    case .text: try report.print(to: console, limit: limit)
    }
    return log.reportDamage(on: console)
  }
}

extension CascadeReport.Order: ExpressibleByArgument {}
