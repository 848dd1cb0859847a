import EventLog
import Foundation
import ReplayAnalysis

/// Logs that are summarised at once by several threads, and taken in the order in which they were given.
final class SummaryWork: @unchecked Sendable {
  private let logs: [SummaryLog]
  private let fileSystem: any LogFileSystem
  /// How many may be done before the one that is taken next.
  private let ahead: Int
  private let timings: SummaryTimings?
  // All of these under the condition's lock.
  private let condition = NSCondition()
  private var next = 0
  private var taken = 0
  private var done: [Int: SummaryRows] = [:]
  private var isStopped = false

  /// - Parameter workers: How many threads.
  init(_ logs: [SummaryLog], in fileSystem: any LogFileSystem, workers: Int, _ timings: SummaryTimings? = nil)
  {
    self.logs = logs
    self.timings = timings
    self.fileSystem = fileSystem
    ahead = 2 * workers
    for _ in 0..<workers {
      let thread = Thread { [self] in work() }
      // As much as a main thread has: values nest.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  /// The next log and its rows; nil behind the last.
  func take() -> (log: SummaryLog, rows: SummaryRows)? {
    condition.lock()
    defer { condition.unlock() }
    guard taken < logs.count else { return nil }
    while true {
      if let rows = done.removeValue(forKey: taken) {
        taken += 1
        condition.broadcast()
        return (logs[taken - 1], rows)
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
      let rows = SummaryRows(of: logs[index], in: fileSystem, timings)
      timings?.readRows(of: logs[index], in: fileSystem)
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
  init(of log: SummaryLog, in fileSystem: any LogFileSystem, _ timings: SummaryTimings? = nil) {
    // A header may be whole where the rest is not.
    func identity() -> SessionIdentity? {
      (try? LogHeader(ofLogAt: log.path, in: fileSystem)).map { SessionIdentity($0) }
    }
    do {
      if log.isDuplicate {
        self.init(SummaryFailure(.duplicate), identity(), uri: log.path)
      } else {
        let source = try timings.measure(.opening) { try LogSource(path: log.path, in: fileSystem) }
        self = try timings.measure(.counting) { try SummaryRows(SessionSummary(source), uri: log.path) }
      }
    } catch { self.init(SummaryFailure(error), identity(), uri: log.path) }
  }
}
