import ArgumentParser
import EventLog
import ReplayAnalysis
import SystemPackage

struct Report: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a page of a run to look at and to share: one HTML file that opens offline.",
    discussion: """
      Example: replay report SampleLogs/chat-wide.evlog -o chat.html

      The page has what lint, cascades and hot say, a timeline to zoom into, and for the cascades of most work the tree \
      of what each woke and why it ran. It needs nothing beside it and asks nothing of any network.

      Whoever gets the page sees the names of projections, paths with the keys in them, labels, and places in the \
      source. With --values there are also the values: old and new ones, and the state. With --redact paths there are no \
      names: numbers stand for them. What does not fit into --budget is left out; the page says so, with the command \
      that shows it.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"), completion: .file())
  var output: String

  @Flag(help: "Take in the values that were recorded.")
  var values = false

  @Option(
    help:
      "Take no values in, as without --values; or no paths and other names either: numbers stand for them.")
  var redact: Redaction?

  enum Redaction: String, ExpressibleByArgument, CaseIterable { case values, paths }

  @Option(help: ArgumentHelp("The most that the data in it may take, in MB.", valueName: "MB"))
  var budget = 4

  @OptionGroup var replacing: ReplaceOptions

  func validate() throws {
    if !(1...1000).contains(budget) { throw ValidationError("--budget must be from 1 to 1000") }
    if values, redact != nil { throw ValidationError("--values and --redact contradict each other") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let source = try LogSource(named: log)
    let file = try OutputFile(output, replacing: replacing.replace, madeOf: [source.path])
    let report = try RunReport(
      source,
      .init(hasValues: values, hasNames: redact != .paths, budget: budget * 1_000_000 - PageFile.ownSize),
      progress: console.progress, pack: PageFile.pack)
    let page = PageFile.html(report, title: redact == .paths ? "run.evlog" : source.path)
    try file.write(page)
    // It may be where this would be printed.
    if !file.isStream {
      try console.print("\(output.shown): written, \(Units.bytes(UInt64(page.count)))")
      if report.isPartial {
        console.note("replay: not every event is in it; a larger --budget takes in more")
      }
    }
    return source.reportDamage(on: console)
  }
}
