import HeapModule
import Synchronization

/// The time of a recording while it is driven: it stands at the event that is driven, and moves from one to the next.
///
/// What a session waits for falls due on the way, on the thread that moves the time. So a drive waits for nothing, and each
/// drive of one recording is the same.
final class DrivenTime: Sendable {
  private struct State {
    var now = Duration.zero
    var waits: Heap<Duration> = []
  }

  private let state = Mutex(State())

  /// The time since the recorded session began.
  var now: Duration { state.withLock { $0.now } }

  /// Notes that something falls due at a time.
  func add(_ due: Duration) { state.withLock { $0.waits.insert(due) } }

  /// Goes on to the next time at which something falls due; false, with nothing done, if that is after another.
  func moveToNextWait(until end: Duration) -> Bool {
    state.withLock { state in
      guard let due = state.waits.min, due <= end else { return false }
      state.waits.removeMin()
      state.now = max(state.now, due)
      return true
    }
  }

  /// Goes on to a time, unless that is past.
  func move(to time: Duration) { state.withLock { $0.now = max($0.now, time) } }
}

extension Duration {
  /// In nanoseconds, where it is one of a log: not negative, and below three centuries.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isTooLong { return UInt64(Int64.max) }
    let (sum, overflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return UInt64(overflow ? Int64.max : sum)
  }
}
