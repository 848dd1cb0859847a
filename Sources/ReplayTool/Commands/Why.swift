import ArgumentParser
import ReplayAnalysis

struct Why: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows why a projection ran: the chain of writes, old -> new, back to the root.",
    discussion: """
      Example: replay why SampleLogs/list-element.evlog 'Row#42' \\
                 --at 'mark:bump row 7'

      Row stands for whichever instance of Row ran last. Several writes that woke it stand below each other; where they \
      came of different events, each has its own chain. Told is also what this run read that the last did not, and what \
      it read no more.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Argument(help: "The projection.", completion: .projections)
  var projection: String

  @Option(
    help: ArgumentHelp("The last evaluation up to here: \(Moment.form).", valueName: "moment"),
    completion: .moments)
  var at: Moment?

  @Flag(help: "Show the call stack of every write that was recorded with one.")
  var stack = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(named: log)
    let chain = try WhyChain(of: projection, at: at, in: log, progress: console.progress)
    switch output.format {
    case .json: try console.print(json: chain)
    case .text: try chain.print(to: console, limit: limit, stacks: stack)
    }
    return log.reportDamage(on: console)
  }
}
