import ArgumentParser
import EventLog
import ReplayAnalysis

/// A command of the tool, which runs on a console and returns an exit status.
protocol ToolCommand: ParsableCommand {
  func run(on console: Console) throws -> ToolStatus
}

extension ToolCommand {
  mutating func run() throws {}
}

/// The exit status of a command.
enum ToolStatus: Int32 {
  /// The command succeeded.
  case done = 0
  /// The command succeeded, and found what it looks for.
  case found = 1
  /// The usage was wrong, or the input cannot be read.
  case refused = 2
  /// The command succeeded, but part of a log is missing or damaged.
  case damaged = 3
  /// The command succeeded, and had too little to judge by.
  case undecided = 4

  /// The status for two results. A finding is more important than missing data.
  func and(_ other: ToolStatus) -> ToolStatus {
    if self == .found || other == .found { return .found }
    return rawValue >= other.rawValue ? self : other
  }
}

extension Console {
  /// Prints the parts of logs that could not be read to the standard error, and returns the matching exit
  /// status.
  func report(_ losses: [LogLoss]) -> ToolStatus {
    for loss in losses { report("replay: \(loss)") }
    return losses.isEmpty ? .done : .damaged
  }

  /// The same as ``report(_:)`` for one log.
  func report(_ loss: LogLoss?) -> ToolStatus { report(loss.map { [$0] } ?? []) }
}
