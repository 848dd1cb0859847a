/// The time of an app, which moves only when the person waits: an hour takes no time to record.
///
/// A log has real times. The world notes when time was passed over, and `Recording` puts it back into the log.
@MainActor final class World {
  /// A moment of the real clock at which this much time was passed over.
  struct Jump {
    let at: SuspendingClock.Instant
    let by: Duration
  }

  private struct Sleeper {
    let due: Duration
    let wake: CheckedContinuation<Void, Never>
  }

  private(set) var now = Duration.zero
  private(set) var jumps: [Jump] = []
  private var sleepers: [Sleeper] = []
  private var tasks: [Task<Void, Never>] = []
  private var busyTasks = 0
  private var hasEnded = false

  /// Starts a task of the app. It has the cause of the code that starts it, as any `Task` has.
  @discardableResult
  func start(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    busyTasks += 1
    let task = Task {
      await body()
      busyTasks -= 1
    }
    tasks.append(task)
    return task
  }

  /// Waits within a task that this world started. It is false if the task should end.
  func pause(_ duration: Duration) async -> Bool {
    if !hasEnded {
      busyTasks -= 1
      await withCheckedContinuation { sleepers.append(Sleeper(due: now + duration, wake: $0)) }
    }
    return !hasEnded && !Task.isCancelled
  }

  /// Lets the time go by, and wakes what falls due, one moment after the other.
  func wait(until moment: Duration, afterEachMoment draw: () -> Void) async {
    while let due = sleepers.map(\.due).min(), due <= moment {
      passOver(to: due)
      await wake(untilDue: due)
      draw()
    }
    passOver(to: moment)
  }

  /// Waits until every task has ended or sleeps.
  func settle() async {
    while busyTasks > 0 { await Task.yield() }
  }

  /// Ends all tasks.
  func end() async {
    hasEnded = true
    for task in tasks { task.cancel() }
    await wake(untilDue: .seconds(1_000_000))
    tasks = []
  }

  private func wake(untilDue moment: Duration) async {
    // In the order in which they began to sleep, so that a run can be repeated.
    let woken = sleepers.filter { $0.due <= moment }
    sleepers.removeAll { $0.due <= moment }
    for sleeper in woken {
      busyTasks += 1
      sleeper.wake.resume()
      await settle()
    }
  }

  private func passOver(to moment: Duration) {
    guard moment > now else { return }
    let clock = SuspendingClock()
    // Nothing happens around the jump, so it is certain which events of the log are after it.
    let before = clock.now
    let middle = before.advanced(by: .microseconds(60))
    let after = before.advanced(by: .microseconds(120))
    while clock.now < after {}
    jumps.append(Jump(at: middle, by: moment - now))
    now = moment
  }
}
