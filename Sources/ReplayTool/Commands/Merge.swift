import ArgumentParser
import EventLog
import ReplayAnalysis

struct Merge: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes one log of several: parts of one recording, or recordings of several processes.",
    discussion: """
      Example: replay merge first.evlog second.evlog -o whole.evlog
      Example: replay merge SampleLogs/chat-wide.evlog SampleLogs/scopes.evlog \\
                 -o both.evlog --prefix chat_ --prefix scopes_

      Parts of one recording are joined by the numbers of their events. Recordings of several processes are \
      interleaved by wall time; their events and objects get new numbers. No two may have a root or a projection of \
      the same name: --prefix puts a text before the names of a log, given once for each log, in order. The exit \
      status is 3 if a log is damaged or was not closed.
      """)

  @Argument(help: "The logs to read.", completion: .file(extensions: ["evlog"]))
  var logs: [String]

  @Option(name: .shortAndLong, help: ArgumentHelp("The log to write.", valueName: "log"))
  var output: String

  @OptionGroup var replacing: ReplaceOptions
  @OptionGroup var memory: MemoryOptions

  @Option(help: ArgumentHelp("What to put before the names of roots and projections.", valueName: "text"))
  var prefix: [String] = []

  func validate() throws {
    if !prefix.isEmpty, prefix.count != logs.count {
      throw ValidationError("--prefix must be given once for each log, in order, or not at all")
    }
  }

  func run(on console: Console) throws -> ToolStatus {
    try OutputFile.expectFile(output, for: "a log")
    let result = try LogMerge.run(
      logs, to: output, prefixes: prefix, replacing: replacing.replace, limits: memory.limits
    ) {
      console.progress.report($0, of: $1, "merging into \(output)")
    }
    console.progress.finish()
    try console.print(
      "\(output.shown): \(Units.count(Int(result.events), "event")) of "
        + "\(Units.count(result.recordings, "recording")), \(Units.bytes(result.bytes))")
    return console.report(result.losses)
  }
}
