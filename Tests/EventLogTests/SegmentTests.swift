import Testing

@testable import EventLog

@Suite struct SegmentTests {
  @Test func segmentsInOneFileReadAsOneLog() throws {
    var log = try HandMadeLog()
    try log.addHeader(program: "first")
    try log.addEnds(3)
    try log.addSeekTable()
    try log.addHeader(program: "second")
    try log.addEnds(4)
    // This one was never closed.
    try log.addHeader(program: "third")
    try log.addEnds(5)
    var reader = try LogReader(file: log.file, path: "segments")
    #expect(reader.blocks.map(\.kind) == [1, 2, 1, 2, 1, 2])
    #expect(reader.header.program == "first")
    #expect(!reader.isClean)
    #expect(try reader.allEvents().map(\.seq) == Array(1...12))

    try log.addSeekTable()
    reader = try LogReader(file: log.file, path: "segments")
    #expect(reader.isClean)
    #expect(reader.eventCount == 12)
  }

  @Test func aSeekTableOfAnotherSegmentIsNoEnd() throws {
    var log = try HandMadeLog()
    try log.addHeader()
    try log.addEnds(3)
    let first = log.bytes.count
    try log.addSeekTable()
    let table = log.bytes[first...]
    try log.addHeader()
    try log.addEnds(3)
    #expect(try !LogReader(file: MemoryFile(log.bytes + table), path: "tables").isClean)
  }

  @Test func pathsAreDividedAndComparedByBytes() {
    // The accent belongs to the name, and not to the slash or the dot before it.
    let path = LogPath("logs/\u{301}run.\u{301}evlog")
    #expect(path.directory == "logs")
    #expect(path.name.hasSameBytes(as: "\u{301}run.\u{301}evlog"))
    #expect(path.segment(2).hasSameBytes(as: "logs/\u{301}run.0002.\u{301}evlog"))
    #expect(path.segmentNumber(ofName: "\u{301}run.0002.\u{301}evlog") == 2)
    // Two spellings of one letter are two names.
    let (composed, decomposed) = ("\u{E9}.evlog", "e\u{301}.evlog")
    #expect(composed == decomposed)
    #expect(LogPath(composed).segmentNumber(ofName: decomposed) == nil)
    #expect(LogPath(composed).segmentNumber(ofName: "e\u{301}.0002.evlog") == nil)
    #expect(LogPath(composed).segmentNumber(ofName: "\u{E9}.0002.evlog") == 2)
  }

  @Test func aFileThatBeginsInTheMiddleOfALogKeepsItsSeqs() throws {
    var log = try HandMadeLog()
    log.nextSeq = 101
    log.chain = 0x1234
    try log.addHeader()
    try log.addEnds(2)
    let reader = try LogReader(file: log.file, path: "later")
    #expect(reader.firstSeq == 101)
    #expect(reader.nextSeq == 103)
    #expect(reader.eventCount == 2)
    #expect(try reader.allEvents().map(\.seq) == [101, 102])
    #expect(reader.block(containing: 100) == nil)
    #expect(reader.block(containing: 102)?.firstSeq == 101)
  }

  @Test func theFirstSegmentOfALogFollowsOnNoBlock() throws {
    var log = try HandMadeLog()
    log.chain = 0x1234
    try log.addHeader()
    let error = #expect(throws: LogError.self) { try LogReader(file: log.file, path: "chain") }
    #expect(error?.code == .damaged)
  }

  @Test(arguments: ["salt", "chain", "seq"]) func aSegmentThatDoesNotFollowOnIsDamage(what: String) throws {
    var log = try HandMadeLog()
    try log.addHeader()
    try log.addEnds(3)
    let end = UInt64(log.bytes.count)
    switch what {
    case "salt": log.salt += 1
    case "chain": log.chain += 1
    default: log.nextSeq += 1
    }
    try log.addHeader()
    try log.addEnds(3)
    let reader = try LogReader(file: log.file, path: what)
    guard case .damaged = reader.tail else {
      Issue.record("\(reader.tail)")
      return
    }
    #expect(reader.tornAt == end)
    #expect(reader.eventCount == 3)
  }
}
