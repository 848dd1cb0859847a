import ArgumentParser
import EventLog

struct Import: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes a log from JSON Lines, one event a line.",
    discussion: """
      Example: replay export SampleLogs/scopes.evlog --to jsonl > scopes.jsonl
      Example: replay import scopes.jsonl -o scopes.evlog

      seq, time_ns and same_value may be left out: they are counted on, taken from the line before, and computed. \
      Every line is checked against the state so far; a mistake is told as FILE:LINE:COLUMN and nothing is written.
      """)

  @Argument(help: "The file to read, or - for the standard input.", completion: .file(extensions: ["jsonl"]))
  var file: String

  @Option(name: .shortAndLong, help: ArgumentHelp("The log to write.", valueName: "log"))
  var output: String

  func run(on console: Console) throws -> ToolStatus {
    let lines = try LineReader(path: file)
    let place = OutputPlace(output)
    try place.needsFile(for: "a log")
    var options = EventLog.LogOptions()
    options.replacesExisting = true
    let name = file == "-" ? "<stdin>" : file
    options.program = "replay import"
    do {
      let writer = try LogWriter(creating: place.temporary, options: options)
      var importer = LogImporter()
      while let line = try lines.next() {
        do throws(TextError) {
          if let event = try importer.event(from: line) { try append(event, to: writer) }
        } catch {
          throw ToolError(file: name, line: lines.lineNumber, column: error.column, error.reason)
        }
      }
      try writer.close()
      try place.replace()
      try console.print("\(output.shown): \(Units.count(importer.count, "event"))")
    } catch {
      place.giveUp()
      throw error
    }
    return .done
  }

  private func append(_ event: Event, to writer: LogWriter) throws(TextError) {
    do { try writer.append(event) } catch { throw TextError(.range, column: 1, error.message) }
  }
}
