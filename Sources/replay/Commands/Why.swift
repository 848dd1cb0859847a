import ArgumentParser

struct Why: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows why a projection ran: the chain of writes, old -> new, back to the root.",
    discussion: """
      Example: replay why run.evlog 'Row#42' --at 1.5s

      Row stands for whichever instance of Row ran last.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Argument(help: "The projection.")
  var projection: String

  @Option(
    help: ArgumentHelp("The last evaluation up to this event or time, as 17 or 1.5s.", valueName: "moment"))
  var at: Moment?

  @Flag(help: "Show the call stack of every write that was recorded with one.")
  var stack = false

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: log)
    let chain = try WhyChain(of: projection, at: at, in: log, progress: console.progress)
    switch output.format {
    case .json: try console.print(chain.json)
    case .text: try chain.print(to: console, limit: limit, stacks: stack)
    }
    return log.reportDamage(on: console)
  }
}
