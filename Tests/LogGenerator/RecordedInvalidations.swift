import EventLog
import Invalidation

/// Compares the invalidations that a session recorded with those that the core derives from the log's events.
package enum RecordedInvalidations {
  package struct Difference: Error, CustomStringConvertible {
    package var description: String
  }

  /// One invalidation: the event that completed the change, the projection, and the events that changed what it
  /// read.
  private struct Entry: Equatable, CustomStringConvertible {
    var seq: UInt64
    var projection: String
    var causes: [UInt64]

    static func == (a: Entry, b: Entry) -> Bool {
      a.seq == b.seq && a.projection.hasSameBytes(as: b.projection) && a.causes == b.causes
    }

    var description: String { "event \(seq): \(projection) because of \(causes)" }
  }

  /// Plays a log that a session recorded from its beginning to its end. Throws a ``Difference``, or the reason
  /// why the log cannot be read or its events do not fit.
  package static func check(log path: String) throws {
    var timeline = Timeline()
    var (derived, recorded): ([Entry], [Entry]) = ([], [])
    try LogReader(path: path).forEachEvent { event in
      derived += try timeline.apply(event).map {
        Entry(seq: event.seq, projection: $0.projection, causes: $0.causes)
      }
      guard case .invalidate(let projection, let causes) = event.body else { return }
      recorded.append(Entry(seq: event.cause ?? 0, projection: projection, causes: causes))
    }
    if derived == recorded { return }
    let common = zip(derived, recorded).prefix { $0 == $1 }.count
    throw Difference(
      description:
        "derived \(derived.dropFirst(common).prefix(3)), recorded \(recorded.dropFirst(common).prefix(3))"
    )
  }
}
