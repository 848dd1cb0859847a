import EventLog
import Foundation
import ReplayAnalysis

/// Summarises logs on several threads, and returns the results in the order of the logs.
final class SummaryWork: @unchecked Sendable {
  private let logs: [SummaryLog]
  private let fileSystem: any LogFileSystem
  private let limits: ReadLimits?
  /// How many logs may be finished before the one that is returned next.
  private let ahead: Int
  private let timings: SummaryTimings?
  // The following properties are guarded by the condition's lock.
  private let condition = NSCondition()
  private var begun = 0
  private var returned = 0
  private var done: [Int: SummaryRows] = [:]
  private var isStopped = false

  /// - Parameter workers: The number of threads.
  init(
    _ logs: [SummaryLog], in fileSystem: any LogFileSystem, limits: ReadLimits? = .standard, workers: Int,
    _ timings: SummaryTimings? = nil
  ) {
    self.logs = logs
    self.timings = timings
    self.fileSystem = fileSystem
    self.limits = limits
    ahead = 2 * workers
    for _ in 0..<workers {
      let thread = Thread { [self] in work() }
      // The size of a main thread's stack, since values may be nested deeply.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  /// The rows of the next log. Must be called once for each log, and not after ``stop()``.
  func next() -> SummaryRows {
    condition.lock()
    defer { condition.unlock() }
    precondition(returned < logs.count, "the rows of all logs were taken")
    while true {
      if let rows = done.removeValue(forKey: returned) {
        returned += 1
        condition.broadcast()
        return rows
      }
      condition.wait()
    }
  }

  /// Ends each thread after its current log.
  func stop() {
    condition.lock()
    isStopped = true
    condition.broadcast()
    condition.unlock()
  }

  private func work() {
    while let index = begin() {
      let rows = SummaryRows(of: logs[index], in: fileSystem, limits: limits, timings)
      timings?.readRows(of: logs[index], in: fileSystem)
      condition.lock()
      done[index] = rows
      condition.broadcast()
      condition.unlock()
    }
  }

  /// The index of the next log to summarise; nil if there is none.
  private func begin() -> Int? {
    condition.lock()
    defer { condition.unlock() }
    while !isStopped, begun < logs.count, begun >= returned + ahead { condition.wait() }
    guard !isStopped, begun < logs.count else { return nil }
    begun += 1
    return begun - 1
  }
}

extension SummaryRows {
  /// Summarises a log; if that fails, creates the row that reports the failure.
  init(
    of log: SummaryLog, in fileSystem: any LogFileSystem, limits: ReadLimits? = .standard,
    _ timings: SummaryTimings? = nil
  ) {
    // The header may be intact even if the rest is not.
    func identity() -> SessionIdentity? {
      (try? LogHeader(ofLogAt: log.path, in: fileSystem, limits: limits)).map { SessionIdentity($0) }
    }
    do {
      if log.isDuplicate {
        self.init(SummaryFailure(.duplicate), identity(), uri: log.path)
      } else {
        let source = try timings.measure(.opening) {
          try LogSource(path: log.path, limits: limits, in: fileSystem)
        }
        self = try timings.measure(.counting) { try SummaryRows(SessionSummary(source), uri: log.path) }
      }
    } catch { self.init(SummaryFailure(error), identity(), uri: log.path) }
  }
}
