import ArgumentParser
import EventLog

struct Tail: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Follows a log that is being written and prints its new events, one a line.",
    discussion: """
      Example: replay tail SampleLogs/scopes.evlog --from 1

      Every event is printed once and in order, as soon as its block is in the file. The command ends when the log is \
      closed, with Ctrl-C, or when nobody reads its output. With --projection or --path only events that are about such a \
      projection, or write such a path, are printed. With --follow it goes on after the log was closed, for \
      a log that will be appended to or recorded anew under its name.
      """)

  @Argument(help: "The log to follow.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: ArgumentHelp("Begin with this event (default: the next one to come).", valueName: "seq"))
  var from: UInt64?

  @OptionGroup var patterns: PatternOptions

  @Flag(name: .shortAndLong, help: "Go on after the log was closed.")
  var follow = false

  func run(on console: Console) throws -> ToolStatus {
    Platform.catchInterrupts()
    var follower = LogFollower(path: log, from: try from ?? next())
    while !Platform.isInterrupted {
      switch try follower.next() {
      case .events(let events): try print(events, to: console)
      case .replaced:
        console.note("replay: \(log): another log has this name now; it is followed from its beginning")
      case .closed where !follow: return .done
      case .closed, .waiting:
        try console.flush()
        Platform.sleep(milliseconds: 50)
      }
    }
    return .done
  }

  /// The seq of the next event that the log will get.
  private func next() throws -> UInt64 {
    do { return try LogReader(path: log).nextSeq } catch {
      // Its first block may not be there yet.
      if error.code == .torn || error.code == .notALog && error.byteOffset == 0 { return 1 }
      throw error
    }
  }

  private func print(_ events: [Event], to console: Console) throws {
    var line: [UInt8] = []
    for event in events where isMeant(event) {
      line.removeAll(keepingCapacity: true)
      event.appendJSON(to: &line)
      line.append(0x0A)
      try console.write(line)
    }
  }

  private func isMeant(_ event: Event) -> Bool {
    if patterns.projection == nil, patterns.path == nil { return true }
    if let name = event.body.projectionName { return patterns.projection?.matches(name) ?? false }
    return event.body.writtenPath.flatMap { patterns.path?.matches($0) } ?? false
  }
}
