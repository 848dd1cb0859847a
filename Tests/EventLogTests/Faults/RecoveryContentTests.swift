import LogGenerator
import Testing

@testable import EventLog

/// Blocks with correct checksums and impossible content: the log that recovery leaves can be read.
@Suite struct RecoveryContentTests {
  private static let path = "/logs/run.evlog"

  /// A log as the payloads of its blocks, which can be assembled again with right checksums.
  private struct Payloads {
    var blocks: [(prefix: BlockPrefix, body: [UInt8])] = []

    /// The log without its index.
    init(_ log: [UInt8]) throws {
      let reader = try LogReader(file: MemoryFile(log), path: "log", scanned: true)
      let zstd = try #require(ZstdDecompressor())
      for info in reader.blocks where info.kind != BlockKind.index {
        let frame = Array(log[Int(info.offset)..<Int(info.endOffset)])
        let payload = try zstd.content(of: frame, size: info.payloadSize)
        blocks.append((try BlockPrefix(decoding: payload), Array(payload.dropFirst(LogFormat.prefixSize))))
      }
    }

    func bytes() throws -> [UInt8] {
      let zstd = try #require(ZstdCompressor(level: 3))
      var (log, chain, table): ([UInt8], UInt64, SeekTable) = ([], 0, SeekTable())
      for block in blocks {
        var prefix = block.prefix
        prefix.chain = chain
        prefix.bodyLength = block.body.count
        prefix.bodyHash = XXH64.hash(block.body)
        let payload = prefix.encoded() + block.body
        let frame = try #require(zstd.frame(payload))
        chain = XXH64.hash(payload)
        if prefix.kind == BlockKind.header { table = SeekTable() }
        table.append(compressedSize: frame.count, payloadSize: payload.count, payloadHash: chain)
        log += frame
      }
      return log + (try #require(table.encoded()))
    }
  }

  /// A log of events that fit each other, with checkpoints.
  private func log(seed: UInt64, events: Int, checkpoints: Bool = true) throws -> (Payloads, [Event]) {
    var session = ValidSession(seed: seed)
    let events = session.events(events)
    let file = try TemporaryFile()
    var options = LogOptions(blockEvents: 8)
    options.checkpointEvents = 24
    options.checkpointBytes = 1
    options.checkpoints = checkpoints
    let writer = try LogWriter(creating: file.path, options: options)
    for event in events { try writer.append(event) }
    try writer.close()
    return (try Payloads(try file.bytes), events)
  }

  /// The body of a block of events that do not fit the state.
  private func misfit(_ count: Int) throws -> [UInt8] {
    let file = try TemporaryFile()
    let writer = try LogWriter(creating: file.path)
    for _ in 0..<count {
      let nowhere = Path(root: .named("nowhere"), components: [.property("a"), .index(7)])
      try writer.append(
        .splice(nowhere, offset: 5, delete: 3, insert: "x", sameValue: false), time: 0)
    }
    try writer.close()
    let log = try Payloads(try file.bytes)
    return try #require(log.blocks.first { $0.prefix.kind == BlockKind.events }).body
  }

  private func disk(_ bytes: [UInt8]) -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.put(bytes, at: Self.path)
    return disk
  }

  /// The events of each log, which must be readable from beginning to end.
  private func read(_ recovery: LogRecovery, _ disk: SimulatedDisk, _ what: Comment) throws -> [Event] {
    var saved: [Event] = []
    for log in recovery.logs {
      let reader = try LogReader(file: SegmentSet(log.path, in: disk), path: log.path)
      #expect(reader.isClean, what)
      #expect(reader.firstSeq == log.firstSeq && reader.nextSeq == log.nextSeq, what)
      saved += try reader.allEvents()
      if log.hasState {
        for seq in [log.firstSeq - 1, (log.firstSeq + log.nextSeq) / 2, log.nextSeq] {
          _ = try reader.state(at: seq)
        }
      }
      let again = try LogRecovery.recover(log.path, in: disk)
      #expect(again.outcome == .whole && again.lost.isEmpty, what)
    }
    return saved
  }

