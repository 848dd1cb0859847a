import LogGenerator
import Testing

@testable import EventLog

/// A block with correct checksums and any content.
private func payload(
  _ body: [UInt8], events: Int, kind: UInt8 = BlockKind.events, firstSeq: UInt64 = 1, salt: UInt64 = 7,
  chain: UInt64 = 0, bodyHash: UInt64? = nil
) -> [UInt8] {
  BlockPrefix(
    kind: kind, bodyLength: body.count, eventCount: events, firstSeq: firstSeq, baseTime: 0, salt: salt,
    chain: chain, durableSeq: 0, bodyHash: bodyHash ?? XXH64.hash(body)
  ).encoded() + body
}

private func column(_ column: Column, _ bytes: [UInt8]) -> [UInt8] {
  var out: [UInt8] = []
  out.appendVarint(column.rawValue)
  out.appendVarint(bytes.count)
  return out + bytes
}

/// A log of a header and one block with this body.
func log(_ body: [UInt8], events: Int) throws -> MemoryFile {
  let zstd = try #require(ZstdCompressor(level: 3))
  let header = payload(Array("{}".utf8), events: 0, kind: BlockKind.header)
  let block = payload(body, events: events, chain: XXH64.hash(header))
  return MemoryFile(try #require(zstd.frame(header)) + #require(zstd.frame(block)))
}

private func decode(_ body: [UInt8], events: Int) throws -> [Event] {
  try LogReader(file: log(body, events: events), path: "hostile").allEvents()
}

/// One event, a set of `a`, whose value comes from these columns.
private func set(_ columns: [UInt8]) -> [UInt8] {
  column(.stringLengths, [1]) + column(.stringBytes, [0x61]) + column(.pathKinds, [0]) + column(.kinds, [0])
    + columns
}

/// A block that breaks the format in one way.
struct FalseBlock: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let body: [UInt8]

  /// One event of any kind, with these columns.
  static func columns(_ what: String, _ columns: (Column, [UInt8])...) -> FalseBlock {
    FalseBlock(testDescription: what, body: columns.flatMap { column($0.0, $0.1) })
  }

  /// A set of `a` whose value comes from these columns.
  static func value(_ what: String, _ columns: (Column, [UInt8])...) -> FalseBlock {
    FalseBlock(testDescription: what, body: set(columns.flatMap { column($0.0, $0.1) }))
  }

  private static func many(_ byte: UInt8, _ count: Int, then last: UInt8) -> [UInt8] {
    Array(repeating: byte, count: count) + [last]
  }

  static let all: [FalseBlock] = [
    value("an array larger than its block", (.valueTags, [8]), (.valueCounts, [0xFF, 0xFF, 0xFF, 0x7F])),
    value("a map larger than its block", (.valueTags, [9]), (.valueCounts, [0xFF, 0xFF, 0xFF, 0x7F])),
    value("a string past its column", (.valueTags, [6]), (.valueLengths, [9]), (.text, [0x61])),
    value("text that is not UTF-8", (.valueTags, [6]), (.valueLengths, [1]), (.text, [0xFF])),
    value("a varint over 10 bytes", (.valueTags, [4]), (.valueUInts, many(0x80, 10, then: 1))),
    value("a varint over 64 bits", (.valueTags, [4]), (.valueUInts, many(0xFF, 9, then: 2))),
    value("an unknown tag", (.valueTags, [99])),
    value("values that are left over", (.valueTags, [0, 0])),
    value("doubles that are cut", (.valueTags, [5]), (.valueDoubles, [1, 2, 3])),
    value("nesting over 64", (.valueTags, many(8, 64, then: 0)), (.valueCounts, many(1, 63, then: 1))),
    value("a key twice", (.valueTags, [9, 0, 0]), (.valueCounts, [2])),
    value("a key that is no string", (.valueTags, [9, 0]), (.valueCounts, [1]), (.valueKeys, [5])),
    columns("a kind of event that does not exist", (.kinds, [11])),
    columns("a flag that does not exist", (.kinds, [0x19])),
    columns("a cause before the first event", (.kinds, [9]), (.causes, [9])),
    columns("a cause that repeats none", (.kinds, [9]), (.causes, [1])),
    columns("a site that is no string", (.kinds, [9]), (.sites, [1])),
    columns("a path that is not there", (.kinds, [2])),
    columns("a step without a parent", (.stringLengths, [0]), (.pathKinds, [2]), (.kinds, [9])),
    columns(
      "a path over 64 deep", (.stringLengths, [0]), (.pathKinds, [0] + many(2, 64, then: 2)), (.kinds, [9])),
    columns(
      "reads without end", (.stringLengths, [0]), (.kinds, [4]), (.readCounts, [0xFF, 0xFF, 0xFF, 0x7F])),
    columns("causes without end", (.stringLengths, [0]), (.kinds, [5]), (.causeCounts, [0xFF, 0xFF, 0x3F])),
    value("a reference to object 0", (.valueTags, [11]), (.valueUInts, [0])),
    value(
      "a definition of object 0", (.valueTags, [10]), (.valueUInts, [0]), (.valueCounts, [0]),
      (.valueKeys, [0])),
    columns("a path that begins at object 0", (.pathKinds, [1]), (.pathOperands, [0]), (.kinds, [9])),
    columns(
      "an index below 0", (.stringLengths, [0]), (.pathKinds, [0, 3]), (.pathOperands, [0, 1]), (.kinds, [9])),
    columns(
      "an id that is an array", (.stringLengths, [0]), (.pathKinds, [0, 5]), (.kinds, [9]),
      (.valueTags, [8])),
    columns(
      "an id that is a map", (.stringLengths, [0]), (.pathKinds, [0, 5]), (.kinds, [9]), (.valueTags, [9])),
    columns("more kinds than events", (.kinds, [9, 9])),
    columns("columns out of order", (.times, [0]), (.kinds, [9])),
    columns("a table with bytes left over", (.stringBytes, [0x61]), (.kinds, [9])),
    FalseBlock(testDescription: "a column past the end", body: [6, 200, 1]),
    FalseBlock(testDescription: "a column 0", body: [0, 0, 6, 1, 9]),
    FalseBlock(testDescription: "a packed column 0", body: [64, 0, 6, 1, 9]),
    FalseBlock(testDescription: "an unknown column 38 with 64 after 39", body: [6, 1, 9, 39, 0, 102, 0]),
    FalseBlock(testDescription: "an unknown column twice, once with 64", body: [6, 1, 9, 37, 0, 101, 0]),
    FalseBlock(
      testDescription: "an unknown column 129 after 130 with 64", body: [6, 1, 9, 0xC2, 1, 0, 0x81, 1, 0]),
    FalseBlock(testDescription: "a packed column of no bytes", body: [6, 1, 9, 72, 0]),
    FalseBlock(testDescription: "a column twice, once packed", body: [6, 1, 9, 8, 1, 0, 72, 2, 1, 1]),
    // All numbers are 0: the column may be missing, but it must not be empty.
    columns("a column that is there and empty", (.kinds, [9]), (.times, [])),
    columns("a time scale over 63 bits", (.kinds, [9]), (.timeScale, many(0x80, 9, then: 1))),
    columns("two time scales", (.kinds, [9]), (.timeScale, [1, 1])),
    columns("an unknown tracking", (.stringLengths, [0]), (.kinds, [0x63])),
    columns("an unknown outcome", (.stringLengths, [0]), (.kinds, [0x36])),
    columns("an unknown input", (.stringLengths, [0]), (.kinds, [6]), (.inputs, [3])),
    columns("a huge input", (.stringLengths, [0]), (.kinds, [6]), (.inputs, many(0xFF, 9, then: 1))),
    columns("inputs of more runs than there are", (.stringLengths, [0]), (.kinds, [6]), (.inputs, [1, 1])),
    columns("inputs that are there and empty", (.stringLengths, [0]), (.kinds, [6]), (.inputs, [])),
    columns(
      "a part of a run over 64 bits", (.stringLengths, [0]), (.kinds, [6]),
      (.comparing, many(0xFF, 9, then: 2))),
    columns("parts of more runs than there are", (.stringLengths, [0]), (.kinds, [6]), (.comparing, [1, 1])),
    columns("parts of runs that are there and empty", (.stringLengths, [0]), (.kinds, [6]), (.comparing, [])),
    columns("an input among the flags", (.stringLengths, [0]), (.kinds, [0x46])),
    columns("an unknown flag of reads", (.stringLengths, [0]), (.kinds, [0x24])),
    columns(
      "a path that is dropped and is not in the table", (.stringLengths, [0]), (.pathKinds, [0]),
      (.kinds, [0x14]), (.readCounts, [0, 1]), (.readPaths, [2])),
    columns(
      "a change of reads with one list", (.stringLengths, [0]), (.pathKinds, [0]), (.kinds, [0x14]),
      (.readCounts, [1]), (.readPaths, [0])),
    columns("a cause that is the event itself", (.stringLengths, [0]), (.kinds, [5]), (.causeCounts, [1])),
    columns(
      "a splice below 0", (.stringLengths, [0]), (.pathKinds, [0]), (.kinds, [1]), (.spliceOffsets, [1]),
      (.valueTags, [6])),
    columns(
      "a splice that inserts so much of a number", (.stringLengths, [0]), (.pathKinds, [0]), (.kinds, [1]),
      (.spliceSizes, [1]), (.valueTags, [3])),
    columns(
      "a splice over 63 bits", (.stringLengths, [0]), (.pathKinds, [0]), (.kinds, [1]),
      (.spliceSizes, [0xF0] + many(0xFF, 8, then: 0x7F)), (.valueTags, [6])),
    columns(
      "a string that ends within a character", (.stringLengths, [1, 1]), (.stringBytes, [0xC3, 0xA9]),
      (.kinds, [9])),
  ]
}

