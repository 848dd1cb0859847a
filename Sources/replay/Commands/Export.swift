import ArgumentParser
import EventLog

struct Export: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints a log in a form that other tools read.",
    discussion: """
      Example: replay export run.evlog --to jsonl > run.jsonl

      jsonl is one event a line, and import makes an equal log of it.
      """)

  enum Target: String, ExpressibleByArgument, CaseIterable { case jsonl }

  @Argument(help: "The log to read.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: "The form to print.")
  var to: Target

  func run(on console: Console) throws -> ToolStatus {
    let log = try LogSource(path: log)
    var cursor = log.cursor()
    var replay = StateReplay(log)
    var line: [UInt8] = []
    while let event = cursor.next() {
      console.progress.note(Int(clamping: event.seq), of: log.eventCount, "exporting \(log.path)")
      // What import would compute is left out; where the app judged otherwise it is stated.
      let wouldStaySame = event.body.sameValue.map { ($0, replay.state.wouldStaySame(event.body)) }
      line.removeAll(keepingCapacity: true)
      event.appendJSON(to: &line, statesSameValue: wouldStaySame.map { $0 != $1 } ?? false)
      line.append(0x0A)
      try console.write(line)
      try replay.apply(event)
    }
    console.progress.finish()
    return log.reportDamage(on: console)
  }
}
