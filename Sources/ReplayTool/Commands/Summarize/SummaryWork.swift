import EventLog
import Foundation
import ReplayAnalysis

/// Logs that are summarised at once by several threads, and taken in the order in which they were given.
final class SummaryWork: @unchecked Sendable {
  private let logs: [String]
  /// How many may be done before the one that is taken next.
  private let ahead: Int
  // All of these under the condition's lock.
  private let condition = NSCondition()
  private var next = 0
  private var taken = 0
  private var done: [Int: SummaryRows] = [:]
  private var isStopped = false

  /// - Parameter workers: How many threads.
  init(_ logs: [String], workers: Int) {
    self.logs = logs
    ahead = 2 * workers
    for _ in 0..<workers {
      let thread = Thread { [self] in work() }
      // As much as a main thread has: values nest.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  /// The rows of the next log; nil behind the last.
  func take() -> SummaryRows? {
    condition.lock()
    defer { condition.unlock() }
    guard taken < logs.count else { return nil }
    while true {
      if let rows = done.removeValue(forKey: taken) {
        taken += 1
        condition.broadcast()
        return rows
      }
      condition.wait()
    }
  }

  /// Ends the threads after the logs that they are at.
  func stop() {
    condition.lock()
    isStopped = true
    condition.broadcast()
    condition.unlock()
  }

  private func work() {
    while let index = begin() {
      let rows = SummaryRows(log: logs[index])
      condition.lock()
      done[index] = rows
      condition.broadcast()
      condition.unlock()
    }
  }

  /// The index of the log to go on with; nil where there is none.
  private func begin() -> Int? {
    condition.lock()
    defer { condition.unlock() }
    while !isStopped, next < logs.count, next >= taken + ahead { condition.wait() }
    guard !isStopped, next < logs.count else { return nil }
    next += 1
    return next - 1
  }
}

extension SummaryRows {
  /// Those of a log, or that it cannot be read.
  init(log path: String) {
    // A header may be whole where the rest is not.
    func identity() -> SessionIdentity? { (try? LogHeader(ofLogAt: path)).map { SessionIdentity($0) } }
    do {
      let log = try LogSource(path: path)
      self = try SummaryRows(SessionSummary(log), uri: path)
    } catch let error as LogError {
      self.init(failed: error.code.rawValue, error.description, identity(), uri: path)
    } catch {
      let code = error is AnalysisError ? "misfit" : "too-large"
      self.init(failed: code, "\(error)", identity(), uri: path)
    }
  }
}