@Suite struct HostileLogTests {
  @Test func aBodyOfOneSetReadsAsWritten() throws {
    let events = try decode(set(column(.valueTags, [3]) + column(.valueInts, [10])), events: 1)
    #expect(events == [Event(seq: 1, time: 0, body: .set(Path(root: .named("a")), 5, sameValue: false))])
  }

  @Test func columnsOfALaterVersionAreSkipped() throws {
    let later: [UInt8] = [60, 3, 1, 2, 3]
    #expect(try decode(set(column(.valueTags, [0])) + later, events: 1).count == 1)
  }

  @Test(arguments: FalseBlock.all) func aFalseBlockIsDamaged(block: FalseBlock) throws {
    let error = #expect(throws: LogError.self) { try decode(block.body, events: 1) }
    #expect(error?.code == .damaged)
    #expect(error?.byteOffset != nil)
    #expect(error?.payloadOffset != nil)
  }

  @Test func contentThatTextCannotExpressIsRefusedWithItsOffset() throws {
    let before = column(.stringLengths, [0]) + column(.pathKinds, [0, 3])
    let cases: [(body: [UInt8], offset: Int, words: String)] = [
      (column(.pathKinds, [1]) + column(.pathOperands, [0]) + column(.kinds, [9]), 5, "number 0"),
      (set(column(.valueTags, [11]) + column(.valueUInts, [0])), 17, "number 0"),
      (before + column(.pathOperands, [0, 3]) + column(.kinds, [9]), 10, "index -2"),
    ]
    for (body, offset, words) in cases {
      let error = try #require(throws: LogError.self) { try decode(body, events: 1) }
      #expect(error.message.contains(words), "\(error)")
      #expect(error.payloadOffset == LogFormat.prefixSize + offset, "\(error)")
    }
  }

