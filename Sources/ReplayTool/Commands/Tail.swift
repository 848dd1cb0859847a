import ArgumentParser
import EventLog
import ReplayAnalysis

struct Tail: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Follows a log that is being written and prints its new events, one a line.",
    discussion: """
      Example: replay tail SampleLogs/scopes.evlog --from 1

      Every event is printed once and in order, as soon as its block is in the file. The command ends when the log is \
      closed, with Ctrl-C, or when its output is closed; and with exit status 3 when the program that records it has \
      ended without closing it, as its lock shows. With --projection or --path only events that are about such a \
      projection, or write such a path, are printed. With --follow it goes on after the log was closed or left, for \
      a log that will be appended to, recorded again under its name, or copied here by something else meanwhile.
      """)

  @Argument(help: "The log to follow.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(help: ArgumentHelp("Begin with this event (default: the next one to come).", valueName: "seq"))
  var from: UInt64?

  @OptionGroup var patterns: PatternOptions
  @OptionGroup var memory: MemoryOptions

  @Flag(name: .shortAndLong, help: "Go on after the log was closed or left.")
  var follow = false

  func run(on console: Console) throws -> ToolStatus {
    if let stream = ToolError.stream(log) { throw stream }
    Interrupts.catchAll()
    var first = try from ?? next()
    let reader: LogReader?
    do { reader = try LogReader(path: log, limits: memory.limits) } catch {
      // Anything else may be over once more of it is written.
      if error.code == .overLimit { throw error }
      reader = nil
    }
    // Events that are not printed are still read if they come after the end of the log, since the state
    // depends on them.
    let start = max(1, min(first, reader?.nextSeq ?? 1))
    var follower = LogFollower(path: log, from: start, limits: memory.limits)
    var lines = FollowedLines(after: try? reader?.fold(at: start - 1), at: start, memory.limits)
    // A log that was closed before this began will not grow.
    let isOver = from == nil && !follow && reader?.isClean == true
    while !Interrupts.isPending {
      switch try follower.next() {
      case .events(let events):
        for event in events {
          let line = try lines.line(of: event, isPrinted: event.seq >= first && patterns.matches(event))
          if !line.isEmpty { try console.write(line) }
        }
      case .replaced:
        console.report("replay: \(log): another log has this name now; it is followed from its beginning")
        lines = FollowedLines(after: nil, at: 1, memory.limits)
        first = 1
      case .closed where !follow:
        if isOver, first == reader?.nextSeq {
          console.report("replay: \(log): the log is closed; --from \(reader?.firstSeq ?? 1) prints it")
        }
        return .done
      case .abandoned where !follow:
        console.report("replay: \(log): \(LogDamage.left)")
        return .damaged
      case .closed, .abandoned, .waiting:
        try console.flush()
        Platform.sleep(milliseconds: 50)
      }
    }
    return .done
  }

  /// The seq of the next event to be written to the log.
  private func next() throws -> UInt64 {
    do { return try LogReader(path: log, limits: memory.limits).nextSeq } catch {
      // The first block may not be written yet.
      if error.code == .torn || error.code == .notALog && error.byteOffset == 0 { return 1 }
      throw error
    }
  }
}

/// Prints events as `export` does. `same_value` is left out where import would compute it from the state.
private struct FollowedLines {
  private var fold: StateFold
  /// Whether the state before the next event is unknown; then nothing is left out.
  private var isBlind: Bool
  private var line: [UInt8] = []

  /// - Parameter fold: The state before the first event; nil if the log has none or it cannot be read.
  init(after fold: StateFold?, at first: UInt64, _ limits: ReadLimits) {
    self.fold = fold ?? StateFold(limits: limits)
    isBlind = fold == nil && first > 1
  }

  /// The line of the next event, with its line break; empty if the event is not printed.
  mutating func line(of event: Event, isPrinted: Bool) throws -> [UInt8] {
    line.removeAll(keepingCapacity: true)
    if let failure = fold.failure, failure.error.isOverLimit { throw ToolError("\(failure): --limit-memory") }
    // A log that is part of a session begins with a state that the follower does not have.
    if fold.seq + 1 != event.seq || fold.failure != nil { isBlind = true }
    if isPrinted {
      let sameValue = event.body.sameValue
      let states = sameValue != nil && (isBlind || fold.state.wouldStaySame(event.body) != sameValue)
      event.appendJSON(to: &line, statesSameValue: states)
      line.append(0x0A)
    }
    if !isBlind { fold.apply(event) }
    return line
  }
}
