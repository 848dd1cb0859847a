/// Writes blocks: turns chunks into columns, compresses them, and appends them to the file with the hash
/// chain, indexes and seek tables. Only one thread at a time uses it.
struct Sealer {
  var output: LogOutput
  /// The salt of the header.
  private var salt: UInt64 = 0
  private let compressor: ZstdCompressor
  private let builder = Owned(BlockBuilder())
  /// XXH64 of the payload of the last block.
  private(set) var chain: UInt64 = 0
  private var seekTable = SeekTable()
  private var index = IndexBuilder()
  private var last: BlockPrefix?
  /// Folds the state for checkpoints; nil if they are off.
  var checkpointer: Checkpointer?

  /// The header of the first block, which each further segment repeats.
  private(set) var header: LogHeader?
  private(set) var nextSeq: UInt64
  /// The latest time of an event.
  private(set) var lastTime: UInt64 = 0

  private var path: String { output.path }
  var offset: UInt64 { output.offset }

  /// Continues a log whose last block has the hash `chain`, or begins a log.
  init(
    output: LogOutput, options: LogOptions, nextSeq: UInt64 = 1, chain: UInt64 = 0,
    checkpointer: Checkpointer? = nil
  ) throws(LogError) {
    compressor = try ZstdCompressor.start(level: options.level, for: output.path)
    self.output = output
    self.nextSeq = nextSeq
    self.chain = chain
    self.checkpointer = checkpointer ?? (options.checkpoints && nextSeq == 1 ? Checkpointer(options) : nil)
    lastTime = checkpointer?.time ?? 0
  }

  /// The number of entries in its tables of paths, names and living projections.
  var tableEntries: Int {
    builder.value.stagedEntries + index.listEntries + (checkpointer?.tableEntries ?? 0)
  }

  /// Begins an index at a point where transactions are open.
  mutating func begin(within transactions: Int) { index = IndexBuilder(open: transactions) }

  /// Writes the header block. If `firstSeq` is not 1, the earlier events are not in the file.
  mutating func writeHeader(
    _ header: LogHeader, firstSeq: UInt64 = 1, time: UInt64 = 0
  ) throws(LogError) {
    self.header = header
    salt = header.salt
    nextSeq = firstSeq
    seekTable = SeekTable()
    try write(
      kind: BlockKind.header, body: header.json(), events: 0, firstSeq: firstSeq, baseTime: time,
      durableSeq: 0)
  }

  /// Writes the events of a chunk as one block, or as several if they are large.
  mutating func write(_ chunk: Chunk, durableSeq: UInt64) throws(LogError) {
    let start = offset
    var position = RowPosition(startOf: chunk)
    while !position.isAtEnd {
      builder.value.append(chunk, from: &position)
      if builder.value.events > 0 { try writeBlock(durableSeq: durableSeq) }
    }
    nextSeq = chunk.lastSeq + 1
    lastTime = max(lastTime, position.time)
    let bytes = Int(offset - start)
    checkpointer?.apply(chunk, bytes: bytes)
    try writeCheckpointIfDue(durableSeq: durableSeq)
  }

  private mutating func writeBlock(durableSeq: UInt64) throws(LogError) {
    let (events, items) = (builder.value.events, builder.value.items)
    let (firstSeq, baseTime) = (builder.value.firstSeq, builder.value.baseTime)
    let (usage, objects) = (builder.value.usage, builder.value.objects)
    let (body, splits) = builder.value.popBody()
    // Only a single event in a block of its own can be too large.
    func tooLarge(_ what: String) -> LogError {
      let seq = firstSeq + UInt64(events) - 1
      return LogError(
        .tooLarge, path: path, byteOffset: offset, message: "event \(seq) \(what); make several of it")
    }
    guard items <= LogFormat.itemsMax else {
      throw tooLarge("has \(items) parts, and a block at most \(LogFormat.itemsMax)")
    }
    guard body.count <= LogFormat.bodyBytesMax else {
      throw tooLarge("takes \(body.count) bytes, and a block has at most \(LogFormat.bodyBytesMax)")
    }
    try write(
      kind: BlockKind.events, body: body, splits: splits, events: events, firstSeq: firstSeq,
      baseTime: baseTime,
      durableSeq: durableSeq)
    index.add(usage, objects: objects)
  }

  private mutating func write(
    kind: UInt8, body: [UInt8], splits: [Int] = [], events: Int, firstSeq: UInt64, baseTime: UInt64,
    durableSeq: UInt64
  ) throws(LogError) {
    try append(
      seal(
        kind: kind, body: body, splits: splits, events: events, firstSeq: firstSeq, baseTime: baseTime,
        durableSeq: durableSeq, chain: chain))
  }

