import ArgumentParser
import BenchSupport

@main
struct LogBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-bench",
    abstract:
      "Measures the log: appending, recording to disk beside other ways to keep events, reading, and the commands.",
    discussion: """
      Figures are the median of all rounds, with the least and the greatest. A ratio compares with the
      first line of its table, round by round.
      """)

  /// The parts that can be run alone.
  enum Part: String, CaseIterable, ExpressibleByArgument {
    case append, sustained, peers, read, commands
  }

  @Option(help: "How many rounds are counted.")
  var rounds = 7

  @Option(help: "Run only this part: \(Part.allCases.map(\.rawValue).joined(separator: ", ")).")
  var only: Part?

  @Option(help: "How many events the long recording has.")
  var events = 50_000_000

  @Option(help: "The tool whose commands are measured; without it they are left out.")
  var replay: String?

  func run() throws {
    for part in Part.allCases where only == nil || part == only {
      switch part {
      case .append: try AppendLatency.run(events: 2_000_000, rounds: rounds)
      case .sustained: try Sustained.run(events: events)
      case .peers: try Contest.keep(1_000_000).run(rounds: rounds)
      case .read: try ReadContests.run(events: 10_000_000, rounds: rounds)
      case .commands:
        if let replay { try CommandContests.run(replay, events: 10_000_000, rounds: min(rounds, 3)) }
      }
    }
  }
}
