/// When a session runs what is out of date.
public enum Delivery: Hashable, Sendable {
  /// After each outermost mutation or transaction.
  case immediate
  /// This long after the first change since the last time, as frames do. All changes in between are one transaction.
  case every(Duration)
  /// When ``Session/flush()`` is called. All changes since the last time are one transaction.
  case manual
}

/// How often a callback is called at most, where it is not called for each change.
enum Pace: Hashable, Sendable {
  /// Once an interval: for the first change at once, then at the end of each interval for the changes within.
  case throttled(Duration)
  /// When nothing has changed for this long.
  case debounced(Duration)
}

/// When a callback with a pace may run next. Guarded by the session's lock.
final class Pacing {
  private let pace: Pace
  /// The earliest time of the next run, by the session's clock.
  private(set) var earliestRun: Duration = .zero

  init(_ pace: Pace) { self.pace = pace }

  /// Notes that the callback was invalidated.
  func noteInvalidation(at clock: SessionClock) {
    if case .debounced(let quiet) = pace { earliestRun = clock.elapsed() + quiet }
  }

  /// Notes that the callback is about to run.
  func noteRun(at clock: SessionClock) {
    if case .throttled(let interval) = pace { earliestRun = clock.elapsed() + interval }
  }
}
