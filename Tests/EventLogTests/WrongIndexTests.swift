import Testing

@testable import EventLog

/// A log with an index that contradicts its blocks, with correct checksums.
private struct Indexed {
  let events: [Event]
  let blocks: [BlockInfo]
  private let start: [UInt8]
  private let prefix: BlockPrefix
  private let columns: [Int: [UInt8]]

  /// Five blocks of eight events: a transaction over three of them, paths and projections that only some of them name,
  /// an object, synced events, and ascending times.
  init() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "indexed", options: LogOptions(blockEvents: 8))
    func add(_ body: Event.Body, _ seq: Int) throws { try writer.append(body, time: UInt64(seq) * 10_000) }
    let object = Value.object(ObjectDefinition(id: ObjectID(1), type: "A", fields: ["x": 0, "y": 0]))
    for seq in 1...40 {
      switch seq {
      case 1: try add(.set(Path(root: .named("a")), object, sameValue: false), seq)
      case 2: try add(.projection(name: "P", parent: nil, tracking: .element), seq)
      case 6: try add(.begin(label: nil), seq)
      case 12: try add(.evaluate(projection: "Q", duration: 1, changed: nil), seq)
      case 20: try add(.end, seq)
      default:
        let path = try Path(parsing: seq % 16 < 8 ? "a.x" : "a.y")
        try add(.set(path, .int(Int64(seq)), sameValue: false), seq)
      }
      if seq == 16 { try writer.ensure(.synced) }
    }
    try writer.close()
    let log = try LogReader(file: file, path: "indexed")
    events = try log.allEvents()
    let index = try #require(log.blocks.last)
    blocks = log.blocks.dropLast()
    start = Array(file.bytes[..<Int(index.offset)])
    let zstd = try #require(ZstdDecompressor())
    let frame = Array(file.bytes[Int(index.offset)..<Int(index.endOffset)])
    let payload = try zstd.content(of: frame, size: index.payloadSize)
    prefix = try BlockPrefix(decoding: payload)
    var columns: [Int: [UInt8]] = [:]
    try BlockColumns.forEach(in: payload) { columns[$0] = Array(payload[$1]) }
    self.columns = columns
  }

  /// The body of the index with other columns.
  func body(_ change: (inout [Int: [UInt8]]) -> Void = { _ in }) -> [UInt8] {
    var columns = columns
    change(&columns)
    var body: [UInt8] = []
    for (number, bytes) in columns.sorted(by: { $0.key < $1.key }) {
      body.appendVarint(number)
      body.appendVarint(bytes.count)
      body += bytes
    }
    return body
  }

  /// The log with another index.
  func file(_ body: [UInt8], _ change: (inout BlockPrefix) -> Void = { _ in }) throws -> MemoryFile {
    let zstd = try #require(ZstdCompressor(level: 1))
    var prefix = prefix
    change(&prefix)
    (prefix.bodyLength, prefix.bodyHash) = (body.count, XXH64.hash(body))
    let payload = prefix.encoded() + body
    let frame = try #require(zstd.frame(payload))
    var table = SeekTable()
    for block in blocks {
      table.append(
        compressedSize: block.compressedSize, payloadSize: block.payloadSize, payloadHash: block.payloadHash)
    }
    table.append(compressedSize: frame.count, payloadSize: payload.count, payloadHash: XXH64.hash(payload))
    return MemoryFile(start + frame + (try #require(table.encoded())))
  }
}

/// One error in an index.
struct WrongIndex: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var change: @Sendable (inout [Int: [UInt8]]) -> Void = { _ in }
  var prefix: @Sendable (inout BlockPrefix) -> Void = { _ in }

  /// Adds to bytes of a column.
  static func add(_ what: String, _ column: IndexColumn, _ additions: [Int: Int]) -> WrongIndex {
    WrongIndex(testDescription: what) { columns in
      for (place, addition) in additions {
        let byte = Int(columns[column.rawValue]?[place] ?? 0)
        // A byte of a hash may have any value.
        columns[column.rawValue]?[place] = UInt8(truncatingIfNeeded: byte + addition)
      }
    }
  }

  static let all: [WrongIndex] = [
    add("counts that are off by one", .eventCounts, [1: 1, 2: -1]),
    WrongIndex(testDescription: "a block of events that it hides") { columns in
      columns[IndexColumn.blockKinds.rawValue]?[2] = 200
      columns[IndexColumn.eventCounts.rawValue]?[1] = 16
      columns[IndexColumn.eventCounts.rawValue]?[2] = 0
    },
    WrongIndex(testDescription: "a base time") { columns in
      var times: [UInt8] = []
      for delta in [Int64(0), 10_000, 81_000, 79_000, 80_000, 80_000] { times.appendZigzag(delta) }
      columns[IndexColumn.baseTimes.rawValue] = times
    },
    WrongIndex(testDescription: "a durable seq") { columns in
      var seqs: [UInt8] = []
      for delta in [Int64(0), 1, -1, 16, 0, 0] { seqs.appendZigzag(delta) }
      columns[IndexColumn.durableSeqs.rawValue] = seqs
    },
    add("a hash", .hashes, [9: 1]),
    add("the hash of the seek table", .tableHash, [3: -1]),
    add("open transactions", .openTransactions, [4: 1]),
    add("that it has no lists", .totals, [0: -1]),
    add("the latest time", .totals, [1: 1]),
    add("how many objects there are", .totals, [4: 1]),
    add("how many events of two kinds there are", .totals, [5: 1, 8: -1]),
    add("a written path in place of another", .writtenPaths, [0: 2]),
    add("where a run of a path begins", .pathRuns, [0: 1]),
    add("a projection in place of another", .projections, [0: 1]),
    add("where a run of a projection begins", .projectionRuns, [0: 1]),
    WrongIndex(testDescription: "the name of a path") { columns in
      columns[Column.stringBytes.rawValue]?[0] = 0x7A
    },
    WrongIndex(testDescription: "a path that nothing writes") { columns in
      columns[IndexColumn.writtenPaths.rawValue]? += [2]
      columns[IndexColumn.pathRunCounts.rawValue]? += [0]
      columns[IndexColumn.pathRuns.rawValue]? += [1, 0]
      columns[Column.pathKinds.rawValue]? += [2]
      columns[Column.pathParents.rawValue]? += [1]
      columns[Column.pathOperands.rawValue]? += [0]
    },
    WrongIndex(testDescription: "another time before it") { _ in
    } prefix: {
      $0.baseTime += 1
    },
    WrongIndex(testDescription: "another durable seq before it") { _ in
    } prefix: {
      $0.durableSeq -= 1
    },
  ]
}

