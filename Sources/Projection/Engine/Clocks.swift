#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The clock by which a session waits, and the actor on which it runs delayed projections and callbacks.
struct SessionClock: Sendable {
  /// The time since the session began.
  let elapsed: @Sendable () -> Duration
  /// Waits until this time since the session began; returns early if the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void
  /// The actor on which the session was made, and on which delayed projections and callbacks run.
  let isolation: (any Actor)?

  init(_ clock: some Clock<Duration>, isolation: (any Actor)?) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try? await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    self.isolation = isolation
  }
}

/// The system's clock that never goes backwards.
enum MonotonicClock {
  /// Nanoseconds since a fixed moment before the process began. Cost: about 25 ns.
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
