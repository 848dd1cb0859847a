import EventLog

/// What could not be read of a log. The log and its parts share it, so that whoever asked for a part need not ask it
/// what went wrong.
package final class LogDamage {
  /// What is known of the whole log.
  package enum State: String, Codable, Sendable {
    case clean
    /// It was not closed.
    case open
    case torn, damaged
  }

  private(set) var state = State.clean
  /// The last fault, for people; nil as long as the log was closed and what was read of it is whole.
  package private(set) var text: String?
  /// The first event that could not be read.
  package private(set) var unreadSeq: UInt64?
  /// Whether reading began behind the log's first event.
  package var isOfPart = false

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
