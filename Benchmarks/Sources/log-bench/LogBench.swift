import ArgumentParser
import BenchSupport

@main
struct LogBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-bench",
    abstract:
      "Measures the log: appending, recording beside other ways to keep events, reading, edits, and the commands.",
    discussion: """
      Figures are the median of all rounds, with the least and the greatest. A ratio compares with the
      first line of its table, round by round.
      """)

  /// The parts that can be run alone.
  enum Part: String, CaseIterable, ExpressibleByArgument {
    case append, sustained, peers, read, trace, commands
  }

  @Option(help: "How many rounds are counted.")
  var rounds = 7

  @Option(help: "Run only this part: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).")
  var only: Part?

  @Option(help: "How many events the long recording has.")
  var events = 50_000_000

  @Option(help: "The tool whose commands are measured; without it they are left out.")
  var replay: String?

  @Option(help: "With --only commands: a log to measure them on, instead of a made-up one.")
  var log: String?

  @Option(help: "A recorded editing session, .json or .json.gz, instead of a made-up one.")
  var trace: String?

  @Option(help: "Makes up the editing session.")
  var seed: UInt64 = 1

  func run() throws {
    for part in Part.allCases where only == nil || part == only {
      switch part {
      case .append: try AppendLatency.run(events: 2_000_000, rounds: rounds)
      case .sustained: try Sustained.run(events: events)
      case .peers: try Contest.keep(1_000_000).run(rounds: rounds)
      case .read: try ReadContests.run(events: 10_000_000, rounds: rounds)
      case .trace:
        if let trace {
          try TraceSizes.run(EditingSession(trace: trace), name: trace)
        } else {
          try TraceSizes.run(
            EditingSession(seed: seed, edits: 50_000), name: "a made-up session, seed \(seed)")
        }
      case .commands:
        guard let replay else { continue }
        if let log {
          try CommandContests.run(replay, log: log, rounds: min(rounds, 3))
        } else {
          try CommandContests.run(replay, events: 10_000_000, rounds: min(rounds, 3))
        }
      }
    }
  }
}
