import EventLog
import ReplayAnalysis

/// A command failed or was used wrongly: one line that says why, and exit status 2.
struct ToolError: Error, CustomStringConvertible {
  let description: String
  /// Whether the message begins with a position in a file, in the form that editors recognise.
  let isLocated: Bool

  init(_ description: String) {
    self.description = description
    isLocated = false
  }

  /// An error for a folder that was given as a log, which names a log in it, and for a pipe, a socket or a device; nil
  /// for any other error.
  init?(noFile error: LogError) {
    if let stream = Self.stream(error.path) {
      self = stream
      return
    }
    guard Platform.isFolder(error.path) else { return nil }
    let folder = error.path.hasSuffix("/") ? error.path : "\(error.path)/"
    let log = Platform.neighbours(of: folder).first { $0.hasSuffix(".evlog") }
    self.init("\(error.path) is a folder, not a log" + (log.map { "; give one in it, as \($0)" } ?? ""))
  }

  /// The error if a pipe, a socket or a device was given as a log; nil otherwise. Reading a log begins at its end and
  /// continues anywhere, which these do not allow.
  static func stream(_ path: String) -> ToolError? {
    guard let kind = Platform.kind(of: path), kind != .file, kind != .folder else { return nil }
    return ToolError("\(path): a log cannot be read from \(kind.words); give a file")
  }

  /// Creates an error for a mistake at a position in a file.
  init(file: String, line: Int, column: Int, _ reason: String) {
    description = "\(file):\(line):\(column): \(reason)"
    isLocated = true
  }
}

/// The messages for questions that an analysis cannot answer.
extension AnalysisError: CustomStringConvertible {
  package var description: String { "\(log): \(reason.text)" }
}

extension AnalysisError.Reason {
  fileprivate var text: String {
    switch self {
    case .misfit(let seq, let error) where error.isOverLimit,
      .unfollowed(let seq, let error) where error.isOverLimit:
      "at event \(seq), \(error): --limit-memory"
    case .misfit(let seq, let error): "event \(seq) does not fit the events before it: \(error)"
    case .noEvent(let seq, let last): "there is no event \(seq); the last is \(last)"
    case .earlierEvent(let seq, let first): "event \(seq) is not in this log; the first is \(first)"
    case .nothingFrom(let time, let last):
      "nothing happens at \(Units.moment(time)) or later"
        + (last.map { "; the last event is at \(Units.moment($0))" } ?? "")
    case .noMark(let label, let first, let nearest):
      "there is no mark \(Value.string(label).json)" + (first.map { " from event \($0) on" } ?? "")
        + Suggestion.text(nearest)
    case .noAction(let label, let nearest):
      "there is no action \(Value.string(label).json)" + Suggestion.text(nearest)
    case .reversed(let first, let last): "--to (event \(last)) lies before --from (event \(first))"
    case .noProjection(let name, let nearest):
      "there is no projection \(name)"
        + (nearest == nil ? "; replay hot lists what there is" : Suggestion.text(nearest))
    case .noPath(let path, let nearest):
      "no event writes or reads \(path)" + Suggestion.text(nearest)
    case .neverInvalidated(let projection, let last):
      "\(projection) was neither woken nor evaluated" + (last.map { " up to event \($0)" } ?? "")
    case .unread(let path, let projection, let nearest):
      "\(projection) never reads \(path)" + Suggestion.text(nearest)
    case .noParent(let name): "\(name) has no parent that could hand it anything"
    case .unwritten(let path, let nearest): "no event writes \(path)" + Suggestion.text(nearest)
    case .nothingAt(let path, let seq, let nearest):
      "there is nothing at \(path) after event \(seq)" + Suggestion.text(nearest)
    case .unfollowed(let seq, let error): "event \(seq) cannot be followed under these rules: \(error)"
    }
  }
}
