import Synchronization

/// A clock for the sessions of the mail app, which advances only between two actions of the person.
///
/// At the end of each pause `flush()` runs all delayed callbacks on the person's thread, and every pause is longer
/// than any delay, so each run is the same. A task that sleeps by this clock continues at once, and finds nothing due.
package final class MailClock: Clock {
  /// A time on the clock: how long after its beginning.
  package struct Instant: InstantProtocol {
    let offset: Duration

    /// The instant later by a duration.
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

  /// The shortest difference between two instants.
  package var minimumResolution: Duration { .nanoseconds(1) }

  /// Returns at once.
  package func sleep(until deadline: Instant, tolerance: Duration?) {}

  /// Advances to a later time.
  ///
  /// - Precondition: No delayed callback is due until then.
  func advance(to later: Duration) { time.withLock { $0 = later } }
}
