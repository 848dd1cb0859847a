import Foundation

@testable import EventLog

/// Tries all of many faults, on all cores, until the time is up or one is found that does harm.
struct EveryFault {
  let name: String
  let count: Int
  /// Throws what is wrong with one of them.
  let attempt: @Sendable (Int) throws -> Void

  struct Outcome {
    /// Those before it were tried, all from the start on.
    var end: Int
    /// The first that did harm, and what it did.
    var failure: (index: Int, reason: String)?
  }

  private static let step = 256

  /// Says now and then how far it is: a fault that kills the process is the next one or soon after.
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
