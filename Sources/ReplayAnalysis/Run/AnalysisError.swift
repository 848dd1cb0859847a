import EventLog

/// The reason why a question about a log has no answer: the log does not contain what was asked for, or
/// contradicts itself.
///
/// It has no text. The caller that shows it knows how the question was put, and what to suggest.
package struct AnalysisError: Error {
  package enum Reason: Sendable {
    /// An event does not fit the events before it.
    case misfit(seq: UInt64, StateError)
    /// The event comes after the last.
    case noEvent(seq: UInt64, last: UInt64)
    /// The event comes before the first.
    case earlierEvent(seq: UInt64, first: UInt64)
    /// No event has this time or a later one. `last` is the time of the last event, if there is one.
    case nothingFrom(time: UInt64, last: UInt64?)
    /// No mark has this label, from this event on if one is given.
    case noMark(label: String, from: UInt64?, nearest: String?)
    /// No action has such a label.
    case noAction(String, nearest: String?)
    /// The last event of a range lies before its first.
    case reversed(first: UInt64, last: UInt64)
    /// No projection has this name.
    case noProjection(String, nearest: String?)
    /// No projection of this name has a parent that could hand it anything.
    case noParent(String)
    /// No event writes or reads such a path.
    case noPath(String, nearest: String?)
    /// The projection was neither invalidated nor evaluated, up to this event if one is given.
    case neverInvalidated(projection: String, upTo: UInt64?)
    /// A projection never reads such a path.
    case unread(path: String, projection: String, nearest: String?)
    /// No event writes such a path.
    case unwritten(path: String, nearest: String?)
    /// The state after an event has nothing at this path.
    case nothingAt(path: String, after: UInt64, nearest: String?)
    /// An event does not fit those before it under the rules of the question.
    case unfollowed(seq: UInt64, StateError)
  }

  /// The path of the log.
  package let log: String
  package let reason: Reason

  init(_ log: LogSource, _ reason: Reason) {
    self.log = log.path
    self.reason = reason
  }
}
