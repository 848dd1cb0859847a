import EventLog

/// Why a question about a log has no answer: the log has nothing of what was asked for, or contradicts itself.
///
/// It has no words of its own. The caller that shows it knows how the question was put, and what else could be asked.
package struct AnalysisError: Error {
  package enum Reason: Sendable {
    /// An event does not fit the events before it.
    case misfit(seq: UInt64, StateError)
    /// The event lies behind the last.
    case noEvent(seq: UInt64, last: UInt64)
    /// The event lies before the first.
    case earlierEvent(seq: UInt64, first: UInt64)
    /// Nothing happens at a time or later; the time of the last event, if there is one.
    case nothingFrom(time: UInt64, last: UInt64?)
    /// No mark has this label, where one is set from this event on.
    case noMark(label: String, from: UInt64?, nearest: String?)
    /// The last event of a range lies before its first.
    case reversed(first: UInt64, last: UInt64)
    /// No projection has this name.
    case noProjection(String, nearest: String?)
    /// No event writes or reads such a path.
    case noPath(String, nearest: String?)
    /// A projection was neither woken nor evaluated, up to an event where one is set.
    case neverWoken(projection: String, upTo: UInt64?)
    /// A projection never reads such a path.
    case unread(path: String, projection: String, nearest: String?)
    /// No event writes such a path.
    case unwritten(path: String, nearest: String?)
    /// An event cannot be followed under the rules that were asked about.
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
