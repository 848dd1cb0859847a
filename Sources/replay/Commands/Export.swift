import ArgumentParser
import EventLog

struct Export: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a log in a form that other tools read.",
    discussion: """
      Example: replay export SampleLogs/scopes.evlog --to jsonl > scopes.jsonl

      jsonl is one event a line, and import makes an equal log of it.
      """)

  enum Target: String, ExpressibleByArgument, CaseIterable { case jsonl }

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: "The form to print.")
  var to: Target

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: log)
    var lines = ExportLines(log)
    while try lines.next() {
      if lines.seq & 4095 == 0 {
        console.progress.noteMany(
          lines.seq - log.firstSeq, of: UInt64(log.eventCount), "exporting \(log.path)")
      }
      try console.write(lines.line)
    }
    console.progress.finish()
    return log.reportDamage(on: console)
  }
}
