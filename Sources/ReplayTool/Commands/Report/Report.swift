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
      of what each woke and why it ran. It needs nothing beside it and asks nothing of any network. replay diff --html \
      makes such a page of two runs.

      Readers of the page see the names of projections, paths with the keys in them, labels, places in the source, and \
      the names of the log and of the program without their folders. With --values there are also the values: old and \
      new ones, the state, and what the app noted about the run. With --redact paths there are no names: numbers stand \
      for them. What does not fit into --budget, from 0.2 to 1000, is left out; the page says so, with the command that \
      shows it.

      With --source the page shows the lines around the places that the log names, from the sources in that folder as \
      they are now; with --open-with each leads to an editor.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"), completion: .file())
  var output: String

  @OptionGroup var page: PageOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    let source = try LogSource(named: log, limits: memory.limits)
    let file = try OutputFile(output, replacing: page.replacing.replace, madeOf: [source.path])
    let sources = try page.sources.folder()
    let (bytes, isPartial) = try page.page(of: source, sources, progress: console.progress)
    try file.write(bytes)
    try page.report(file, bytes.count, isPartial: isPartial, on: console)
    return source.reportDamage(on: console)
  }
}

extension String {
  /// The name of a file without its folders.
  var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
