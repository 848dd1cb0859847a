import EventLog
import ReplayAnalysis

extension Console {
  /// Says on the errors what could not be read, and returns the exit status that goes with it.
  func report(_ losses: [LogLoss]) -> ToolStatus {
    for loss in losses { note("replay: \(loss)") }
    return losses.isEmpty ? .done : .damaged
  }

  /// As ``report(_:)`` for one log.
  func report(_ loss: LogLoss?) -> ToolStatus { report(loss.map { [$0] } ?? []) }
}

extension LogSource {
  /// Says on the errors what is missing, and returns the exit status that goes with it.
  func reportDamage(on console: Console) -> ToolStatus {
    guard let text = damage.text else { return .done }
    let read =
      damage.unreadSeq.map { damage.isOfPart ? nil : Int(clamping: $0 - firstSeq) } ?? eventCount
    console.note("replay: \(text)" + (read.map { "; \(Units.count($0, "event")) before it read" } ?? ""))
    var isDamaged = damage.unreadSeq != nil
    if case .damaged = reader.tail { isDamaged = true }
    if isDamaged, let lost = try? LogRecovery.lostRanges(of: path), !lost.isEmpty {
      let ranges = lost.map { range in
        range.last.map { "\(range.first) to \($0)" } ?? "\(range.first) and on"
      }
      console.note(
        "replay: lost: events \(ranges.joined(separator: ", ")); replay recover \(path) saves what can be read"
      )
    }
    return .damaged
  }
}
