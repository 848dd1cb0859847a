import Foundation
import LogGenerator
import Testing

@testable import EventLog

/// A log of small blocks, and its content.
struct SmallLog {
  let file: TemporaryFile
  let bytes: [UInt8]
  let events: [Event]
  let blocks: [BlockInfo]
  let seed: UInt64

  /// - Parameter fit: Whether the events fit each other, as in a session.
  init(events count: Int, blockEvents: Int, fit: Bool = false) throws {
    seed = testSeed()
    var random = RandomEvents(seed: seed)
    var session = ValidSession(seed: seed)
    events = fit ? session.events(count) : random.events(count)
    file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: blockEvents))
    for event in events { try writer.append(event) }
    try writer.close()
    bytes = try file.bytes
    blocks = try LogReader(path: file.path).blocks
  }
}

@Suite struct TornLogTests {
  @Test func aCutAnywhereKeepsTheWholeBlocksBeforeIt() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    for cut in 0..<log.bytes.count {
      let file = MemoryFile(Array(log.bytes[..<cut]))
      let whole = log.blocks.filter { $0.endOffset <= UInt64(cut) }
      let reader: LogReader
      do { reader = try LogReader(file: file, path: "cut") } catch {
        #expect(whole.isEmpty, "seed \(log.seed) cut \(cut): \(error)")
        #expect(error.code == (cut == 0 ? .notALog : .torn))
        continue
      }
      #expect(reader.blocks == whole, "seed \(log.seed) cut \(cut)")
      #expect(!reader.isClean)
      let events = try reader.allEvents()
      #expect(events == Array(log.events.prefix(events.count)))
      #expect(events.count == whole.reduce(0) { $0 + $1.eventCount })
      let end = try #require(whole.last).endOffset
      #expect(reader.tornAt == (end == UInt64(cut) ? nil : end), "seed \(log.seed) cut \(cut)")
    }
  }

  @Test func noFlippedBitGivesOtherEvents() throws {
    let log = try SmallLog(events: 12, blockEvents: 5)
    let expected = exact(log.events)
    for bit in 0..<log.bytes.count * 8 {
      var bytes = log.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      var events: [Event] = []
      do {
        let reader = try LogReader(file: MemoryFile(bytes), path: "flipped")
        try reader.forEachEvent { events.append($0) }
        // Without an error all events must be there: the flip changed no event, or was in the seek table.
        #expect(
          reader.tornAt != nil || events.count == log.events.count, "seed \(log.seed) bit \(bit)")
      } catch {
        #expect(error is LogError)
      }
      #expect(events == Array(log.events.prefix(events.count)), "seed \(log.seed) bit \(bit)")
      if events.count == log.events.count { #expect(exact(events) == expected) }
    }
  }

  @Test func aDamagedBlockIsReportedWithTheSeqAtWhichGoodOnesContinue() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    var bytes = log.bytes
    bytes[Int(log.blocks[2].offset) + 30] ^= 0x10
    let reader = try LogReader(file: MemoryFile(bytes), path: "damaged", scanned: true)
    #expect(reader.blocks == Array(log.blocks[..<2]))
    guard case .damaged(let error, let resumesAt) = reader.tail else {
      Issue.record("seed \(log.seed): \(reader.tail)")
      return
    }
    #expect(error.code == .damaged)
    #expect(error.byteOffset == log.blocks[2].offset)
    #expect(resumesAt == log.blocks[3].offset)
    #expect(throws: LogError.self) { try reader.allEvents() }
  }

  @Test func aLostBlockIsDamageAndNotATornTail() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    var bytes = log.bytes
    bytes.removeSubrange(Int(log.blocks[2].offset)..<Int(log.blocks[2].endOffset))
    let reader = try LogReader(file: MemoryFile(bytes), path: "gap")
    guard case .damaged(_, let resumesAt) = reader.tail else {
      Issue.record("seed \(log.seed): \(reader.tail)")
      return
    }
    #expect(reader.eventCount == 8)
    #expect(resumesAt == log.blocks[2].offset)
  }

  @Test func anEndWithAnyBlockOfTheLogBehindItIsDamage() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    let copy = log.bytes[Int(log.blocks[1].offset)..<Int(log.blocks[1].endOffset)]
    let end = Int(log.blocks[3].offset) + 20
    let reader = try LogReader(file: MemoryFile(Array(log.bytes[..<end] + copy)), path: "copy")
    guard case .damaged(_, UInt64(end)) = reader.tail else {
      Issue.record("seed \(log.seed): \(reader.tail)")
      return
    }
    #expect(reader.eventCount == 16)
  }

  @Test func blocksOfAnotherLogAreRefused() throws {
    let (a, b) = (try SmallLog(events: 20, blockEvents: 8), try SmallLog(events: 20, blockEvents: 8))
    let end = Int(a.blocks[1].endOffset)
    let bytes = a.bytes[..<end] + b.bytes[Int(b.blocks[2].offset)...]
    let reader = try LogReader(file: MemoryFile(Array(bytes)), path: "mixed")
    #expect(reader.eventCount == 8)
    guard case .damaged(let error, nil) = reader.tail else {
      Issue.record("\(reader.tail)")
      return
    }
    #expect(error.message.contains("another log"))
  }

  @Test func zeroesAndGarbageBehindTheLastBlockAreATornTail() throws {
    let log = try SmallLog(events: 20, blockEvents: 8)
    let end = Int(try #require(log.blocks.last).endOffset)
    var random = SplitMix64(seed: log.seed)
    for tail in [
      [UInt8](repeating: 0, count: 5000), (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) },
    ] {
      let reader = try LogReader(file: MemoryFile(Array(log.bytes[..<end] + tail)), path: "tail")
      #expect(reader.tornAt == UInt64(end))
      #expect(try reader.allEvents().count == 20)
    }
  }

  @Test func aGrowingLogGivesEachBlockOnce() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    let file = MemoryFile(Array(log.bytes[..<Int(log.blocks[0].endOffset)]))
    var reader = try LogReader(file: file, path: "growing")
    var seen = reader.blocks
    for end in reader.blocks[0].endOffset...UInt64(log.bytes.count) {
      file.set(Array(log.bytes[..<Int(end)]))
      seen += try reader.refresh()
    }
    #expect(seen == log.blocks)
    #expect(reader.isClean)
  }

  @Test func aFileThatIsNoLogIsRefused() throws {
    for text in ["", "x", "{\"seq\":1}", String(repeating: "hello ", count: 1000)] {
      let error = #expect(throws: LogError.self) {
        try LogReader(file: MemoryFile(Array(text.utf8)), path: "text")
      }
      #expect(error?.code == (text.count == 1 ? .torn : .notALog))
    }
    let missing = #expect(throws: LogError.self) { try LogReader(path: "/nonexistent/x.evlog") }
    #expect(missing?.code == .io)
    #expect(missing?.errno == ENOENT)
  }
}
