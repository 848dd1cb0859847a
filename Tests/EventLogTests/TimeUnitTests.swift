import LogGenerator
import Testing

@testable import EventLog

@Suite struct TimeUnitTests {
  private let path = Path(root: .named("store"), components: [.property("count")])

  @Test func timesAreKeptToTheMicrosecondAndDurationsToThreeDigits() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "coarse")
    for duration: UInt64 in [77, 12_345, .max] {
      try writer.append(
        .evaluate(projection: "P", duration: duration, changed: nil), time: 1_234_567 &+ duration)
    }
    try writer.close()
    let events = try LogReader(file: file, path: "coarse").allEvents()
    #expect(events.map(\.time) == [1_234_000, 1_246_000, 1_234_000])
    let durations = events.map { event in
      if case .evaluate(_, let duration, _, _, _) = event.body { duration } else { 0 as UInt64 }
    }
    #expect(durations == [77, 12_300, 18_400_000_000_000_000_000])
  }

  @Test func everyWayToAppendKeepsTheSameTime() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "ways")
    var projection = LogWriter.LoggedName("P")
    let time: UInt64 = 5_999
    try writer.append(Event(seq: 1, time: time, body: .set(path, 1, sameValue: false)))
    try writer.append(.set(path, "text", sameValue: false), time: time)
    try writer.set(writer.intern(path), 2, time: time)
    try writer.lock.withLock {
      _ = try writer.setUnderLock(writer.logged(path), 4, sameValue: false, time: time, cause: nil)
      try writer.appendInvalidate(&projection, by: 4, time: time)
      try writer.appendInvalidate(&projection, causes: [3, 4], time: time)
      try writer.appendEvaluate(&projection, duration: 1_239, changed: true, time: time)
    }
    try writer.append(.mark(label: "m"), time: time, origin: Origin(thread: "main"))
    try writer.close()
    let events = try LogReader(file: file, path: "ways").allEvents()
    #expect(events.map(\.time) == Array(repeating: 5_000, count: 8))
    #expect(events[6].body == .evaluate(projection: "P", duration: 1_240, changed: true))
  }

  @Test func nanosecondsAreKeptOnRequest() throws {
    let file = MemoryFile()
    var options = LogOptions()
    options.timeUnit = .nanoseconds
    let writer = try LogWriter(file: file, path: "fine", options: options)
    let body = Event.Body.evaluate(projection: "P", duration: 123_456_789, changed: false)
    try writer.append(body, time: 1_234_567)
    try writer.close()
    let event = try #require(try LogReader(file: file, path: "fine").allEvents().first)
    #expect(event == Event(seq: 1, time: 1_234_567, body: body))
  }

  @Test(
    arguments: [
      (0, 0), (999, 999), (1_000, 1_000), (1_004, 1_000), (1_005, 1_010), (12_345, 12_300), (12_350, 12_400),
      (99_949, 99_900), (99_950, 100_000), (999_500, 1_000_000), (123_456_789, 123_000_000),
      (UInt64.max, 18_400_000_000_000_000_000),
    ] as [(UInt64, UInt64)])
  func durationsAreRoundedToTheNearest(duration: UInt64, kept: UInt64) {
    #expect(LogOptions.TimeUnit.microseconds.duration(duration) == kept)
    #expect(LogOptions.TimeUnit.microseconds.duration(kept) == kept)
    #expect(LogOptions.TimeUnit.nanoseconds.duration(duration) == duration)
  }

  @Test func timesThatDoNotGoBackDoNotGoBackInTheLog() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "ticks", options: LogOptions(timeUnit: .microseconds))
    var (time, times): (UInt64, [UInt64]) = (0, [])
    for _ in 0..<2_000 {
      time += UInt64.random(in: 0...3_000, using: &random)
      times.append(time)
      try writer.append(.mark(label: "tick"), time: time)
    }
    try writer.close()
    let kept = try LogReader(file: file, path: "ticks").allEvents().map(\.time)
    #expect(kept == kept.sorted(), "seed \(seed)")
    #expect(zip(kept, times).allSatisfy { $0 <= $1 && $1 - $0 < 1_000 }, "seed \(seed)")
  }

  @Test func aClockGoesOnWhereALogEnds() {
    let coarse = LogOptions.TimeUnit.microseconds
    for (time, next) in [(0, 0), (1, 1_000), (999, 1_000), (1_000, 1_000), (.max, .max)] as [(UInt64, UInt64)]
    {
      #expect(coarse.time(notBefore: time) == next)
      #expect(LogOptions.TimeUnit.nanoseconds.time(notBefore: time) == time)
    }
  }

  /// Three digits of every gap are noise, which takes somewhat more than a byte.
  @Test func digitsOfTimesThatAreNotKeptTakeNoBytes() throws {
    var bytes: [LogOptions.TimeUnit: Int] = [:]
    for unit in [LogOptions.TimeUnit.microseconds, .nanoseconds] {
      var random = SplitMix64(seed: 1)
      let file = MemoryFile()
      let writer = try LogWriter(file: file, path: "typing", options: LogOptions(timeUnit: unit))
      let count = try writer.intern(path)
      var time: UInt64 = 0
      for number in 0..<4_096 {
        time += UInt64.random(in: 60_000_000..<300_000_000, using: &random)
        try writer.set(count, .int(Int64(number)), time: time)
      }
      try writer.close()
      bytes[unit] = file.bytes.count
    }
    let (coarse, fine) = (bytes[.microseconds] ?? 0, bytes[.nanoseconds] ?? 0)
    #expect(coarse > 0 && fine - coarse > 4_096, "\(coarse) and \(fine) bytes")
  }
}

extension LogOptions {
  fileprivate init(timeUnit: TimeUnit) {
    self.init(blockEvents: 4_096)
    self.timeUnit = timeUnit
  }
}
