import BenchSupport
import EventLog
import Foundation

/// The cost of the commands of `replay`. Each runs in a process of its own, reads the log from its file, and prints to
/// the null device.
struct CommandContests {
  private typealias Command = (name: String, arguments: @Sendable (String) -> [String])

  private static let commands: [Command] = [
    ("timeline", { ["timeline", $0] }),
    ("timeline --format json", { ["timeline", $0, "--format", "json"] }),
    ("hot", { ["hot", $0] }),
    ("cascades", { ["cascades", $0] }),
    ("verify", { ["verify", $0] }),
    ("export --format jsonl", { ["export", $0, "--format", "jsonl"] }),
    ("export --format csv", { ["export", $0, "--format", "csv"] }),
    ("export --format perfetto", { ["export", $0, "--format", "perfetto"] }),
    ("export --format sqlite", { ["export", $0, "--format", "sqlite", "-o", $0 + ".db", "--replace"] }),
    ("lint", { ["lint", $0] }),
    ("check", { ["check", $0, "--budget", $0 + ".yaml"] }),
    ("what-if --throttle", { ["what-if", $0, "--throttle", "**=1s"] }),
    ("what-if --tracking property", { ["what-if", $0, "--tracking", "property"] }),
    ("what-if --tracking object", { ["what-if", $0, "--tracking", "object"] }),
    ("diff, with itself", { ["diff", $0, $0] }),
    ("diff, nothing in common", { ["diff", $0, $0 + ".other"] }),
  ]

  /// The commands that print while they read.
  private static let streams: [Command] = [
    ("timeline", { ["timeline", $0] }),
    ("timeline --format json", { ["timeline", $0, "--format", "json"] }),
    ("timeline --path", { ["timeline", $0, "--path", "\(Workload.paths[7])"] }),
    ("timeline --projection", { ["timeline", $0, "--projection", "Row#7"] }),
    ("timeline --from", { ["timeline", $0, "--from", "9000000"] }),
    ("export --format jsonl", { ["export", $0, "--format", "jsonl"] }),
    ("export --format csv", { ["export", $0, "--format", "csv"] }),
    ("export --format perfetto", { ["export", $0, "--format", "perfetto"] }),
  ]

  static func run(_ tool: String, events: Int, rounds: Int) throws {
    let log = try WokenLog(events: events)
    // Beside the log, so that it is removed with it.
    try WokenLog.record(to: log.path + ".other", events: events, Workload(startingAt: 1 << 40))
    try budget.write(toFile: log.path + ".yaml", atomically: false, encoding: .utf8)
    print("\nreplay on a log of \(events.grouped) events, \(WokenLog.projections.count.grouped) projections")
    try run(commands, tool, log.path, events: events, rounds: rounds)
    print("\nuntil the first byte of the output")
    for command in streams {
      let taken = try (0..<5 * rounds).map { _ in try FirstByte.time(tool, command.arguments(log.path)) / 1e6
      }
      print("  \(command.name.padded(to: 28)) \(Spread(taken).text(unit: "ms"))")
    }
  }

  /// The same for a given log, without the commands that take two logs.
  static func run(_ tool: String, log: String, rounds: Int) throws {
    let copy = try ScratchFile("recorded.evlog")
    try FileManager.default.copyItem(atPath: log, toPath: copy.path)
    try budget.write(toFile: copy.path + ".yaml", atomically: false, encoding: .utf8)
    let events = Int(try LogReader(path: copy.path).eventCount)
    print("\nreplay on \(log) of \(events.grouped) events")
    let commands = commands.filter { $0.name != "diff, nothing in common" }
    try run(commands, tool, copy.path, events: events, rounds: rounds)
  }

  private static func run(
    _ commands: [Command], _ tool: String, _ log: String, events: Int, rounds: Int
  ) throws {
    for command in commands {
      var peak = 0
      let taken = try (0..<rounds).map { _ -> Double in
        let process = try ToolProcess(tool, command.arguments(log))
        peak = max(peak, process.peakBytes)
        return process.elapsed / 1e9
      }
      let spread = Spread(taken)
      let rate = (Double(events) / spread.median / 1e6).short
      print(
        "  \(command.name.padded(to: 28)) \(spread.text(unit: "s")), \(rate) million events a second, "
          + "\(peak >> 20) MiB")
    }
  }

  private static let budget = """
    projections:
      Row:
        evaluations: 1000000000
    """
}
