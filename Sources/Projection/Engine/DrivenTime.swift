import HeapModule
import Synchronization

/// The time of a recording while it is driven. It stands still at each driven event, and jumps to the next.
///
/// Delays of the session end as the time passes them, on the thread that advances the time. A drive therefore
/// never waits, and every drive of a recording gives the same result.
final class DrivenTime: Sendable {
  private let present = Atomic<UInt64>(0)
  private let first = Atomic<UInt64>(.max)
  private let waits = Mutex<Heap<UInt64>>([])

  /// The time in nanoseconds since the recorded session began.
  var nanoseconds: UInt64 { present.load(ordering: .acquiring) }

  /// The same time as a `Duration`.
  var now: Duration { .sinceBeginning(nanoseconds) }

  /// The time at which the next delay ends; the largest number if there is none.
  @inline(__always)
  var nextWait: UInt64 { first.load(ordering: .acquiring) }

  /// Adds a delay that ends at a time.
  func add(_ due: Duration) {
    waits.withLock { waits in
      waits.insert(due.nanosecondsRoundedUp)
      insertFirst(of: waits)
    }
  }

  /// Advances to the end of the next delay. Returns false and does nothing if that is after `end`.
  func moveToNextWait(until end: UInt64) -> Bool {
    waits.withLock { waits in
      guard let due = waits.min, due <= end, due < .max else { return false }
      waits.removeMin()
      insertFirst(of: waits)
      move(to: due)
      return true
    }
  }

  /// Drops the delays that end by a time, and advances to it.
  func skipWaits(until end: UInt64) {
    waits.withLock { waits in
      while let due = waits.min, due <= end { waits.removeMin() }
      insertFirst(of: waits)
      move(to: end)
    }
  }

  /// Advances to a time, unless it has passed. Only one thread advances the time.
  @inline(__always)
  func move(to time: UInt64) { if time > nanoseconds { present.store(time, ordering: .releasing) } }

  private func insertFirst(of waits: borrowing Heap<UInt64>) {
    first.store(waits.min ?? .max, ordering: .releasing)
  }
}

extension Duration {
  /// A time of a log as a duration. The time may be any number of nanoseconds.
  fileprivate static func sinceBeginning(_ nanoseconds: UInt64) -> Duration {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(rest) * 1_000_000_000)
  }

  /// The duration in nanoseconds, limited to the range of times in a log.
  var nanoseconds: UInt64 { nanoseconds(adding: 0) }

  /// The same, rounded up to a whole nanosecond.
  fileprivate var nanosecondsRoundedUp: UInt64 { nanoseconds(adding: 999_999_999) }

  private func nanoseconds(adding attoseconds: Int64) -> UInt64 {
    let (seconds, rest) = components
    guard seconds >= 0, rest >= 0 else { return 0 }
    let (product, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = product.addingReportingOverflow(UInt64(rest + attoseconds) / 1_000_000_000)
    return isTooLong || overflow ? .max : sum
  }
}
