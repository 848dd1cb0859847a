import EventLog
import Invalidation
import Synchronization

/// Does the work of a session: numbers and records events, drives the invalidation core, and runs what is out
/// of date.
///
/// This class has what needs no lock, and takes the lock. All mutable state is in ``EngineState``, which can
/// only be reached under the lock. The app's code (bodies, callbacks) always runs outside the lock, except
/// while a value of the app is encoded.
final class Engine: ObjectEncoding, ElementEncoding, @unchecked Sendable {
  /// The log's lock if there is a log.
  private let recursiveLock: RecursiveLock
  private let state: EngineState
  let clock: SessionClock
  /// A number that no other session of this process has.
  let number = AmbientCause.nextSession()
  /// The last event that changed the state.
  let lastChange = LastChange()
  /// The objects that the app has released and the session has not processed yet.
  let departed = DepartedObjects()
  /// Whether the app may have released objects that are followed.
  let followedEnd = Atomic<Bool>(false)
  /// Atomic, because every access of an object reads it, also outside the lock.
  private let closed = Atomic<Bool>(false)
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// - Parameter elapsed: The nanoseconds that the log covers before this run of the app.
  init(delivery: Delivery, clock: SessionClock, log: LogWriter?, elapsed: UInt64 = 0) {
    Frame.prepare()
    self.clock = clock
    recursiveLock = log?.lock ?? RecursiveLock()
    state = EngineState(
      delivery: delivery, clock: clock, lastChange, log: log, elapsed: elapsed)
    state.engine = self
  }

  /// Makes all objects behave as if they were attached to no session, from now on.
  func markClosed() { closed.store(true, ordering: .releasing) }

  /// Runs the body under the lock. A thread that holds the lock may take it again.
  @inline(__always)
  func withLock<R>(_ body: (EngineState) throws -> R) rethrows -> R {
    let state = lock()
    defer { recursiveLock.unlock() }
    return try body(state)
  }

  /// Takes the lock, for callers that release it in between or for which a closure would be too slow. The
  /// state must not be used after ``unlock()``.
  @inline(__always)
  func lock() -> EngineState {
    recursiveLock.lock()
    if state.core.openTransactions > 0 { state.selectStrand() }
    return state
  }

  /// Undoes one ``lock()``.
  @inline(__always)
  func unlock() { recursiveLock.unlock() }

  /// Whether the calling thread holds the lock.
  var isLocked: Bool { recursiveLock.isHeldByCurrentThread }

  /// Whether the calling thread, which must hold the lock, has taken it more than once.
  var isTakenAgain: Bool { recursiveLock.isTakenAgain }
}
