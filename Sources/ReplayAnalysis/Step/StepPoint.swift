import EventLog

/// One event with what there is to know about it.
package struct StepPoint {
  package let event: Event
  /// What it put out of date.
  package let woken: [StepWindow.Woken]
  /// The transaction that it is in.
  package let transaction: StepWindow.Span?
  /// The event that began the chain of causes that led to it, and how many steps away that is.
  package let root: (seq: UInt64, depth: Int)
  /// Of a write: the values at its place before and after; nil where there was or is none.
  package let old: Value?
  package let new: Value?

  init(_ seq: UInt64, of log: LogSource, in window: StepWindow) throws {
    guard let event = log.event(seq) else { throw StepError("event \(seq) cannot be read") }
    self.event = event
    woken = window.woken(by: seq)
    transaction = window.transaction(around: seq)
    root = log.root(of: seq)
    guard let path = event.body.writtenPath else {
      (old, new) = (nil, nil)
      return
    }
    old = try StateReplay.state(of: log, at: seq - 1).value(at: path)
    switch event.body {
    case .set(_, let value, _): new = value
    default: new = nil
    }
  }

  /// Of a projection's run, or of what woke it: its name.
  var projection: String? { event.body.projectionName }
}
