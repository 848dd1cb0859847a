import EventLog
import ReplayAnalysis

/// Why a command cannot do what it was asked; one clear line, and exit status 2.
struct ToolError: Error, CustomStringConvertible {
  let description: String
  /// Whether it begins with a position in a file, as editors look for it.
  let isLocated: Bool
  /// Lines below the error that show what to write instead.
  private(set) var sample = ""

  init(_ description: String) {
    self.description = description
    isLocated = false
  }

  /// A folder, a pipe or a device that was given where a log is read; nil for any other error.
  init?(noFile error: LogError) {
    if Platform.isStream(error.path) {
      self = Self.isStream(error.path)
      return
    }
    guard Platform.isFolder(error.path) else { return nil }
    let folder = error.path.hasSuffix("/") ? error.path : "\(error.path)/"
    let log = Platform.neighbours(of: folder).first { $0.hasSuffix(".evlog") }
    self.init("\(error.path) is a folder, not a log" + (log.map { "; give one in it, as \($0)" } ?? ""))
  }

  /// A log is read from its end, and from wherever an event is.
  static func isStream(_ path: String) -> ToolError {
    ToolError("\(path): a log cannot be read from a pipe or a device; give a file")
  }

  /// A mistake in a file of lines.
  init(file: String, line: Int, column: Int, _ reason: String, sample: String = "") {
    description = "\(file):\(line):\(column): \(reason)"
    isLocated = true
    self.sample = sample
  }
}

/// What the tool prints for questions that have no answer.
extension AnalysisError: CustomStringConvertible {
  package var description: String { "\(log): \(reason.text)" }
}

extension AnalysisError.Reason {
  fileprivate var text: String {
    switch self {
    case .misfit(let seq, let error): "event \(seq) does not fit the events before it: \(error)"
    case .noEvent(let seq, let last): "there is no event \(seq); the last is \(last)"
    case .earlierEvent(let seq, let first): "event \(seq) is not in this log; the first is \(first)"
    case .nothingFrom(let time, let last):
      "nothing happens at \(Units.moment(time)) or later"
        + (last.map { "; the last event is at \(Units.moment($0))" } ?? "")
    case .noMark(let label, let first, let nearest):
      "there is no mark \(Value.string(label).json)" + (first.map { " from event \($0) on" } ?? "")
        + Suggestion.text(nearest)
    case .reversed(let first, let last): "--to (event \(last)) lies before --from (event \(first))"
    case .noProjection(let name, let nearest):
      "there is no projection \(name)"
        + (nearest == nil ? "; replay hot lists what there is" : Suggestion.text(nearest))
    case .noPath(let path, let nearest):
      "no event writes or reads \(path)" + Suggestion.text(nearest)
    case .neverWoken(let projection, let last):
      "\(projection) was neither woken nor evaluated" + (last.map { " up to event \($0)" } ?? "")
    case .unread(let path, let projection, let nearest):
      "\(projection) never reads \(path)" + Suggestion.text(nearest)
    case .unwritten(let path, let nearest): "no event writes \(path)" + Suggestion.text(nearest)
    case .unfollowed(let seq, let error): "event \(seq) cannot be followed under these rules: \(error)"
    }
  }
}
