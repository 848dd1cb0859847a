import Foundation
import LogGenerator
import Testing

@testable import EventLog

@Suite struct CompactionTests {
  @Test func theEventsAreTheSameToTheBit() throws {
    let seed = testSeed()
    var random = RandomEvents(seed: seed)
    let events = random.events(3_000)
    let (log, small) = (try TemporaryFile(), try TemporaryFile())
    var options = LogOptions(blockEvents: 100)
    options.program = "app"
    options.metadata = ["run": "7"]
    let writer = try LogWriter(creating: log.path, options: options)
    for event in events { try writer.append(event) }
    try writer.close()
    let before = try log.bytes

    let result = try LogCompaction.run(log.path, to: small.path)
    #expect(try log.bytes == before)
    #expect(result.events == 3_000 && result.loss == nil)
    #expect(result.bytesAfter < result.bytesBefore)
    let reader = try LogReader(path: small.path)
    #expect(reader.isClean && reader.byteCount == result.bytesAfter)
    #expect(reader.header.program == "app" && reader.header.metadata == ["run": "7"])
    #expect(try reader.header.created == LogReader(path: log.path).header.created)
    #expect(exact(try reader.allEvents()) == exact(events), "seed \(seed)")
  }

  @Test func aLogInPlaceIsKeptUnderAnotherName() throws {
    let file = try TemporaryFile()
    try Self.write(file.path, events: 500)
    let (before, old) = (try file.bytes, LogPath(file.path).inserting("old"))
    let result = try LogCompaction.replace(file.path, keepingOldAs: old)
    #expect(result.bytesAfter == UInt64(try file.bytes.count))
    #expect([UInt8](try Data(contentsOf: URL(filePath: old))) == before)
    #expect(try LogReader(path: file.path).eventCount == 500)
    // Both names are taken now, so nothing is overwritten.
    #expect(throws: LogError.self) { try LogCompaction.replace(file.path, keepingOldAs: old) }
    #expect(throws: LogError.self) { try LogCompaction.run(file.path, to: old) }
    #expect(Self.names(beside: file.path) == ["run.evlog", "run.old.evlog"])
  }

  @Test func aLogThatIsBeingWrittenIsNotReplaced() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path)
    #expect(throws: LogError.self) {
      try LogCompaction.replace(file.path, keepingOldAs: LogPath(file.path).inserting("old"))
    }
    try writer.close()
    #expect(Self.names(beside: file.path) == ["run.evlog"])
  }

  @Test func lossesOfATornLogAreReported() throws {
    let file = try TemporaryFile()
    try Self.write(file.path, events: 500)
    let whole = try LogReader(path: file.path)
    let last = try #require(whole.blocks.last)
    try file.write(Array(try file.bytes.prefix(Int(last.offset) + 20)))
    let output = LogPath(file.path).inserting("compact")
    let result = try LogCompaction.run(file.path, to: output)
    let loss = try #require(result.loss)
    #expect(loss.firstLost == last.firstSeq && loss.reason != nil)
    #expect(result.events == last.firstSeq - 1)
    #expect(try LogReader(path: output).isClean)
  }

  private static func write(_ path: String, events: Int) throws {
    let writer = try LogWriter(creating: path, options: LogOptions(blockEvents: 100))
    for event in CheckpointBlockTests.events(events, seed: 1) { try writer.append(event) }
    try writer.close()
  }

  private static func names(beside path: String) -> [String] {
    ((try? SystemFileSystem().names(in: LogPath(path).directory)) ?? []).sorted()
  }
}
