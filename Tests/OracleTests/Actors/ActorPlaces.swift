import Foundation
import Synchronization

/// Where code of a program runs: an actor as most are, two with a queue of their own, and the main actor.
///
/// Code may wait, while its thread does nothing else, only for code at a later place. So no two wait for each other.
enum ActorPlace: Int, CaseIterable, Sendable {
  case attic, kitchen, cellar, main

  var name: String { "\(self)" }

  var actor: any Actor {
    switch self {
    case .attic: Attic.shared
    case .kitchen: Kitchen.shared
    case .cellar: Cellar.shared
    case .main: MainActor.shared
    }
  }

  /// Whether the current code runs there. It never traps, so a program that runs code elsewhere goes on.
  var isCurrent: Bool {
    switch self {
    case .attic: isCurrentExecutor(Attic.shared.unownedExecutor)
    case .kitchen: Kitchen.shared.executor.isCurrent
    case .cellar: Cellar.shared.executor.isCurrent
    case .main: MainQueue.isCurrent
    }
  }

  /// Whether code there is run by a queue, and so goes on when the threads that tasks share all wait.
  var hasQueue: Bool { self != .attic }

  /// Starts a task there, which carries what the current code belongs to, unless it is detached.
  @discardableResult
  func task(
    detached: Bool = false, _ body: @escaping @Sendable (isolated any Actor) async -> Void
  ) -> Task<Void, Never> {
    let job: @isolated(any) @Sendable () async -> Void =
      switch self {
      case .attic: { @Attic in await body(Attic.shared) }
      case .kitchen: { @Kitchen in await body(Kitchen.shared) }
      case .cellar: { @Cellar in await body(Cellar.shared) }
      case .main: { @MainActor in await body(MainActor.shared) }
      }
    return detached ? Task.detached(operation: job) : Task(operation: job)
  }

  /// Has the queue of the actor run code, in no task. An actor without one runs it in a detached task.
  func dispatch(_ body: @escaping @Sendable (isolated any Actor) -> Void) {
    switch self {
    case .attic: Task.detached { @Attic in body(Attic.shared) }
    case .kitchen: Kitchen.shared.executor.queue.async { Kitchen.shared.assumeIsolated { body($0) } }
    case .cellar: Cellar.shared.executor.queue.async { Cellar.shared.assumeIsolated { body($0) } }
    case .main: DispatchQueue.main.async { MainActor.assumeIsolated { body(MainActor.shared) } }
    }
  }
}

@globalActor actor Attic {
  static let shared = Attic()
}

@globalActor actor Kitchen {
  static let shared = Kitchen()
  nonisolated let executor = PlaceExecutor("kitchen")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

@globalActor actor Cellar {
  static let shared = Cellar()
  nonisolated let executor = PlaceExecutor("cellar")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

private let queueName = DispatchSpecificKey<String>()

/// Runs the code of an actor on a queue, by which that code can be told.
final class PlaceExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(_ name: String) {
    queue = DispatchQueue(label: name)
    queue.setSpecific(key: queueName, value: name)
  }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: queueName) == queue.label }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

private enum MainQueue {
  private static let isNamed: Void = DispatchQueue.main.setSpecific(key: queueName, value: "main")

  static var isCurrent: Bool {
    isNamed
    return DispatchQueue.getSpecific(key: queueName) == "main"
  }
}

/// What the runtime asks to know whether code is on an actor. The library's own functions trap if it is not.
private typealias ExecutorCheck =
  @convention(c) (_ identity: UInt, _ table: UInt, _ flags: UInt64) -> Bool

private let executorCheck = dlsym(nil, "swift_task_isCurrentExecutorWithFlags").map {
  unsafeBitCast($0, to: ExecutorCheck.self)
}

/// Whether the current code is in a job of an executor; true where the runtime cannot be asked.
private func isCurrentExecutor(_ executor: UnownedSerialExecutor) -> Bool {
  let (identity, table) = unsafeBitCast(executor, to: (UInt, UInt).self)
  return executorCheck?(identity, table, 0) ?? true
}

/// Opened once by one thread, for another that waits with all that it holds.
struct ActorGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits; false if nobody has opened it in all the time that a program can take.
  func wait() -> Bool { semaphore.wait(timeout: .now() + .seconds(3_600)) == .success }
}
