import EventLog

extension Console {
  /// Says on the errors what could not be read, and returns the exit status that goes with it.
  func report(_ losses: LogLoss?...) -> ToolStatus {
    var status = ToolStatus.done
    for loss in losses.compactMap(\.self) {
      note("replay: \(loss)")
      status = .damaged
    }
    return status
  }
}
