import ArgumentParser
import EventLog

/// A command of the tool.
protocol ToolCommand: ParsableCommand {
  func run(on console: Console) throws -> ToolStatus
}

extension ToolCommand {
  mutating func run() throws {}
}

/// How a command ended, as the shell sees it.
enum ToolStatus: Int32 {
  /// Done.
  case done = 0
  /// Done, and it found what it was asked to look for.
  case found = 1
  /// Bad usage, or input that cannot be read.
  case refused = 2
  /// Done, but part of a log is missing or damaged.
  case damaged = 3

  /// What to report when two things happened: what was found matters more than what was missing.
  func and(_ other: ToolStatus) -> ToolStatus {
    if self == .found || other == .found { return .found }
    return rawValue >= other.rawValue ? self : other
  }
}

extension Console {
  /// Reports on the errors what could not be read, and returns the exit status that goes with it.
  func report(_ losses: [LogLoss]) -> ToolStatus {
    for loss in losses { note("replay: \(loss)") }
    return losses.isEmpty ? .done : .damaged
  }

  /// As ``report(_:)`` for one log.
  func report(_ loss: LogLoss?) -> ToolStatus { report(loss.map { [$0] } ?? []) }
}
