import EventLog

/// What could not be read of a log. The log and its parts share it, so that whoever asked for a part need not ask it
/// what went wrong.
final class LogDamage {
  /// What is known of the whole log.
  enum State: String, Codable, Sendable {
    case clean
    /// It was not closed.
    case open
    case torn, damaged
  }

  private(set) var state = State.clean
  /// The last fault, for people; nil as long as the log was closed and what was read of it is whole.
  private(set) var text: String?
  /// The first event that could not be read.
  private(set) var unreadSeq: UInt64?
  /// Whether reading began behind the log's first event.
  var isOfPart = false

  /// With what shows when the log is opened.
  init(_ reader: LogReader) { look(at: reader) }

  /// Begins anew with what shows when the log is opened.
  func look(at reader: LogReader) {
    (state, text) =
      switch reader.tail {
      case .clean: (.clean, nil)
      case .open: (.open, "\(reader.path): the log was not closed; its last events may be missing")
      case .torn(let offset, let reason):
        (.torn, "\(reader.path): torn at byte \(offset) (\(reason)); what follows is lost")
      case .damaged(let error, _): (.damaged, "\(error)")
      }
  }

  /// Notes a fault, and from which event on it hides the rest; nil where that is not known.
  func note(_ error: any Error, from seq: UInt64? = nil) {
    state = .damaged
    text = "\(error)"
    if let seq { unreadSeq = min(unreadSeq ?? .max, seq) }
  }
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
