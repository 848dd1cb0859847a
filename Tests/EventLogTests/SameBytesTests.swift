import Foundation
import LogGenerator
import Testing

@testable import EventLog

/// A log that is made from a file depends only on that file and the options: it is written on the caller's
/// thread, without a clock.
@Suite struct SameBytesTests {
  @Test func theSameEventsGiveTheSameBytes() throws {
    let seed = testSeed()
    var random = RandomEvents(seed: seed)
    let events = random.events(1_000)
    let (a, b, c) = (try TemporaryFile(), try TemporaryFile(), try TemporaryFile())
    try write(events, to: a.path)
    try write(events, to: b.path)
    #expect(try a.bytes == b.bytes, "seed \(seed)")
    let log = try LogReader(path: a.path)
    #expect(log.isClean && log.header.program == "test" && log.header.created == 0 && log.header.salt != 0)
    #expect(exact(try log.allEvents()) == exact(events), "seed \(seed)")
    // Different times give a different log.
    try write(
      events.map { event in
        var event = event
        event.time &+= 1
        return event
      }, to: c.path)
    #expect(try LogReader(path: c.path).header.salt != log.header.salt)
  }

  @Test func aLogWithoutEventsIsWrittenAndRead() throws {
    let (a, b) = (try TemporaryFile(), try TemporaryFile())
    try write([], to: a.path)
    try write([], to: b.path)
    #expect(try a.bytes == b.bytes)
    let log = try LogReader(path: a.path)
    #expect(log.isClean && log.eventCount == 0 && log.header.salt != 0)
  }

  @Test func anUnfinishedLogLeavesNothing() throws {
    let file = try TemporaryFile()
    do {
      var writer = try LogRewriter(file.path, replacing: true, program: "test")
      try writer.append(Event(seq: 1, time: 0, body: .mark(label: "x")))
    }
    #expect(try SystemFileSystem().names(in: LogPath(file.path).directory) == [])
  }

  @Test func rewritingALogGivesTheSameBytesEachTime() throws {
    let seed = testSeed()
    let (log, _) = try CutTests.log(900, seed: seed)
    let other = try CutTests.log(300, seed: seed &+ 1).0
    func twice(_ name: String, _ make: (String) throws -> Void) throws -> LogHeader {
      let outputs = ["a.\(name)", "b.\(name)"].map { LogPath(log.path).inserting($0) }
      for output in outputs { try make(output) }
      #expect(try bytes(outputs[0]) == bytes(outputs[1]), "\(name), seed \(seed)")
      return try LogReader(path: outputs[0]).header
    }
    let source = try LogReader(path: log.path).header
    let compact = try twice("compact") { _ = try LogCompaction.run(log.path, to: $0) }
    #expect(compact.salt != source.salt && compact.created == source.created)
    // A part has the salt of the whole log.
    let part = try twice("part") { _ = try cut(from: 200, to: 600).run(log.path, to: $0) }
    #expect(part == source)
    var salts = [source.salt, compact.salt]
    for (number, text) in ["store.text", "store.n"].enumerated() {
      for from: UInt64 in [1, 300] {
        var filter = cut(from: from, to: 800)
        filter.paths = [try PathPattern(parsing: text)]
        salts.append(try twice("filter\(number).\(from)") { _ = try filter.run(log.path, to: $0) }.salt)
      }
    }
    for prefixes in [["a_", "b_"], ["c_", "b_"]] {
      let merged = try twice("merge\(prefixes[0])") {
        _ = try LogMerge.run([log.path, other.path], to: $0, prefixes: prefixes)
      }
      salts.append(merged.salt)
    }
    // Events have different numbers in each of these.
    #expect(Set(salts).count == salts.count)
  }

  @Test func partsGiveTheSameBytesInAnyOrder() throws {
    let (log, events) = try CutTests.log(600, seed: 3)
    let parts = try [(1, 250), (200, 420), (421, 600)].enumerated().map { number, range in
      let path = LogPath(log.path).inserting("part\(number)")
      _ = try cut(from: UInt64(range.0), to: UInt64(range.1)).run(log.path, to: path)
      return path
    }
    var wholes: [[UInt8]] = []
    for (number, order) in [[0, 1, 2], [2, 0, 1], [1, 2, 0]].enumerated() {
      let path = LogPath(log.path).inserting("whole\(number)")
      _ = try LogMerge.run(order.map { parts[$0] }, to: path)
      wholes.append(try bytes(path))
      #expect(try LogReader(path: path).allEvents() == events)
    }
    #expect(wholes[0] == wholes[1] && wholes[0] == wholes[2])
  }

  @Test func packedPartsAreStillPartsOfOneRecording() throws {
    let (log, events) = try CutTests.log(600, seed: 4)
    let packed = try [(1, 300), (301, 600)].map { range in
      let path = LogPath(log.path).inserting("part\(range.0)")
      _ = try cut(from: UInt64(range.0), to: UInt64(range.1)).run(log.path, to: path)
      _ = try LogCompaction.run(path, to: LogPath(path).inserting("compact"))
      return LogPath(path).inserting("compact")
    }
    let whole = LogPath(log.path).inserting("whole")
    #expect(try LogMerge.run(packed, to: whole).recordings == 1)
    #expect(try LogReader(path: whole).allEvents() == events)
  }

  @Test func aRecordingThatDoesNotSayWhenItBeganBeginsWithTheOthers() throws {
    let (recorded, made) = (try TemporaryFile(), try TemporaryFile())
    let writer = try LogWriter(creating: recorded.path)
    for time: UInt64 in [1_000, 5_000] { try writer.append(.mark(label: "recorded"), time: time) }
    try writer.close()
    try write(
      [2_000, 6_000].enumerated().map {
        Event(seq: UInt64($0) + 1, time: $1, body: .mark(label: "made"))
      }, to: made.path)
    let both = LogPath(made.path).inserting("both")
    _ = try LogMerge.run([made.path, recorded.path], to: both)
    let merged = try LogReader(path: both)
    #expect(try merged.allEvents().map(\.time) == [1_000, 2_000, 5_000, 6_000])
    #expect(try merged.header.created == LogReader(path: recorded.path).header.created)
  }

  private func write(_ events: [Event], to path: String) throws {
    var writer = try LogRewriter(path, replacing: false, program: "test")
    for event in events { try writer.append(event) }
    try writer.finish()
  }

  private func cut(from: UInt64, to: UInt64) -> LogCut {
    var cut = LogCut()
    cut.from = .seq(from)
    cut.to = .seq(to)
    return cut
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }
}
