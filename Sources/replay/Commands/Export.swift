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
    let log = try LoadedLog(path: log, progress: console.progress)
    var state = State()
    var line: [UInt8] = []
    for event in log.events {
      // What import would compute is left out; where the app judged otherwise it is stated.
      let statesSameValue = event.body.sameValue.map { $0 != state.wouldStaySame(event.body) } ?? false
      line.removeAll(keepingCapacity: true)
      event.appendJSON(to: &line, statesSameValue: statesSameValue)
      line.append(0x0A)
      try console.write(line)
      try Run.explaining(event, of: log) { () throws(StateError) in try state.apply(event) }
    }
    return log.reportDamage(on: console)
  }
}
