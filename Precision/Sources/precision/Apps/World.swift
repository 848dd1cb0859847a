import Projection

/// The time of an app, which moves only when the person waits: an hour takes no time to record.
///
/// The session has no clock for the times of its log but the system's. So the world marks in the log what time it is, and
/// `SimulatedLog` gives the events that time.
@MainActor final class World {
  private struct Sleeper {
    let due: Duration
    let wake: CheckedContinuation<Void, Never>
  }

  private let session: Session
  private(set) var now = Duration.zero
  private var sleepers: [Sleeper] = []
  private var tasks: [Task<Void, Never>] = []
  private var busyTasks = 0
  private var hasEnded = false

  init(_ session: Session) { self.session = session }

  /// The nanoseconds of the world's time that a mark says; nil if it is a mark of the app.
  nonisolated static func moment(ofMark label: String) -> UInt64? {
    label.hasPrefix(markPrefix) ? UInt64(label.dropFirst(markPrefix.count)) : nil
  }

  private nonisolated static let markPrefix = "the world's time: "

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
  func wait(until moment: Duration, afterEachMoment draw: () async -> Void) async {
    while let due = sleepers.map(\.due).min(), due <= moment {
      passOver(to: due)
      await wake(untilDue: due)
      await draw()
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
    now = moment
    session.mark("\(Self.markPrefix)\(now.nanoseconds)")
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
