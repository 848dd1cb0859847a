import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// State that can be accessed only under a lock. The lock may also guard other things.
///
/// Memory: some 350 bytes. The standard library's `Mutex` takes far less, but the thread sanitizer does not
/// see it, and reports accesses to the state as races.
@usableFromInline
package final class Lock<State>: @unchecked Sendable {
  /// Guards the state. A thread within ``withLock(_:)`` must not call it again, which would give it
  /// overlapping access to the state; see ``lend(_:)``.
  @usableFromInline let lock = RecursiveLock()
  /// The state is behind a pointer, because the lock already excludes overlapping accesses, and Swift's own
  /// check costs 5 ns.
  @usableFromInline let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  /// Creates a lock that is free.
  package init(_ state: sending State) { self.state.initialize(to: state) }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs the body under the lock.
  @inlinable @inline(__always)
  package func withLock<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T {
    lock.lock()
    defer { lock.unlock() }
    return try lend(body)
  }

  /// Runs the body on a thread that already holds the lock.
  @inline(__always)
  func underLock<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T {
    invariant(lock.isHeldByCurrentThread, "what is called under the lock holds it")
    return try lend(body)
  }

  /// Runs the body under the lock if no other thread holds it; otherwise returns nil at once.
  func withLockIfFree<T>(_ body: (inout State) -> T) -> T? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return lend(body)
  }

  /// Gives the state to the body, which may not ask for it again: two would change it at once.
  @inlinable @inline(__always)
  func lend<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T {
    #if REPLAY_CHECKS
      invariant(!isLent, "no thread has the state of a lock twice")
      isLent = true
      defer { isLent = false }
    #endif
    return try body(&state.pointee)
  }

  #if REPLAY_CHECKS
    @usableFromInline var isLent = false
  #endif
}

/// A recursive lock.
///
/// A session and its log share one, so that a recorded set takes one lock instead of two. Taking a free lock
/// costs two atomic exchanges, some 10 ns less than a recursive pthread mutex; taking it again costs a
/// comparison. A thread that finds it taken spins for a moment, then sleeps.
///
/// The code for taking and releasing a free lock is inlined into other modules.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
  /// The thread that holds the lock, or 0. The lowest bit, which is 0 in every thread's number, is set while
  /// other threads sleep.
  @usableFromInline let owner = Atomic<UInt>(0)
  /// The number of times that its thread has taken it again.
  @exclusivity(unchecked) @usableFromInline var depth = 0
  /// The state must not be empty, because the thread sanitizer takes a state without bytes for the first
  /// bytes of the object.
  private let sleepers = Monitor(false)

  @inlinable static var hasSleepers: UInt { 1 }

  /// Creates a lock that is free.
  package init() {}

  /// Takes the lock.
  @inlinable @inline(__always)
  package func lock() {
    let me = Self.currentThread
    if owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { return }
    lockAgainOrWait(me)
  }

  /// Takes the lock if no other thread holds it; returns whether it did.
  fileprivate func tryLock() -> Bool {
    let me = Self.currentThread
    if owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { return true }
    guard isHeldByCurrentThread else { return false }
    depth += 1
    return true
  }

  /// Undoes one ``lock()``.
  @inlinable @inline(__always)
  package func unlock() {
    invariant(isHeldByCurrentThread, "a lock is given back by the thread that holds it")
    if depth > 0 {
      depth -= 1
      return
    }
    if owner.exchange(0, ordering: .releasing) & Self.hasSleepers != 0 { wakeSleepers() }
  }

  /// Whether the calling thread, which must hold the lock, has taken it more than once.
  package var isTakenAgain: Bool {
    invariant(isHeldByCurrentThread, "only a thread that holds a lock asks whether it has taken it again")
    return depth > 0
  }

  /// Whether the calling thread holds the lock. Only this thread can have written its own number.
  @inlinable @inline(__always)
  package var isHeldByCurrentThread: Bool {
    owner.load(ordering: .relaxed) & ~Self.hasSleepers == Self.currentThread
  }

  /// Runs the body while holding the lock.
  @inline(__always)
  package func withLock<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  @usableFromInline @inline(never)
  func lockAgainOrWait(_ me: UInt) {
    if isHeldByCurrentThread {
      depth += 1
      return
    }
    for _ in 0..<100 where owner.load(ordering: .relaxed) == 0 {
      if owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { return }
    }
    // A thread that has slept takes the lock with the mark set, because other threads may still be sleeping.
    sleepers.wait { _ -> Void? in
      while true {
        let now = owner.load(ordering: .relaxed)
        if now == 0 {
          let mine = me | Self.hasSleepers
          if owner.compareExchange(expected: 0, desired: mine, ordering: .acquiring).exchanged { return () }
        } else if now & Self.hasSleepers != 0 {
          return nil
        } else {
          let marked = now | Self.hasSleepers
          if owner.compareExchange(expected: now, desired: marked, ordering: .relaxed).exchanged {
            return nil
          }
        }
      }
    }
  }

  @usableFromInline @inline(never)
  func wakeSleepers() { sleepers.withLock { _ in } }

  /// A number that no other living thread has.
  @inlinable @inline(__always)
  package static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
