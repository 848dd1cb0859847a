import Foundation

@testable import EventLog

/// Tries many faults on all cores, until the time is up or one of them breaks a promise.
struct EveryFault {
  let name: String
  let count: Int
  /// Tries one fault; throws a description of the error.
  let attempt: @Sendable (Int) throws -> Void

  struct Outcome {
    /// All faults before this one were tried.
    var end: Int
    /// The first fault that broke a promise, and the error.
    var failure: (index: Int, reason: String)?
  }

  private static let step = 256

  /// Prints the progress now and then: a fault that kills the process is one of the next.
  func run(from start: Int, until deadline: ContinuousClock.Instant) -> Outcome {
    let next = Lock(start)
    let outcome = Lock(Outcome(end: start))
    let spoken = Lock(ContinuousClock.now)
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      while ContinuousClock.now < deadline, outcome.withLock({ $0.failure == nil }) {
        let first = next.withLock { next in
          defer { next += Self.step }
          return next
        }
        if first >= count { return }
        for index in first..<min(first + Self.step, count) {
          do { try attempt(index) } catch {
            outcome.withLock { outcome in
              if outcome.failure == nil || index < outcome.failure!.index {
                outcome.failure = (index, "\(error)")
              }
            }
            return
          }
        }
        outcome.withLock { $0.end = max($0.end, min(first + Self.step, count)) }
        let isTime = spoken.withLock { last in
          guard ContinuousClock.now - last > .seconds(10) else { return false }
          last = .now
          return true
        }
        if isTime { Torture.say("  \(name): at \(first) of \(count)") }
      }
    }
    return outcome.withLock { $0 }
  }
}
