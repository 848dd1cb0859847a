import Foundation
import LogGenerator
import Testing

@testable import EventLog

@Suite struct IndexTests {
  @Test(arguments: [1, 7, 100, 4096]) func aClosedLogOpensFromItsEndAsByAScan(blockEvents: Int) throws {
    let log = try SmallLog(events: 300, blockEvents: blockEvents)
    let reader = try LogReader(path: log.file.path)
    let scan = try LogReader(path: log.file.path, scanned: true)
    #expect(reader.segments.count == 1 && scan.segments.isEmpty)
    #expect(reader.blocks == scan.blocks, "seed \(log.seed)")
    #expect(reader.header == scan.header)
    #expect(reader.nextSeq == scan.nextSeq)
    #expect(reader.isClean && scan.isClean)
    #expect(try reader.allEvents() == log.events)
  }

  @Test func severalSegmentsOpenFromTheEnd() throws {
    var log = try HandMadeLog()
    log.nextSeq = 50
    log.chain = 99
    for segment in 1...3 {
      try log.addHeader(program: "\(segment)")
      try log.addEnds(segment)
      try log.add(kind: 200, [1, 2, 3])
      try log.addIndex()
      try log.addSeekTable()
    }
    var reader = try LogReader(file: log.file, path: "segments")
    #expect(reader.segments.count == 3)
    #expect(reader.blocks == (try LogReader(file: log.file, path: "segments", scanned: true)).blocks)
    #expect(reader.header.program == "1")
    #expect(try reader.allEvents().map(\.seq) == Array(50...55))

    // A log that was opened by its index can be followed like any other.
    let file = log.file
    reader = try LogReader(file: file, path: "followed")
    try log.addHeader()
    try log.addEnds(2)
    file.set(log.bytes)
    #expect(try reader.refresh().count == 2)
    #expect(reader.eventCount == 8 && !reader.isClean)
    #expect(reader.totals() == nil)
  }

  /// The writer of an index counts the transactions that were open before: in a log that a part is cut from,
  /// or that is appended to, whether or not the state is known.
  @Test(arguments: [true, false]) func anIndexCountsTheTransactionsThatAreOpen(hasCheckpoints: Bool) throws {
    let lost = Event.Body.set(Path(root: .named("a"), components: [.index(0)]), 1, sameValue: false)
    // An `end` without an open transaction does nothing, and does not affect later events in its block.
    let bodies: [Event.Body] = [.end, .end, .begin(label: nil), .begin(label: nil), .mark(label: "m"), .end]
    let file = try TemporaryFile()
    var options = LogOptions(blockEvents: 3)
    options.checkpoints = hasCheckpoints
    var writer = try LogWriter(creating: file.path, options: options)
    for body in bodies { try writer.append(body, time: 0) }
    try writer.close()
    let part = LogPath(file.path).inserting("part")
    defer { try? FileManager.default.removeItem(atPath: part) }
    var cut = LogCut()
    cut.from = .seq(5)
    _ = try cut.run(file.path, to: part)
    for end in [[], [lost, .begin(label: nil)]] {
      writer = try LogWriter(appendingTo: file.path, options: options)
      for body in end + [.mark(label: "more"), .end] { try writer.append(body, time: 0) }
      try writer.close()
      for path in [file.path, part] {
        let check = try LogCheck(path: path)
        #expect(check.findings.isEmpty && check.indexes > 0, "\(check.findings)")
      }
    }
  }

  @Test func aSegmentOfAnotherLogIsNotTakenForOne() throws {
    var a = try HandMadeLog()
    try a.addHeader()
    try a.addIndex()
    try a.addSeekTable()
    let whole = a.bytes
    a.salt = 8
    try a.addHeader()
    try a.addIndex()
    try a.addSeekTable()
    let reader = try LogReader(file: a.file, path: "salt")
    #expect(reader.tornAt == UInt64(whole.count))
  }

