/// What a command that reads a whole log could not read of it.
public struct LogLoss: Sendable, CustomStringConvertible {
  /// The log.
  public var path: String
  /// The first event that is missing; those after it are, too.
  public var firstLost: UInt64
  /// Why, with the byte where it begins; nil if the log only was not closed, so that events may be missing.
  public var reason: String?

  /// What is lost, as a sentence.
  public var description: String {
    guard let reason else {
      return "\(path): the log was not closed; events from \(firstLost) on may be missing"
    }
    return "\(path): events from \(firstLost) on are lost: \(reason)"
  }

  /// What cannot be read of a log, nil for one that was closed and is whole.
  init?(_ reader: LogReader, lastRead: UInt64, error: LogError? = nil) {
    path = reader.path
    firstLost = lastRead + 1
    if let error {
      reason = error.byteOffset.map { "at byte \($0) " + error.message } ?? error.message
      return
    }
    switch reader.tail {
    case .clean: return nil
    case .open: reason = nil
    case .torn(let offset, let why): reason = "torn at byte \(offset), \(why)"
    case .damaged(let error, _):
      reason = error.byteOffset.map { "at byte \($0) " + error.message } ?? error.message
    }
  }
}
