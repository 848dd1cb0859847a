/// State behind a lock, which may be shared with others.
final class Lock<State>: @unchecked Sendable {
  /// Guards the state. Its owner must not take it again within ``withLock(_:)``: that hands out the state a second time.
  let lock = RecursiveLock()
  /// Behind a pointer, since the lock is what keeps accesses apart: checking it again costs 5 ns.
  private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

  init(_ state: sending State) { self.state.initialize(to: state) }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs the body under the lock.
  @inline(__always)
  func withLock<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state.pointee)
  }

  /// Runs the body, for who holds the lock already.
  @inline(__always)
  func underLock<T, E>(_ body: (inout State) throws(E) -> T) throws(E) -> T { try body(&state.pointee) }

  /// Runs the body under the lock if no other thread holds it, else returns nil at once.
  func withLockIfFree<T>(_ body: (inout State) -> T) -> T? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return body(&state.pointee)
  }
}
