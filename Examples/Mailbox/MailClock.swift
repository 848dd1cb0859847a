import Synchronization

/// A clock for the sessions of the mail app, which goes on only between two of the person's actions.
///
/// What waits by it is run by `flush()` at the end of each pause, on the person's thread, and every pause is longer
/// than anything waits. So each run is the same. Whoever sleeps by the clock is woken at once and finds nothing due.
package final class MailClock: Clock {
  /// A time on the clock: how long after its beginning.
  package struct Instant: InstantProtocol {
    let offset: Duration

    /// The instant that is so much later.
    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// How much later another instant is.
    package func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Orders instants by time.
    package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let time = Mutex(Duration.zero)

  /// Creates a clock at its beginning.
  package init() {}

  /// The present time.
  package var now: Instant { Instant(offset: time.withLock { $0 }) }

  /// The shortest time that it can tell.
  package var minimumResolution: Duration { .nanoseconds(1) }

  /// Returns at once.
  package func sleep(until deadline: Instant, tolerance: Duration?) {}

  /// Goes on to a later time.
  ///
  /// - Precondition: Nothing that waits by the clock is due until then.
  func advance(to later: Duration) { time.withLock { $0 = later } }
}
