import EventLog
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// A process for tests to kill: it records known events, and prints how far it came.
@main
enum LogChild {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch arguments.count > 3 ? arguments[1] : "" {
    case "record": try record(arguments[2], seed: UInt64(arguments[3]) ?? 0)
    case "crash": try crash(arguments[2], how: arguments[3])
    case "exit": try leave(arguments[2], how: arguments[3])
    case "grow": try grow(arguments[2], Int(arguments[3]) ?? 0)
    default: say("usage: log-child record PATH SEED | crash PATH HOW | exit PATH HOW | grow PATH RATE\n")
    }
  }

  /// Records until it is killed. Prints `written N` or `synced N` when the writer has reported it.
  private static func record(_ path: String, seed: UInt64) throws {
    var options = LogOptions()
    options.blockEvents = 1 + Int(seed % 500)
    options.flushInterval = .milliseconds(2)
    let writer = try LogWriter(creating: path, options: options)
    let events = KnownEvents(seed: seed)
    for seq in 1... {
      try writer.append(events.event(UInt64(seq)))
      switch seq % 251 {
      case 0: try writer.ensure(.synced)
      case 10, 100: try writer.ensure(.written)
      default: continue
      }
      say("written \(writer.seq(.written))\nsynced \(writer.seq(.synced))\n")
    }
  }

  /// Records a run that grows: a fixed number of events a second until its input ends; or, if that number is
  /// missing, as many events as each number in its input says. Prints the last event in the file each time,
  /// and closes the log at the end.
  private static func grow(_ path: String, _ rate: Int) throws {
    var run = try GrowingRun(path, eventsPerSecond: rate > 0 ? rate : 100_000)
    try run.ensureWritten()
    say("\(run.seq)\n")
    if rate > 0 {
      let isOver = Lock(false)
      Thread {
        while readLine() != nil {}
        isOver.withLock { $0 = true }
      }.start()
      let (start, first) = (ContinuousClock.now, run.seq)
      while !isOver.withLock({ $0 }) {
        let due = first + UInt64((ContinuousClock.now - start) / .seconds(1) * Double(rate))
        while run.seq < due { try run.turn() }
        Thread.sleep(forTimeInterval: 0.005)
      }
    } else {
      while let count = readLine().flatMap({ UInt64($0) }) {
        let end = run.seq + count
        while run.seq < end { try run.turn() }
        try run.ensureWritten()
        say("\(run.seq)\n")
      }
    }
    try run.close()
    say("\(run.seq)\n")
  }

  /// Records a few events and exits without closing the log, like a program whose session is a global
  /// variable.
  private static func leave(_ path: String, how: String) throws {
    var options = LogOptions()
    options.flushInterval = .seconds(3600)
    let writer = try LogWriter(creating: path, options: options)
    let events = KnownEvents(seed: 1)
    for seq in 1...40 as ClosedRange<UInt64> { try writer.append(events.event(seq)) }
    kept = writer
    switch how {
    case "return": return
    case "thread":
      // Another thread continues; its appends must neither trap nor keep the process alive.
      Thread { for seq in 41...200_000 as ClosedRange<UInt64> { try? writer.append(events.event(seq)) } }
        .start()
      exit(0)
    default: exit(0)
    }
  }

  private nonisolated(unsafe) static var kept: LogWriter?

  /// Records in memory, prints the number of events, and crashes.
  private static func crash(_ path: String, how: String) throws {
    let recorder = try FlightRecorder(keeping: .seconds(3600), bytes: 64 << 10)
    try recorder.dumpOnCrash(to: path)
    let events = KnownEvents(seed: 1)
    let count: UInt64 = 20_000
    for seq in 1...count { try recorder.writer.append(events.event(seq)) }
    // Queued events may be lost on a busy machine, because the handler waits for them only for a while.
    try recorder.writer.ensure(.written)
    say("\(count)\n")
    switch how {
    case "segv": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    case "abort": abort()
    case "trap": fatalError("as asked")
    default: raise(Int32(how) ?? SIGBUS)
    }
  }

  private static func say(_ text: String) {
    let bytes = Array(text.utf8)
    if write(1, bytes, bytes.count) < 0 { exit(1) }
  }
}
