/// The times at which a session runs what is out of date.
public enum Delivery: Hashable, Sendable {
  /// After each outermost mutation or transaction.
  case immediate
  /// This long after the first change since the last flush, like the frames of a display. All changes in
  /// between are one transaction.
  ///
  /// The session waits in a task on its actor, which needs a chance to run: code that awaits nothing keeps it waiting. The next
  /// change on that actor then delivers what is overdue.
  case every(Duration)
  /// On each call of ``Session/flush(isolation:)``. All changes since the last flush are one transaction.
  case manual
}

/// The highest rate at which a callback is called, if it is not called for each change.
enum Pace: Hashable, Sendable {
  /// At most once per interval: at once for the first change, then at the end of each interval with changes.
  case throttled(Duration)
  /// Only after this much time without a change.
  case debounced(Duration)
}

/// The next time at which a callback with a pace may run. Guarded by the session's lock.
final class Pacing {
  private let pace: Pace
  /// The earliest time of the next run, by the session's clock.
  private(set) var earliestRun: Duration = .zero

  init(_ pace: Pace) { self.pace = pace }

  /// Records that the callback was invalidated.
  func markInvalidation(at clock: SessionClock) {
    if case .debounced(let quiet) = pace { earliestRun = clock.elapsed() + quiet }
  }

  /// Lets it run at once, unless it is invalidated again.
  func endDelay() { earliestRun = .zero }

  /// Records that the callback is about to run.
  func countRun(at clock: SessionClock) {
    if case .throttled(let interval) = pace { earliestRun = clock.elapsed() + interval }
  }
}