  /// A log, and the block to corrupt in it: a block of events with another block of events after it, before a
  /// checkpoint if there is one.
  private func logToSpoil(checkpoints: Bool) throws -> (Payloads, [Event], Int) {
    for seed in UInt64(1)...100 {
      let (payloads, events) = try log(seed: seed, events: 200, checkpoints: checkpoints)
      let kinds = payloads.blocks.map(\.prefix.kind)
      guard let last = kinds.lastIndex(of: checkpoints ? BlockKind.checkpoint : BlockKind.events),
        let bad = (8..<max(9, last)).first(where: {
          kinds[$0] == BlockKind.events && kinds[$0 + 1] == BlockKind.events
        }), bad + 1 < last
      else { continue }
      return (payloads, events, bad)
    }
    throw TrialFailure(description: "no log has what is needed")
  }

  @Test(arguments: [true, false]) func blocksThatDoNotFitAreLeftOutAndReported(checkpoints: Bool) throws {
    var (payloads, events, bad) = try logToSpoil(checkpoints: checkpoints)
    let prefix = payloads.blocks[bad].prefix
    payloads.blocks[bad].body = try misfit(prefix.eventCount)
    let bytes = try payloads.bytes()
    let disk = disk(bytes)
    let recovery = try LogRecovery.recover(Self.path, in: disk)
    #expect(recovery.outcome == .salvaged)
    #expect(disk.bytes(Self.path) == bytes)
    let last = prefix.firstSeq + UInt64(prefix.eventCount) - 1
    let fault = try #require(recovery.faults.first)
    #expect(recovery.faults.count == 1)
    #expect(fault.first == prefix.firstSeq && fault.last == last)
    #expect(
      fault.reason.hasPrefix("event \(prefix.firstSeq) does not fit the events before it: nowhere.a[7]"))
    #expect(recovery.offset == fault.offset && recovery.reason == fault.reason)
    #expect(recovery.lost == [LogRecovery.LostRange(first: prefix.firstSeq, last: last)])
    let saved = try read(recovery, disk, "")
    #expect(exact(saved) == exact(events.filter { !(prefix.firstSeq...last).contains($0.seq) }))
    #expect(recovery.logs.map(\.hasState) == (checkpoints ? [true, false, true] : [true, false]))
    guard checkpoints, let log = recovery.logs.last else { return }
    // From the checkpoint on the state is the same.
    var fold = StateFold()
    for event in events { fold.apply(event) }
    var held = try LogReader(file: SegmentSet(log.path, in: disk), path: log.path).fold(at: .max)
    #expect(fold.difference(from: &held) == nil)
  }

  @Test func aLogThatIsWholeStaysAsItIs() throws {
    for checkpoints in [true, false] {
      let (payloads, _) = try log(seed: 12, events: 96, checkpoints: checkpoints)
      let bytes = try payloads.bytes()
      let disk = disk(bytes)
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      #expect(recovery.outcome == .whole && recovery.faults.isEmpty)
      #expect(disk.files == [Self.path: bytes])
    }
  }

  /// Changes a byte of any block, and corrects all checksums.
  @Test func aRecoveredLogCanBeReadWhateverABlockHeld() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var salvaged = 0
    for trial in 0..<60 {
      var (payloads, events) = try log(
        seed: random.next(), events: Int.random(in: 40...100, using: &random), checkpoints: trial % 3 > 0)
      let places = payloads.blocks.indices.filter { payloads.blocks[$0].prefix.kind == BlockKind.events }
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let place = try #require(places.randomElement(using: &random))
        let byte = try #require(payloads.blocks[place].body.indices.randomElement(using: &random))
        payloads.blocks[place].body[byte] = UInt8.random(in: 0...255, using: &random)
      }
      let bytes = try payloads.bytes()
      let disk = disk(bytes)
      let what: Comment = "seed \(seed), trial \(trial)"
      let recovery = try LogRecovery.recover(Self.path, in: disk)
      #expect(disk.bytes(Self.path) == bytes, what)
      #expect((recovery.outcome == .whole) == recovery.faults.isEmpty, what)
      #expect(recovery.lost.isEmpty == recovery.faults.isEmpty, what)
      if recovery.outcome == .salvaged { salvaged += 1 }
      let saved = try read(recovery, disk, what).map(\.seq)
      let lost = recovery.lost.flatMap { Array($0.first...($0.last ?? $0.first)) }
      #expect((saved + lost).sorted() == events.map(\.seq), what)
      let files = disk.files
      _ = try LogRecovery.recover(Self.path, in: disk)
      #expect(disk.files == files, "recovering twice changes nothing: \(what)")
    }
    #expect(salvaged > 5, "seed \(seed)")
  }
}
