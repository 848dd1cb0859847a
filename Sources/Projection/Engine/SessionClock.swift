/// The clock that a session waits by, and where it runs what it has waited for.
struct SessionClock: Sendable {
  /// How long the session has lasted.
  let elapsed: @Sendable () -> Duration
  /// Waits until the session has lasted so long; ends early when the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void
  /// The actor on which the session was made: what it runs by itself belongs there.
  let isolation: (any Actor)?

  init(_ clock: some Clock<Duration>, isolation: (any Actor)?) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try? await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    self.isolation = isolation
  }
}