  @Test func noFlippedBitInTheIndexOrSeekTableLosesAnEvent() throws {
    let log = try SmallLog(events: 20, blockEvents: 8)
    let index = try #require(log.blocks.last)
    #expect(index.kind == BlockKind.index)
    for bit in Int(index.offset) * 8..<log.bytes.count * 8 {
      var bytes = log.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let reader = try LogReader(file: MemoryFile(bytes), path: "flipped")
      // A few bits of a frame mean nothing to zstd.
      #expect(reader.segments.isEmpty || reader.blocks == log.blocks, "seed \(log.seed) bit \(bit)")
      var events: [Event] = []
      do { try reader.forEachEvent { events.append($0) } } catch { #expect(reader.tornAt != nil) }
      #expect(events == log.events, "seed \(log.seed) bit \(bit)")
    }
  }

  @Test func damageInABlockThatWasNotScannedComesWhenItIsRead() throws {
    let log = try SmallLog(events: 40, blockEvents: 8)
    var bytes = log.bytes
    bytes[Int(log.blocks[2].offset) + 30] ^= 0x10
    let reader = try LogReader(file: MemoryFile(bytes), path: "damaged")
    #expect(reader.isClean)
    var seqs: [UInt64] = []
    let error = #expect(throws: LogError.self) { try reader.forEachEvent { seqs.append($0.seq) } }
    #expect(error?.code == .damaged)
    #expect(error?.byteOffset == log.blocks[2].offset)
    #expect(seqs == Array(1...8))
  }

  @Test func anIndexThatLiesLosesNoEvent() throws {
    let log = try SmallLog(events: 60, blockEvents: 8)
    var random = SplitMix64(seed: log.seed)
    let zstd = (try #require(ZstdCompressor(level: 1)), try #require(ZstdDecompressor()))
    let index = try #require(log.blocks.last)
    let start = Array(log.bytes[..<Int(index.offset)])
    let frame = Array(log.bytes[Int(index.offset)..<Int(index.endOffset)])
    let payload = try zstd.1.content(of: frame, size: index.payloadSize)
    let pattern = try PathPattern(parsing: "**")
    var opened = 0
    for _ in 0..<1500 {
      var body = Array(payload[LogFormat.prefixSize...])
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let at = Int.random(in: 0..<body.count, using: &random)
        body[at] =
          [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)][
            Int.random(in: 0..<6, using: &random)]
      }
      var prefix = try BlockPrefix(decoding: payload)
      prefix.bodyHash = XXH64.hash(body)
      let changed = prefix.encoded() + body
      let frame = try #require(zstd.0.frame(changed))
      var table = SeekTable()
      for block in log.blocks.dropLast() {
        table.append(
          compressedSize: block.compressedSize, payloadSize: block.payloadSize, payloadHash: block.payloadHash
        )
      }
      table.append(
        compressedSize: frame.count, payloadSize: changed.count, payloadHash: XXH64.hash(changed))
      let bytes = start + frame + (try #require(table.encoded()))
      let reader = try LogReader(file: MemoryFile(bytes), path: "lies")
      opened += reader.segments.count
      var events: [Event] = []
      try reader.forEachEvent { events.append($0) }
      #expect(events == log.events, "seed \(log.seed)")
      _ = reader.totals()
      let chosen = reader.blocks(writing: pattern) + reader.blocks { _ in true }
      #expect(chosen.allSatisfy { $0.kind == BlockKind.events })
    }
    #expect(opened > 0, "seed \(log.seed)")
  }

  @Test(arguments: [3, 50]) func aFilterReadsEveryBlockThatMatters(blockEvents: Int) throws {
    let log = try SmallLog(events: 1000, blockEvents: blockEvents)
    let reader = try LogReader(path: log.file.path)
    for text in ["store.rows", "store.*", "app[3]", "*[id: 7]", "**.title", "#3.**", "nothing.here"] {
      let pattern = try PathPattern(parsing: text)
      func matching(_ events: [Event]) -> [UInt64] {
        events.filter { $0.body.subject.map(pattern.matches) == true }.map(\.seq)
      }
      var found: [Event] = []
      let blocks = reader.blocks(writing: pattern)
      for block in blocks { found += try reader.events(in: block) }
      #expect(matching(found) == matching(log.events), "seed \(log.seed) \(text)")
      if text == "nothing.here" { #expect(blocks.isEmpty) }
    }
    for name in ["Row#1", "Row#11", "None"] {
      var found: [Event] = []
      for block in reader.blocks(naming: { $0 == name }) { found += try reader.events(in: block) }
      let isAbout = { (event: Event) in event.body.projection == name }
      #expect(found.filter(isAbout) == log.events.filter(isAbout), "seed \(log.seed) \(name)")
    }
  }

  @Test func totalsAreThoseOfTheEvents() throws {
    let log = try SmallLog(events: 500, blockEvents: 20)
    let totals = try #require(try LogReader(path: log.file.path).totals())
    #expect(totals.events.values.reduce(0, +) == 500)
    #expect(totals.duration == log.events.map(\.time).max())
    // Names are compared by their bytes.
    let names = Set(log.events.compactMap { $0.body.projection.map { Array($0.utf8) } })
    #expect(totals.projections == names.count, "seed \(log.seed)")
    var counter = LogCounter()
    try LogReader(path: log.file.path).forEachBlock { try counter.add(&$1) }
    #expect(counter.totals == totals, "seed \(log.seed)")
    #expect(
      totals.events["remove"] ?? 0 == log.events.count { if case .remove = $0.body { true } else { false } })
  }

  @Test func theRunsOfAnIDCoverItsBlocksAndAreExactWhileItIsRare() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for round in 0..<100 {
      var lists = RunLists()
      // Ids that occur in one block of 40, up to ids that occur in all blocks.
      let share = round % 40 + 1
      var named: [UInt32] = []
      for block in UInt32(0)..<3000 where Int.random(in: 0..<40, using: &random) < share {
        named.append(block)
        lists.add(3, block: block)
        lists.add(3, block: block)
      }
      var covered: [UInt32] = []
      lists.forEach { id, runs in
        #expect(id == 3)
        #expect(share < 6 || runs.count <= 8)
        for run in runs { covered += run.start..<run.end }
      }
      #expect(Set(covered).isSuperset(of: named), "seed \(seed)")
      #expect(covered == covered.sorted() && Set(covered).count == covered.count, "seed \(seed)")
      if share < 4, named.prefix(20).enumerated().allSatisfy({ $0.offset < 8 || $0.element > 8 * 21 }) {
        #expect(covered == named, "seed \(seed)")
      }
    }
    var many = RunLists()
    many.add(RunLists.idsMax, block: 0)
    #expect(many.isIncomplete)
  }

  @Test func aSmallLogPaysLittleForItsFrame() throws {
    let file = MemoryFile()
    let writer = try LogWriter(file: file, path: "small")
    for _ in 0..<3 { try writer.append(.mark(label: "x"), time: 0) }
    try writer.close()
    let log = try LogReader(file: file, path: "small")
    let events = log.blocks.filter { $0.kind == BlockKind.events }.reduce(0) { $0 + $1.compressedSize }
    #expect(file.bytes.count - events < 1024)
  }
}

extension Event.Body {
  fileprivate var subject: Path? {
    switch self {
    case .set(let path, _, _), .splice(let path, _, _, _, _), .remove(let path, _): path
    default: nil
    }
  }

  fileprivate var projection: String? {
    switch self {
    case .projection(let name, _, _), .reads(let name, _), .invalidate(let name, _),
      .evaluate(let name, _, _, _, _), .dispose(let name):
      name
    default: nil
    }
  }
}
