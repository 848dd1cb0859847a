/// A network whose answers come when the sample says so: each at its time, of those of one time the earlier request first.
///
/// It also runs the tasks of its actor, on the thread that lets time pass, so that a run takes the same course each time.
final class FakeNetwork: @unchecked Sendable {
  struct Failure: Error {}

  private struct Request {
    let due: Int
    let answer: CheckedContinuation<Void, any Error>
  }

  // All of this is used on one thread: tasks begin there, and prefer this executor wherever they are not on the actor.
  private var waiting: [Request] = []
  private var now = 0
  private var jobs: [UnownedJob] = []

  /// Waits for an answer.
  ///
  /// - Parameter milliseconds: How long it takes.
  /// - Throws: ``Failure`` if it is said to fail, and `CancellationError`.
  func request(taking milliseconds: Int, fails: Bool = false, on actor: isolated any Actor) async throws {
    try await withCheckedThrowingContinuation { answer in
      waiting.append(Request(due: now + milliseconds, answer: answer))
    }
    if fails { throw Failure() }
    try Task.checkCancellation()
  }

  /// Lets time pass, and hands over the answers that come in it.
  func pass(milliseconds: Int) {
    runJobs()
    now += milliseconds
    while let next = waiting.indices.filter({ waiting[$0].due <= now }).min(by: {
      (waiting[$0].due, $0) < (waiting[$1].due, $1)
    }) {
      waiting.remove(at: next).answer.resume()
      runJobs()
    }
  }

  private func runJobs() {
    while !jobs.isEmpty {
      jobs.removeFirst().runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }
}

extension FakeNetwork: SerialExecutor, TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// There is one thread that asks, and the actor is of that thread.
  func checkIsolated() {}
}