  @Test func bytesOfABlockChangedAtRandomGiveEventsOrAFault() throws {
    let seed = testSeed()
    var events = RandomEvents(seed: seed)
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "fuzz", options: LogOptions(blockEvents: 60))
    for event in events.events(60) { try writer.append(event) }
    try writer.close()
    let block = try #require(try LogReader(file: file, path: "fuzz").blocks.last)
    let zstd = try #require(ZstdDecompressor())
    let whole = try zstd.content(
      of: Array(file.bytes[Int(block.offset)..<Int(block.endOffset)]), size: block.payloadSize)
    let prefix = try BlockPrefix(decoding: whole)
    var (decoded, faults) = (0, 0)
    for _ in 0..<4000 {
      var changed = whole
      for _ in 0..<Int.random(in: 1...3, using: &events.random) {
        let at = Int.random(in: LogFormat.prefixSize..<changed.count, using: &events.random)
        changed[at] =
          [0, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &events.random)]
          .randomElement(using: &events.random) ?? 0
      }
      do throws(DecodeFault) {
        let cursor = BlockCursor(try BlockRows(payload: changed, prefix: prefix))
        while try cursor.next() != nil {}
        decoded += 1
      } catch { faults += 1 }
    }
    #expect(faults > 0 && decoded > 0, "seed \(seed)")
  }

  @Test func aFrameThatALogNeverHasIsRefusedBeforeItIsOpened() throws {
    let good = try log(column(.kinds, [9]), events: 1).bytes
    let header = try LogReader(file: MemoryFile(good), path: "good").blocks[0]
    let start = Array(good[..<Int(header.endOffset)])
    let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    let bad: [(String, [UInt8], String)] = [
      ("no checksum", magic + [0x20, 1, 1, 0, 0], "checksum"),
      ("a dictionary", magic + [0x25, 9, 1, 1, 0, 0, 0, 0, 0, 0], "dictionary"),
      ("no content size", magic + [0x04, 0x50, 1, 0, 0, 0, 0, 0, 0], "how large"),
      ("a huge window", magic + [0x84, 0xF8, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0], "window"),
      (
        "a huge content", magic + [0xE4] + Array(repeating: 0xFF, count: 8) + [1, 0, 0, 0, 0, 0, 0],
        "promises"
      ),
      ("content over 1 MiB in one segment", magic + [0xA4, 1, 0, 0x10, 0, 1, 0, 0, 0, 0, 0, 0], "promises"),
      ("a huge skippable frame", [0x50, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0x7F], "16 MiB"),
    ]
    for (what, bytes, word) in bad {
      let log = try LogReader(file: MemoryFile(start + bytes), path: what)
      #expect(log.tornAt == header.endOffset, "\(what)")
      #expect(log.tornReason?.contains(word) == true, "\(what): \(log.tornReason ?? "")")
      // All but the last are whole frames, which an unfinished end does not have.
      let isDamaged = if case .damaged = log.tail { true } else { false }
      #expect(isDamaged == (what != "a huge skippable frame"), "\(what)")
    }
  }

  @Test func manyEmptyFramesAreReadInLinearTime() throws {
    let start = try log(column(.kinds, [9]), events: 1).bytes
    let skippable: [UInt8] = [0x5E, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]
    let file = MemoryFile(start + Array(repeatElement(skippable, count: 20_000).joined()))
    let log = try LogReader(file: file, path: "empties")
    #expect(log.eventCount == 1)
    #expect(!log.isClean)
    #expect(log.tornAt == nil)
  }

  @Test func aBlockWithAWrongHashIsDamagedThoughItsFrameIsGood() throws {
    let zstd = try #require(ZstdCompressor(level: 3))
    let header = payload(Array("{}".utf8), events: 0, kind: BlockKind.header)
    let (body, chain) = (column(.kinds, [9]), XXH64.hash(header))
    let cases: [(block: [UInt8], words: String)] = [
      (payload(body, events: 1, chain: chain, bodyHash: 1), "checksum of the body"),
      (payload(body, events: 1, chain: chain ^ 1), "does not follow"),
      (payload(body, events: 1, salt: 8, chain: chain), "another log"),
      (payload(body, events: 1, firstSeq: 2, chain: chain), "1 is next"),
    ]
    for (block, words) in cases {
      let bytes = try [header, block].flatMap { try #require(zstd.frame($0)) }
      let log = try LogReader(file: MemoryFile(bytes), path: words, scanned: true)
      guard case .damaged(let error, _) = log.tail else {
        Issue.record("\(words): \(log.tail)")
        continue
      }
      #expect(error.message.contains(words), "\(error)")
      #expect(log.eventCount == 0)
    }
  }

  @Test func moreValuesThanABlockMayHoldAreRefused() throws {
    var counts: [UInt8] = []
    counts.appendVarint(LogFormat.itemsMax)
    let nulls = [ValueTag.array] + Array(repeating: ValueTag.null, count: LogFormat.itemsMax)
    let body = set(column(.valueTags, nulls) + column(.valueCounts, counts))
    let error = try #require(throws: LogError.self) { try decode(body, events: 1) }
    #expect(error.code == .damaged && error.message.contains("parts"), "\(error)")
  }

  @Test func anUnknownVersionOrKindStopsTheReaderUnlessItIsOptional() throws {
    let zstd = try #require(ZstdCompressor(level: 3))
    let header = payload(Array("{}".utf8), events: 0, kind: BlockKind.header)
    for (kind, isRead) in [(UInt8(3), false), (127, false), (128, true), (255, true)] {
      let odd = payload([1, 2, 3], events: 0, kind: kind, chain: XXH64.hash(header))
      let events = payload(column(.kinds, [9]), events: 1, chain: XXH64.hash(odd))
      let bytes = try [header, odd, events].flatMap { try #require(zstd.frame($0)) }
      let log = try LogReader(file: MemoryFile(bytes), path: "kind \(kind)")
      #expect(log.eventCount == (isRead ? 1 : 0))
      #expect((log.tornAt == nil) == isRead)
    }
    // Neither later versions are read nor the drafts before.
    for version in [LogFormat.version - 1, LogFormat.version + 1] {
      var other = header
      other[4] = version
      let frame = try #require(zstd.frame(other))
      let error = #expect(throws: LogError.self) { try LogReader(file: MemoryFile(frame), path: "other") }
      #expect(error?.message.contains("format version \(version)") == true)
    }
  }
}
