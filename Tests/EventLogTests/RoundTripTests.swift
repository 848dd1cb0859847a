import EventLog
import LogGenerator
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: [1, 2, 7, 100, 4096]) func everyEventComesBackBitForBit(blockEvents: Int) throws {
    let seed = testSeed()
    var random = RandomEvents(seed: seed)
    let events = random.events(600)
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: blockEvents))
    for event in events { try writer.append(event) }
    try writer.close()

    let log = try LogReader(path: file.path)
    #expect(log.isClean)
    #expect(log.eventCount == 600)
    #expect(exact(try log.allEvents()) == exact(events), "seed \(seed)")
    var blockwise: [Event] = []
    for block in log.blocks.reversed() { blockwise = try log.events(in: block) + blockwise }
    #expect(blockwise == events, "seed \(seed)")
  }

  @Test func readingFromASeqOnSkipsWhatIsBefore() throws {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path, options: LogOptions(blockEvents: 4))
    for _ in 0..<10 { try writer.append(.end, time: 0) }
    try writer.close()
    let log = try LogReader(path: file.path)
    for first in UInt64(0)...12 {
      var seqs: [UInt64] = []
      try log.forEachEvent(from: first) { seqs.append($0.seq) }
      #expect(seqs == Array(max(first, 1)..<max(first, 11)))
      let block = log.block(containing: first)
      #expect(block?.firstSeq == [1: 1, 2: 1, 3: 1, 4: 1, 5: 5, 6: 5, 7: 5, 8: 5, 9: 9, 10: 9][first])
    }
  }

  @Test func theHeaderComesBack() throws {
    let file = try TemporaryFile()
    var options = LogOptions()
    options.program = "Demo \"app\"\n"
    options.metadata = ["run": "7", "ü": "\u{1}"]
    try LogWriter(creating: file.path, options: options).close()
    let log = try LogReader(path: file.path)
    #expect(log.header.program == options.program)
    #expect(log.header.metadata == options.metadata)
    #expect(log.header.salt != 0)
    #expect(log.header.created > 1_700_000_000_000_000_000)
    #expect(log.isClean)
    #expect(try log.allEvents().isEmpty)
  }
}
