import EventLog
import ReplayAnalysis

/// What the tool says of questions that have no answer.
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
    case .reversed(let first, let last): "event \(last), the last, lies before event \(first), the first"
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
