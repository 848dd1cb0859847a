import BenchSupport
import EventLog

/// One long recording to disk, as an app would make it, and the memory of the process meanwhile.
enum Sustained {
  static func run(events: Int) throws {
    print("\nrecord \(events.grouped) Int sets to disk, compression and checksums on")
    let file = try ScratchFile("sustained.evlog")
    let clock = ContinuousClock()
    var memory: [Int] = []
    let elapsed = try clock.measure {
      let writer = try LogWriter(creating: file.path)
      try writer.append(Workload.root, time: 0)
      let paths = try Workload.paths.map { path throws(LogError) in try writer.intern(path) }
      var workload = Workload()
      memory.append(residentBytes())
      for half in 0..<2 {
        for _ in events * half / 2..<events * (half + 1) / 2 {
          let step = workload.next()
          try writer.set(paths[step.path], .int(step.value), time: step.time)
        }
        memory.append(residentBytes())
      }
      try writer.close()
    }
    let log = try LogReader(path: file.path)
    guard log.eventCount == UInt64(events + 1), log.isClean else {
      throw BenchError("the log holds \(log.eventCount) of \(events) events")
    }
    let nanoseconds = elapsed.nanoseconds / Double(events)
    let millions = (1000 / nanoseconds).short
    print("  \(nanoseconds.short) ns an event, \(millions) million events a second, none dropped")
    print("  \((Double(file.byteCount) / Double(events)).short) bytes an event on disk")
    print("  resident MiB at the start, middle, end: \(memory.map { "\($0 >> 20)" }.joined(separator: ", "))")
  }
}
