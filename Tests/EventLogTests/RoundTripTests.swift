import EventLog
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: [1, 2, 7, 100, 4096]) func everyEventComesBackBitForBit(blockEvents: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
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
