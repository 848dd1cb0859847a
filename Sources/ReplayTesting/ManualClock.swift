import Synchronization

/// A clock that stands still until a test advances it.
///
///     let clock = ManualClock()
///     let session = Session(clock: clock)
///     session.onChange(of: \.level, in: meter, throttledTo: .milliseconds(250)) { _, new in draw(new) }
///     await clock.advance(by: .milliseconds(250))
///
/// Use it to test code that waits. Tasks that sleep by this clock wake in the order of their deadlines.
public final class ManualClock: Clock {
  /// A time on a manual clock, as the duration since its beginning.
  public struct Instant: InstantProtocol {
    /// The time since the clock's beginning.
    public let offset: Duration

    /// The instant after a duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The duration until another instant.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Orders instants by time.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var nextSleeper = 0
  }

  private let state = Mutex(State())

  /// Creates a clock at its beginning.
  public init() {}

  /// The present time.
  public var now: Instant { state.withLock { $0.now } }

  /// The shortest difference between two instants.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep by this clock.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Waits until the clock has been advanced to the deadline; throws if the task is cancelled before.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.withLock { state in
      defer { state.nextSleeper += 1 }
      return state.nextSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        let isDue = state.withLock { state in
          if deadline <= state.now || Task.isCancelled { return true }
          state.sleepers[number] = Sleeper(deadline: deadline, wake: wake)
          return false
        }
        if isDue { wake.resume() }
      }
      try Task.checkCancellation()
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
    }
  }

  /// Advances the clock. Each task whose deadline is reached wakes at that time, and gets a chance to run.
  public func advance(by duration: Duration) async {
    let end = now.advanced(by: duration)
    await settle()
    while let next = popNext(until: end) {
      next.resume()
      await settle()
    }
    state.withLock { $0.now = end }
    await settle()
  }

  private func popNext(until end: Instant) -> CheckedContinuation<Void, any Error>? {
    state.withLock { state in
      guard let (number, sleeper) = state.sleepers.min(by: { $0.value.deadline < $1.value.deadline }),
        sleeper.deadline <= end
      else { return nil }
      state.now = max(state.now, sleeper.deadline)
      state.sleepers[number] = nil
      return sleeper.wake
    }
  }

  /// Lets other tasks run, until no task has started to sleep for a while.
  private func settle() async {
    for _ in 0..<20 { await Task.yield() }
    await Task.detached(priority: .background) { await Task.yield() }.value
  }
}
