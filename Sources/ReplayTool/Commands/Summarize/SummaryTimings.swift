import EventLog
import Foundation
import ReplayAnalysis

/// The time that each part of `summarize` takes, and for comparison the time to read the same logs without
/// counting. `make bench-summarize` prints it.
final class SummaryTimings: @unchecked Sendable {
  enum Part: String, CaseIterable {
    /// Reading headers, indices and the first blocks.
    case opening
    /// One pass over all rows to count them, and making the rows of the tables.
    case counting
    /// Writing the tables to disk.
    case writing
    /// Opening and reading the same logs row by row. This is not part of `summarize`.
    case reading = "reading every row"
  }

  private let lock = NSLock()
  private let start = DispatchTime.now().uptimeNanoseconds
  private var taken: [Part: UInt64] = [:]
  private var events = 0

  /// Runs the work, and adds the CPU time of this thread.
  func measure<Result>(_ part: Part, _ work: () throws -> Result) rethrows -> Result {
    let start = Self.threadTime
    defer {
      let time = Self.threadTime - start
      lock.withLock { taken[part, default: 0] += time }
    }
    return try work()
  }

  /// Reads every row of a log, up to the first that cannot be read.
  func readRows(of log: SummaryLog, in fileSystem: any LogFileSystem) {
    let count = measure(.reading) {
      var count = 0
      try? LogReader(path: log.path, in: fileSystem).forEachBlock { _, rows in
        var row = EventLog.Row()
        while try rows.next(&row) { count += 1 }
      }
      return count
    }
    lock.withLock { events += count }
  }

  /// A line for each part, and one for the total.
  var lines: [String] {
    lock.withLock {
      let reading = Double(taken[.reading] ?? 0)
      let parts = Part.allCases.filter { $0 != .reading }
      let all = parts.reduce(0) { $0 + Double(taken[$1] ?? 0) }
      func line(_ name: String, _ time: Double) -> String {
        let each = time / Double(max(1, events))
        let share = 100 * time / max(1, all)
        return name + String(format: " %.1f s, %.0f ns an event, %.1f %%", time / 1e9, each, share)
      }
      let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start)
      return parts.map { line($0.rawValue, Double(taken[$0] ?? 0)) } + [
        line("all of it", all), line(Part.reading.rawValue, reading),
        String(
          format: "%.2f times the time of reading every row; %d events; %.2f cores busy; %d MiB at most",
          all / max(1, reading), events, (all + reading) / elapsed, Self.peakBytes >> 20),
      ]
    }
  }

  private static var threadTime: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static var peakBytes: Int {
    var usage = rusage()
    // 0 is `RUSAGE_SELF`, this process. The type of the constant differs between systems.
    getrusage(0, &usage)
    #if canImport(Darwin)
      return usage.ru_maxrss
    #else
      return usage.ru_maxrss << 10
    #endif
  }
}

extension SummaryTimings? {
  /// Runs the work, and measures it unless nil.
  func measure<Result>(_ part: SummaryTimings.Part, _ work: () throws -> Result) rethrows -> Result {
    if let self { return try self.measure(part, work) }
    return try work()
  }
}
