import ArgumentParser
import EventLog
import ReplayAnalysis

struct Cut: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Takes a part out of a log, with the state before it.",
    discussion: """
      Example: replay cut SampleLogs/chat-wide.evlog \\
                 -o part.evlog --from 2s --to 3500ms
      Example: replay cut SampleLogs/episodes-struct.evlog \\
                 -o part.evlog --from mark:play
      Example: replay cut SampleLogs/list-trap.evlog \\
                 -o rows.evlog --path 'store.rows[*].count'

      A transaction is not taken apart: a part that would begin within one begins with it. It ends with what its last \
      event woke. Events keep their numbers, and causes that lie before the part stay as they are. With --path or --projection \
      only events that concern these are kept, together with the writes that decide where their paths lead; these \
      events get new numbers, since the numbers of a log have no gaps. With --path, the projections are those that read such a path, and those that \
      a write there invalidated by the log. A name that nothing in the part has is refused. The log itself is left as it is. The exit \
      status is 3 if something of the part may be missing, because the log is damaged or was not closed.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The log to write.", valueName: "log"))
  var output: String

  @OptionGroup var replacing: ReplaceOptions

  @OptionGroup var range: RangeOptions
  @OptionGroup var memory: MemoryOptions

  @Option(
    help: ArgumentHelp("Keep writes to such paths, and the projections that read them.", valueName: "pattern")
  )
  var path: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep these projections, as Row#7 or Row, and writes of what they read.", valueName: "name"))
  var projection: [String] = []

  func run(on console: Console) throws -> ToolStatus {
    try OutputFile.expectFile(output, for: "a log")
    var cut = LogCut()
    cut.limits = memory.limits
    cut.from = range.from?.bound
    cut.to = range.to?.bound
    cut.projections = projection
    for text in path {
      do { cut.paths.append(try PathPattern(parsing: text)) } catch {
        throw ToolError("\(text): \(error.reason), at column \(error.column)")
      }
    }
    let result = try run(cut, console)
    console.progress.finish()
    let (first, last) = (result.seqs.lowerBound.grouped, result.seqs.upperBound.grouped)
    try console.print(
      "\(output.shown): \(Units.count(Int(result.events), "event")) of \(first) to \(last), "
        + Units.bytes(result.bytes))
    if result.isRenumbered { try console.print("events and causes are numbered anew, from 1") }
    return console.report(result.loss)
  }

  private func run(_ cut: LogCut, _ console: Console) throws -> LogCut.Result {
    do throws(LogError) {
      return try cut.run(log, to: output, replacing: replacing.replace) {
        console.progress.report($0, of: $1, "cutting \(log)")
      }
    } catch {
      console.progress.finish()
      guard error.code == .noSuchEvent else { throw error }
      // The same error, worded in terms of the command's arguments, with the nearest name in the log.
      let source = try LogSource(named: log, needsState: false, limits: memory.limits)
      _ = try range.selection(in: source)
      if !(path.isEmpty && projection.isEmpty) { try LogNames.check(cut.projections, cut.paths, of: source) }
      throw error
    }
  }
}

extension Moment {
  /// The moment as a bound of a cut.
  fileprivate var bound: LogCut.Bound {
    switch self {
    case .seq(let seq): .seq(seq)
    case .time(let time): .time(time)
    case .mark(let label): .mark(label)
    }
  }
}
