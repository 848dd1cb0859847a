import Foundation

/// Work that goes on beside other work, on a thread of its own, until its result is asked for.
final class SideWork<Value: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  /// Under the lock of the condition.
  private var result: Result<Value, any Error>?

  init(_ body: @escaping @Sendable () throws -> Value) {
    let thread = Thread { [self] in
      let result = Result { try body() }
      condition.lock()
      self.result = result
      condition.broadcast()
      condition.unlock()
    }
    // As much as a main thread has: values nest.
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Waits for the end of the work.
  ///
  /// - Throws: What it threw.
  func value() throws -> Value {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result { return try result.get() }
      condition.wait()
    }
  }
}
