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