@Suite struct WrongIndexTests {
  @Test func anIndexThatIsRightIsBelieved() throws {
    let log = try Indexed()
    let file = try log.file(log.body())
    let reader = try LogReader(file: file, path: "right")
    #expect(reader.indexUse == .believed)
    #expect(try reader.allEvents() == log.events)
    #expect(try findings(file) == [])
  }

  @Test(arguments: WrongIndex.all)
  func aWrongIndexIsFoundAndLosesNoEvent(wrong: WrongIndex) throws {
    let log = try Indexed()
    let file = try log.file(log.body(wrong.change), wrong.prefix)
    try expectAll(of: log, file)
    let found = try findings(file)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.byteOffset < UInt64(file.bytes.count) }, "\(found)")
  }

  @Test func everyChangedByteOfAnIndexIsFoundAndLosesNoEvent() throws {
    let log = try Indexed()
    let body = log.body()
    // Harmless changes: a run may cover blocks that do not name its path, and the parent just before has two
    // encodings.
    let neutral = [
      IndexColumn.pathRuns.rawValue, IndexColumn.projectionRuns.rawValue, Column.pathParents.rawValue,
    ]
    var skipped: [Range<Int>] = []
    try BlockColumns.forEach(in: [UInt8](repeating: 0, count: LogFormat.prefixSize) + body) { number, range in
      if neutral.contains(number) {
        skipped.append(range.lowerBound - LogFormat.prefixSize..<range.upperBound - LogFormat.prefixSize)
      }
    }
    for place in body.indices {
      for flip: UInt8 in [1, 2, 0x80] {
        var changed = body
        changed[place] ^= flip
        let file = try log.file(changed)
        try expectAll(of: log, file, "byte \(place) ^ \(flip)")
        if skipped.contains(where: { $0.contains(place) }) { continue }
        #expect(try !findings(file).isEmpty, "byte \(place) ^ \(flip)")
      }
    }
  }

  /// Such an index does not continue the last block, and so counts as damaged itself.
  @Test func anIndexThatEndsTooEarlyHidesNoEvent() throws {
    let log = try Indexed()
    let body = log.body { columns in
      columns[IndexColumn.blockKinds.rawValue]?[5] = 200
      columns[IndexColumn.eventCounts.rawValue]?[5] = 0
    }
    let reader = try LogReader(file: try log.file(body) { $0.firstSeq -= 8 }, path: "early")
    #expect(reader.indexUse == .believed && reader.eventCount == 32)
    var events: [Event] = []
    let error = #expect(throws: LogError.self) { try reader.forEachEvent { events.append($0) } }
    #expect(events == log.events)
    #expect(error?.code == .damaged && error?.byteOffset == log.blocks.last?.endOffset)
    #expect(try reader.state(at: 40).value(at: Path(parsing: "a.y")) == 40)
  }

  @Test func aWrongSeekTableIsFound() throws {
    var log = try HandMadeLog()
    try log.addHeader()
    try log.addEnds(3)
    try log.addIndex()
    let offset = log.bytes.count
    try log.addSeekTable()
    var bytes = log.bytes
    bytes[offset + 8 + 12] ^= 1
    let reader = try LogReader(file: MemoryFile(bytes), path: "table")
    #expect(reader.indexUse == .refused)
    #expect(reader.eventCount == 3)
    let found = try findings(MemoryFile(bytes))
    #expect(found.contains { $0.byteOffset == UInt64(offset) }, "\(found)")
  }

  @Test func aBrokenChainThatTheIndexDoesNotShowIsDamage() throws {
    var log = try HandMadeLog()
    try log.addHeader()
    try log.addEnds(3)
    let offset = UInt64(log.bytes.count)
    log.chain ^= 1
    try log.addEnds(3)
    try log.addEnds(3)
    try log.addIndex()
    try log.addSeekTable()
    let reader = try LogReader(file: log.file, path: "chain")
    #expect(reader.indexUse == .believed && reader.eventCount == 9)
    var seqs: [UInt64] = []
    let error = #expect(throws: LogError.self) { try reader.forEachEvent { seqs.append($0.seq) } }
    #expect(error?.code == .damaged && error?.byteOffset == offset)
    #expect(seqs == [1, 2, 3])
    #expect(throws: LogError.self) { try reader.events(in: reader.blocks[2]) }
    // Blocks other than the two around the broken link can be read.
    #expect(try reader.events(in: reader.blocks[3]).map(\.seq) == [7, 8, 9])
    let check = try LogCheck(scanned: LogReader(file: log.file, path: "chain", scanned: true))
    guard case .damaged(let damage, _) = check.tail else { return #expect(Bool(false), "\(check.tail)") }
    #expect(damage.byteOffset == offset)
  }

  private func expectAll(of log: Indexed, _ file: MemoryFile, _ what: Comment? = nil) throws {
    let reader = try LogReader(file: file, path: "wrong")
    #expect(try reader.allEvents() == log.events, what)
    var later: [UInt64] = []
    try reader.forEachEvent(from: 30) { later.append($0.seq) }
    #expect(later == Array(30...40), what)
    #expect(try reader.state(at: 40).value(at: Path(parsing: "a.y")) == 40, what)
    #expect(try reader.state(at: 9).value(at: Path(parsing: "a.x")) == 7, what)
  }

  private func findings(_ file: MemoryFile) throws -> [LogCheck.Finding] {
    try LogCheck(scanned: LogReader(file: file, path: "wrong", scanned: true)).findings
  }
}
