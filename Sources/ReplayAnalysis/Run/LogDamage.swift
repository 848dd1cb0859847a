import EventLog

/// What could not be read of a log. A log and its parts share one object, so that damage found through a part
/// is reported for the whole log.
package final class LogDamage {
  /// The condition of the whole log.
  package enum State: String, Codable, Sendable {
    case clean
    /// A program is writing it.
    case recording
    /// It was not closed.
    case open
    case torn, damaged
  }

  /// Says of a log that no program writes it any more.
  package static let left =
    "the program that recorded it ended without closing the log; its last events may be missing"

  private(set) var state = State.clean
  /// Describes the last fault; nil while the log was closed and everything read from it was intact.
  package private(set) var text: String?
  /// The first event that could not be read.
  package private(set) var unreadSeq: UInt64?
  /// Whether reading began after the log's first event.
  package var isOfPart = false

  /// Starts with the condition of the log when it was opened.
  init(_ reader: LogReader) { look(at: reader) }

  /// Starts over with the condition of the log when it was opened.
  func look(at reader: LogReader) {
    (state, text) =
      switch reader.tail {
      case .clean: (.clean, nil)
      case .open where reader.hasWriter == true, .torn where reader.hasWriter == true:
        (.recording, "\(reader.path): the log is being recorded; its latest events are not in it yet")
      case .open: (.open, "\(reader.path): the log was not closed; its last events may be missing")
      case .torn(let offset, let reason):
        (.torn, "\(reader.path): torn at byte \(offset) (\(reason)); what follows is lost")
      case .damaged(let error, _): (.damaged, "\(error)")
      }
  }

  /// Records a fault, and the first event that it hides; nil if that is unknown.
  func append(_ error: any Error, from seq: UInt64? = nil) {
    state = .damaged
    text = "\(error)"
    if let seq { unreadSeq = min(unreadSeq ?? .max, seq) }
  }
}