  /// Encodes and compresses a block that follows the block with the hash `chain`.
  func seal(
    kind: UInt8, body: [UInt8], splits: [Int], events: Int, firstSeq: UInt64, baseTime: UInt64,
    durableSeq: UInt64, chain: UInt64
  ) throws(LogError) -> SealedBlock {
    guard body.count <= LogFormat.bodyBytesMax else {
      throw LogError(
        .tooLarge, path: path, byteOffset: offset,
        message: "a block of \(body.count) bytes is over \(LogFormat.bodyBytesMax); record less at once")
    }
    let prefix = BlockPrefix(
      kind: kind, bodyLength: body.count, eventCount: events, firstSeq: firstSeq, baseTime: baseTime,
      salt: salt,
      chain: chain, durableSeq: durableSeq, bodyHash: XXH64.hash(body))
    let payload = prefix.encoded() + body
    guard let frame = compressor.frame(payload, splits: splits.map { LogFormat.prefixSize + $0 })
    else {
      throw LogError(
        .io, path: path, byteOffset: offset, message: "zstd ran out of memory; the log ends here")
    }
    return SealedBlock(
      prefix: prefix, frame: frame, payloadSize: payload.count, payloadHash: XXH64.hash(payload))
  }

  /// Writes a block after the last one.
  mutating func append(_ block: SealedBlock) throws(LogError) {
    try output.write(block.frame)
    chain = block.payloadHash
    last = block.prefix
    if block.prefix.kind == BlockKind.header {
      seekTable = SeekTable()
      index = IndexBuilder(open: index.open)
    }
    index.add(block.prefix, payloadHash: block.payloadHash)
    seekTable.append(
      compressedSize: block.frame.count, payloadSize: block.payloadSize, payloadHash: block.payloadHash)
  }

  /// Marks the log as closed and syncs it.
  mutating func finish() throws(LogError) {
    try finishSegment()
    try output.sync()
  }

  /// Writes the end of a segment: the index and the seek table.
  mutating func finishSegment() throws(LogError) {
    if let last, seekTable.entries.count < SeekTable.entriesMax {
      let body = index.body(of: seekTable, tables: &builder.value)
      if body.count <= LogFormat.payloadBytesMax / 2 {
        try write(
          kind: BlockKind.index, body: body, events: 0, firstSeq: last.firstSeq + UInt64(last.eventCount),
          baseTime: last.baseTime, durableSeq: last.durableSeq)
      }
    }
    if let table = seekTable.encoded() { try output.write(table) }
  }
}

// MARK: Segments

extension Sealer {
  /// Whether the segment is large or long enough to end. It ends where no transaction is open, so that the
  /// next one can begin with the state, unless it has grown too large meanwhile.
  var isSegmentFull: Bool {
    guard let rotation = output.rotation, rotation.isFull(offset, time: lastTime) else { return false }
    return checkpointer?.isInTransaction != true || rotation.isOverfull(offset)
  }

  /// Continues in a new file, which begins with the state.
  mutating func beginSegment(durableSeq: UInt64, isSynced: Bool) throws(LogError) {
    try output.beginSegment(time: lastTime, isSynced: isSynced)
    guard let header else { return }
    try writeHeader(header, firstSeq: nextSeq, time: lastTime)
    if checkpointer?.isInTransaction == false { try writeCheckpoint(durableSeq: durableSeq, always: true) }
  }
}

// MARK: Checkpoints

extension Sealer {
  /// Writes a checkpoint if the log has grown enough for one.
  private mutating func writeCheckpointIfDue(durableSeq: UInt64) throws(LogError) {
    guard checkpointer?.isDue == true else { return }
    try writeCheckpoint(durableSeq: durableSeq, always: false)
  }

  /// Writes a checkpoint after the last event. Returns false if it wrote none: before the first event, if
  /// checkpoints are off, or after an event that did not fit the state.
  ///
  /// - Parameter always: Whether to write it even if the log has hardly grown, as at the beginning of a
  ///   segment.
  @discardableResult
  mutating func writeCheckpoint(durableSeq: UInt64, always: Bool) throws(LogError) -> Bool {
    guard let nextSeq = checkpointer?.nextSeq, nextSeq > 1, let time = checkpointer?.time,
      let bodies = checkpointer?.bodies()
    else { return false }
    var frames: [SealedBlock] = []
    var chain = chain
    for body in bodies {
      let block = try seal(
        kind: BlockKind.checkpoint, body: body.body, splits: body.splits, events: 0, firstSeq: nextSeq,
        baseTime: time, durableSeq: durableSeq, chain: chain)
      chain = block.payloadHash
      frames.append(block)
    }
    let size = frames.reduce(0) { $0 + $1.frame.count }
    guard checkpointer?.accepts(size) == true || always else { return false }
    for block in frames { try append(block) }
    checkpointer?.markWritten()
    return true
  }
}

/// A block ready to be written.
struct SealedBlock {
  var prefix: BlockPrefix
  var frame: [UInt8]
  var payloadSize: Int
  /// XXH64 of the payload.
  var payloadHash: UInt64
}

/// A box for a noncopyable value, so that a copyable type can hold it.
private final class Owned<Value: ~Copyable> {
  var value: Value

  init(_ value: consuming Value) { self.value = value }
}
