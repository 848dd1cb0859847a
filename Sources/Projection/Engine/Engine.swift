import EventLog
import Invalidation
import Synchronization

/// What a session does: numbers and records events, drives the invalidation core, runs what is out of date.
///
/// All that is here is what needs no lock, and the ways under it. Everything mutable is in ``EngineState``, which can
/// be reached under the lock alone. The app's code (bodies, callbacks) always runs outside the lock, except while a
/// value of the app is encoded.
final class Engine: ObjectEncoding, ElementEncoding, @unchecked Sendable {
  /// The log's own lock where there is one.
  private let recursiveLock: RecursiveLock
  private let state: EngineState
  let clock: SessionClock
  /// The last event that touched the state.
  let lastChange = LastChange()
  /// The objects that the app has released, until the session looks at them.
  let departed = DepartedObjects()
  /// Atomic, because every access of an object reads it, also outside the lock.
  private let closed = Atomic<Bool>(false)
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// - Parameter elapsed: Nanoseconds of the log before this run of the app.
  init(delivery: Delivery, clock: SessionClock, log: LogWriter?, elapsed: UInt64 = 0) {
    Frame.prepare()
    self.clock = clock
    recursiveLock = log?.lock ?? RecursiveLock()
    state = EngineState(
      delivery: delivery, clock: clock, lastChange, log: log, elapsed: elapsed)
    state.engine = self
  }

  /// Makes all objects behave from now on as if they were attached to no session.
  func markClosed() { closed.store(true, ordering: .releasing) }

  /// Runs the body under the lock. The thread that has the lock may take it again.
  @inline(__always)
  func withLock<R>(_ body: (EngineState) throws -> R) rethrows -> R {
    recursiveLock.lock()
    defer { recursiveLock.unlock() }
    return try body(state)
  }

  /// Takes the lock, for code that gives it back in between, or that a closure would slow down. The state must not be
  /// used after ``unlock()``.
  @inline(__always)
  func lock() -> EngineState {
    recursiveLock.lock()
    return state
  }

  /// Undoes one ``lock()``.
  @inline(__always)
  func unlock() { recursiveLock.unlock() }

  /// Whether the calling thread, which must have the lock, has taken it more than once.
  var isTakenAgain: Bool { recursiveLock.isTakenAgain }

  /// Adds a diagnostic.
  func report(_ message: String) { withLock { $0.diagnostics.report(message) } }
}
