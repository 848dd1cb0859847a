import ArgumentParser
import EventLog
import Foundation
import Projection

/// Replays a recorded editing session: a command.
public struct EditingTraceCommand: ParsableCommand {
  /// What `--help` shows.
  public static let configuration = CommandConfiguration(
    commandName: "editing-trace",
    abstract: "Replays a recorded editing session as a live one, records it, and checks the log.",
    discussion: """
      A trace is JSON: {"startContent": "", "endContent": "hi", "txns": [{"patches": [[0, 0, "hi"]]}]}, each \
      patch an offset in UTF-8 bytes, how many bytes go, and what comes in their place.

      Exit status: 0 all texts agree; 1 a text differs: the program's from the trace's at the end, or the \
      log's from the program's at the end or at one of the random points; 2 the trace cannot be replayed.
      """)

  @Argument(help: "The trace: a .json or .json.gz file, or - for the standard input.")
  var trace: String

  @Option(help: ArgumentHelp("Where the log goes; replaced if it is there.", valueName: "path"))
  var output: String

  @Option(help: ArgumentHelp("How many states on the way are compared.", valueName: "count"))
  var points = 100

  @Option(help: ArgumentHelp("Chooses the points (default: another each time).", valueName: "number"))
  var seed: UInt64?

  @Flag(help: "Keep the trace's own times and measure only the size of the log.")
  var ownTimes = false

  /// Creates the command, for its arguments to be parsed into.
  public init() {}

  /// Checks the arguments.
  public func validate() throws {
    guard points >= 0 else { throw ValidationError("--points cannot be negative") }
  }

  /// Replays the trace.
  public func run() throws {
    do {
      let mismatches = try replay(Trace(path: trace))
      if mismatches > 0 { throw ExitCode(1) }
    } catch let error as TraceError {
      fail("\(trace): \(error)")
    } catch let error as DecodingError {
      fail("\(trace) is not a trace: \(error)")
    } catch let error as CocoaError {
      fail("\(trace): \(error.localizedDescription)")
    }
  }

  private func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("editing-trace: \(message)\n".utf8))
    Self.exit(withError: ExitCode(2))
  }

  /// Replays the trace in every way, prints what it cost, and returns how many texts differ.
  private func replay(_ trace: Trace) throws -> Int {
    let passes = Passes(trace)
    let seed = seed ?? UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(state: seed)
    let stops = random.points(points, in: 0..<passes.patches.count)

    var texts: [Int: String] = [:]
    var all: [Pass] = []
    if ownTimes {
      let text = try trace.record(to: output, stoppingAfter: stops) { texts[$0] = $1 }
      all = [Pass(name: "with its own times", duration: .zero, text: text)]
    } else {
      all = [
        try passes.plainString(), try passes.detached(), try passes.unrecorded(),
        try passes.recorded(to: URL(filePath: output), stoppingAfter: stops) { texts[$0] = $1 },
      ]
    }
    let log = try LogReader(path: output)
    print(Figures(edits: passes.patches.count, passes: ownTimes ? [] : all, log: log))

    var check = LogCheck(texts: texts)
    try check.fold(log)
    let wrong = all.filter { $0.text != trace.endContent }.map { "\($0.name): the end is not the trace's" }
    let mismatches = wrong + check.mismatches
    for mismatch in mismatches { print("MISMATCH: \(mismatch)") }
    print("seed \(seed): \(check.compared) states of the log compared, \(mismatches.count) mismatches")
    return mismatches.count
  }
}
