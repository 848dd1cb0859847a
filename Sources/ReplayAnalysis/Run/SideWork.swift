import Foundation

/// Work on a thread of its own, concurrent with other work, until its result is requested.
final class SideWork<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  /// Guarded by the condition's lock.
  private var result: Result<Value, any Error>?

  init(_ body: @escaping @Sendable () throws -> Value) {
    let thread = Thread { [self] in
      let result = Result { try body() }
      condition.lock()
      self.result = result
      condition.broadcast()
      condition.unlock()
    }
    // The size of a main thread's stack, since values may be nested deeply.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Waits for the end of the work, and returns its result.
  ///
  /// - Throws: What the work threw.
  func value() throws -> Value {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result { return try result.get() }
      condition.wait()
    }
  }
}
