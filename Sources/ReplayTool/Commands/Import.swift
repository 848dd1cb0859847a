import ArgumentParser
import EventLog
import ReplayAnalysis

struct Import: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a log from JSON Lines, one event a line.",
    discussion: """
      Example: replay export SampleLogs/scopes.evlog --format jsonl > scopes.jsonl
      Example: replay import scopes.jsonl -o scopes.evlog

      The first line may be a header, as export --header writes it, with the program and the metadata of the log. \
      Of what a line leaves out, seq is counted on, time_ns is taken from the line before, and same_value is computed. \
      Every line is checked against the state so far; a mistake is reported as FILE:LINE:COLUMN, and nothing is \
      written. The log is compressed as small as possible, and the same lines give the same bytes.
      """)

  @Argument(help: "The file to read, or - for the standard input.", completion: .file(extensions: ["jsonl"]))
  var file: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The log to write.", valueName: "log"))
  var output: String

  @OptionGroup var replacing: ReplaceOptions

  func run(on console: Console) throws -> ToolStatus {
    let lines = try LineReader(path: file)
    try OutputFile.expectFile(output, for: "a log")
    let (name, input) = file == "-" ? ("<stdin>", "/dev/stdin") : (file, file)
    var writer = try LogRewriter(
      output, replacing: replacing.replace, madeOf: [input], program: "replay import")
    var importer = LogImporter()
    while let line = try lines.next() {
      do {
        let hadHeader = importer.header != nil
        if let event = try importer.event(from: line) { try writer.append(event) }
        if !hadHeader, let header = importer.header { writer.setHeader(header) }
      } catch let error as TextError {
        throw ToolError(file: name, line: lines.lineNumber, column: error.column, error.reason)
      } catch let error as LogError where error.code == .invalidEvent || error.code == .tooLarge {
        throw ToolError(file: name, line: lines.lineNumber, column: 1, error.message)
      }
    }
    if importer.count == 0 { throw ToolError("\(name): no events; a log of none would be made") }
    try writer.finish()
    try console.print("\(output.shown): \(Units.count(importer.count, "event"))")
    return .done
  }
}
