import EventLog

/// The clock of a session's delays, and the actor on which it runs delayed projections and callbacks.
struct SessionClock: Sendable {
  /// The time since the session began.
  let elapsed: @Sendable () -> Duration
  /// Waits until this time since the session began; returns early if the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void
  /// The actor on which the session was made, and on which delayed projections and callbacks run.
  let isolation: (any Actor)?
  /// The time of the recording that drives the session, which advances without a clock; nil for other
  /// sessions.
  let driven: DrivenTime?

  init(_ clock: some Clock<Duration>, isolation: (any Actor)?) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try? await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    self.isolation = isolation
    driven = nil
  }

  /// Creates the clock of a session that a recording drives.
  init(_ time: DrivenTime) {
    elapsed = { time.now }
    sleep = { _ in }
    isolation = nil
    driven = time
  }
}
