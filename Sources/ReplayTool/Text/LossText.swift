import EventLog

extension Console {
  /// Says on the errors what could not be read, and returns the exit status that goes with it.
  func report(_ losses: [LogLoss]) -> ToolStatus {
    for loss in losses { note("replay: \(loss)") }
    return losses.isEmpty ? .done : .damaged
  }

  /// As ``report(_:)`` for one log.
  func report(_ loss: LogLoss?) -> ToolStatus { report(loss.map { [$0] } ?? []) }
}
