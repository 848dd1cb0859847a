/// When a session runs what is out of date.
public enum Delivery: Hashable, Sendable {
  /// After each outermost mutation or transaction.
  case immediate
  /// So long after the first change since the last time, as frames do: all changes in between count as one
  /// transaction.
  case every(Duration)
  /// When ``Session/flush()`` is called; all changes since the last time count as one transaction.
  case manual
}

/// How often a callback is called at most.
enum Pace: Hashable, Sendable {
  /// Once in so long a time: the first change at once, then whatever is the latest at the end of each interval.
  case throttled(Duration)
  /// When nothing has changed for so long.
  case debounced(Duration)
}

/// When a callback with a pace of its own may run. Guarded by the session's lock.
final class Pacing {
  private let pace: Pace
  /// When it may run next, by the session's clock.
  private(set) var earliestRun: Duration = .zero

  init(_ pace: Pace) { self.pace = pace }

  /// Notes that the callback has become out of date.
  func noteWake(at clock: SessionClock) {
    if case .debounced(let quiet) = pace { earliestRun = clock.elapsed() + quiet }
  }

  /// Notes that the callback is about to run.
  func noteRun(at clock: SessionClock) {
    if case .throttled(let interval) = pace { earliestRun = clock.elapsed() + interval }
  }
}
