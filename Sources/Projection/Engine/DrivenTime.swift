import HeapModule
import Synchronization

/// The time of a recording while it is driven: it stands at the event that is driven, and moves from one to the next.
///
/// What a session waits for falls due on the way, on the thread that moves the time. So a drive waits for nothing, and each
/// drive of one recording is the same.
final class DrivenTime: Sendable {
  private let present = Atomic<UInt64>(0)
  private let first = Atomic<UInt64>(.max)
  private let waits = Mutex<Heap<UInt64>>([])

  /// Nanoseconds since the recorded session began.
  var nanoseconds: UInt64 { present.load(ordering: .acquiring) }

  /// The same, as a session's clock has it.
  var now: Duration { .sinceBeginning(nanoseconds) }

  /// When something falls due next; the largest number if nothing does.
  @inline(__always)
  var nextWait: UInt64 { first.load(ordering: .acquiring) }

  /// Notes that something falls due at a time.
  func add(_ due: Duration) {
    waits.withLock { waits in
      waits.insert(due.nanosecondsRoundedUp)
      noteFirst(of: waits)
    }
  }

  /// Goes on to the next time at which something falls due; false, with nothing done, if that is after another.
  func moveToNextWait(until end: UInt64) -> Bool {
    waits.withLock { waits in
      guard let due = waits.min, due <= end, due < .max else { return false }
      waits.removeMin()
      noteFirst(of: waits)
      move(to: due)
      return true
    }
  }

  /// Forgets what falls due until a time, and goes on to that.
  func skipWaits(until end: UInt64) {
    waits.withLock { waits in
      while let due = waits.min, due <= end { waits.removeMin() }
      noteFirst(of: waits)
      move(to: end)
    }
  }

  /// Goes on to a time, unless that is past. One thread moves the time.
  @inline(__always)
  func move(to time: UInt64) { if time > nanoseconds { present.store(time, ordering: .releasing) } }

  private func noteFirst(of waits: borrowing Heap<UInt64>) {
    first.store(waits.min ?? .max, ordering: .releasing)
  }
}

extension Duration {
  /// A time of a log, which may be any number of nanoseconds.
  fileprivate static func sinceBeginning(_ nanoseconds: UInt64) -> Duration {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(rest) * 1_000_000_000)
  }

  /// In nanoseconds as times in a log are: not negative, and at most the largest number.
  var nanoseconds: UInt64 { nanoseconds(adding: 0) }

  /// The first such time that is not before it.
  fileprivate var nanosecondsRoundedUp: UInt64 { nanoseconds(adding: 999_999_999) }

  private func nanoseconds(adding attoseconds: Int64) -> UInt64 {
    let (seconds, rest) = components
    guard seconds >= 0, rest >= 0 else { return 0 }
    let (product, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = product.addingReportingOverflow(UInt64(rest + attoseconds) / 1_000_000_000)
    return isTooLong || overflow ? .max : sum
  }
}
