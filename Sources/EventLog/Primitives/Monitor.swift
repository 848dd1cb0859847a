#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Waiting for changes, clocks and threads. This file contains all calls of pthreads except for the id of a
// thread, and their pointers.

/// State behind a lock, on whose changes threads can wait.
///
/// Every change wakes all waiting threads. Use it for things that happen once per block rather than once per
/// event.
final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs the body under the lock, then wakes all threads that wait for a change.
  func withLock<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&state)
  }

  /// Sleeps until the body, which runs under the lock, returns a result.
  func wait<T>(for body: (inout State) -> T?) -> T {
    wait { state -> Turn<T> in body(&state).map { .go($0) } ?? .wait }
  }

  /// Sleeps until the body returns a result. The body may request to run again at a time of
  /// ``monotonicNow()``, even without a change.
  func wait<T>(for body: (inout State) -> Turn<T>) -> T {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    while true {
      switch body(&state) {
      case .go(let result): return result
      case .wait: pthread_cond_wait(condition, mutex)
      case .waitUntil(let time): sleep(until: time)
      }
    }
  }

  private func sleep(until time: UInt64) {
    #if canImport(Darwin)
      let now = monotonicNow()
      let left = time > now ? time - now : 0
      var span = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
      pthread_cond_timedwait_relative_np(condition, mutex, &span)
    #else
      var moment = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
      pthread_cond_timedwait(condition, mutex, &moment)
    #endif
  }
}

/// The next action of a thread that waits on a ``Monitor``.
enum Turn<T> {
  case go(T)
  case wait
  case waitUntil(UInt64)
}

/// The time of a clock that never goes back, in nanoseconds.
func monotonicNow() -> UInt64 {
  clock_gettime_nsec(CLOCK_MONOTONIC)
}

/// The time in nanoseconds since 1970.
func wallClockNow() -> UInt64 {
  clock_gettime_nsec(CLOCK_REALTIME)
}

private func clock_gettime_nsec(_ clock: clockid_t) -> UInt64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
}

/// Runs the body on a new thread, where it may block. Returns false if the thread cannot be created.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = Unmanaged.passRetained(Box(body))
  #if canImport(Darwin)
    var thread: pthread_t?
    let result = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if result == 0, let thread { pthread_detach(thread) }
  #else
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    if result == 0 { pthread_detach(thread) }
  #endif
  if result != 0 { box.release() }
  return result == 0
}
