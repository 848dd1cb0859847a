import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// State that can be accessed only under a lock. The lock may guard other things as well.
///
/// Cost: some 350 bytes. The standard library's `Mutex` takes hardly any, but the thread sanitizer does not see it, and
/// reports what it guards as races.
@usableFromInline
package final class Lock<State>: @unchecked Sendable {
  /// Guards the state. A thread that is within ``withLock(_:)`` must not call it again, which would give it the state a
  /// second time.
  @usableFromInline let lock = RecursiveLock()
  /// Behind a pointer, since the lock already excludes overlapping accesses: Swift's own check costs 5 ns.
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
    return try body(&state.pointee)
  }

  /// Runs the body on a thread that holds the lock already.
  @inline(__always)
  func underLock<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T { try body(&state.pointee) }

  /// Runs the body under the lock if no other thread holds it, else returns nil at once.
  func withLockIfFree<T>(_ body: (inout State) -> T) -> T? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return body(&state.pointee)
  }
}

/// A lock that its owner may take again.
///
/// A session and the log it records to share one, so that a recorded set takes one lock and not two. A free lock costs
/// two atomic exchanges, some 10 ns less than a recursive mutex of pthreads; taking it again costs a comparison. A
/// thread that finds it taken spins for a moment, then sleeps.
///
/// Taking and releasing a free one is inlined into other modules.
@usableFromInline
package final class RecursiveLock: @unchecked Sendable {
  /// The thread that has the lock, or 0. The lowest bit, which is 0 in every thread's number, is set while others sleep.
  @usableFromInline let owner = Atomic<UInt>(0)
  /// How often its thread has taken it again.
  @exclusivity(unchecked) @usableFromInline var depth = 0
  /// Its state must not be empty: the thread sanitizer takes a state without bytes for the object's own first bytes.
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

  /// Takes the lock if no other thread has it; returns whether it did.
  fileprivate func tryLock() -> Bool {
    let me = Self.currentThread
    if owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { return true }
    guard owner.load(ordering: .relaxed) & ~Self.hasSleepers == me else { return false }
    depth += 1
    return true
  }

  /// Undoes one ``lock()``.
  @inlinable @inline(__always)
  package func unlock() {
    if depth > 0 {
      depth -= 1
      return
    }
    if owner.exchange(0, ordering: .releasing) & Self.hasSleepers != 0 { wakeSleepers() }
  }

  /// Whether the calling thread, which must have the lock, has taken it more than once.
  package var isTakenAgain: Bool { depth > 0 }

  /// Runs the body while holding the lock.
  @inline(__always)
  package func withLock<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  @usableFromInline @inline(never)
  func lockAgainOrWait(_ me: UInt) {
    // Only this thread can have written its own number.
    if owner.load(ordering: .relaxed) & ~Self.hasSleepers == me {
      depth += 1
      return
    }
    for _ in 0..<100 where owner.load(ordering: .relaxed) == 0 {
      if owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { return }
    }
    // A thread that has slept takes the lock with the mark set, because others may still sleep.
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
