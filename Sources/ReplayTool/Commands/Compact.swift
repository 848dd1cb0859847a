import ArgumentParser
import EventLog
import ReplayAnalysis

struct Compact: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Rewrites a log in large blocks, compressed as small as possible.",
    discussion: """
      Example: replay compact SampleLogs/chat-wide.evlog -o small.evlog

      The events are the same, to the bit. The log itself is left as it is; with --in-place it is kept under another \
      name: run.evlog becomes run.old.evlog. The exit status is 3 if the log is damaged or was not closed: then what \
      could be read is written, and what is lost is printed.
      """)

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The log to write (default: run.compact.evlog of run.evlog).", valueName: "log"))
  var output: String?

  @Flag(help: "Replace the log by the compacted one; the old one is kept as run.old.evlog.")
  var inPlace = false

  @OptionGroup var replacing: ReplaceOptions
  @OptionGroup var memory: MemoryOptions

  func validate() throws {
    if inPlace, output != nil { throw ValidationError("--in-place and --output exclude each other") }
    if inPlace, replacing.replace { throw ValidationError("--in-place keeps the log, and replaces no file") }
  }

  func run(on console: Console) throws -> ToolStatus {
    let name = LogName(log)
    let output = inPlace ? log : output ?? name.inserting("compact")
    if !inPlace { try OutputFile.expectFile(output, for: "a log") }
    let note: (UInt64, UInt64) -> Void = { console.progress.report($0, of: $1, "compacting \(log)") }
    let result =
      try inPlace
      ? LogCompaction.replace(log, keepingOldAs: name.inserting("old"), limits: memory.limits, progress: note)
      : LogCompaction.run(
        log, to: output, replacing: replacing.replace, limits: memory.limits, progress: note)
    console.progress.finish()
    let (before, after) = (Units.bytes(result.bytesBefore), Units.bytes(result.bytesAfter))
    try console.print(
      "\(output.shown): \(Units.count(Int(result.events), "event")), \(before) -> \(after)")
    if inPlace { try console.print("the log as it was is \(name.inserting("old").shown)") }
    return console.report(result.loss)
  }
}

/// The name of a log, from which the names of related logs are made.
private struct LogName {
  private let path: String

  init(_ path: String) { self.path = path }

  /// The name with a part inserted before the extension: `run.evlog` and `old` give `run.old.evlog`.
  func inserting(_ part: String) -> String {
    path.hasSuffix(".evlog") ? "\(path.dropLast(6)).\(part).evlog" : "\(path).\(part)"
  }
}
