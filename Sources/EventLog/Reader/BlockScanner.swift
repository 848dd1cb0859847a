/// Walks the blocks of a file from the front and believes none of them unchecked.
struct BlockScanner: Sendable {
  /// What was found at the current offset.
  enum Step {
    case block(BlockInfo, payload: [UInt8])
    case skippable(magic: UInt32, offset: UInt64, size: Int)
    case end
    /// The file ends in the middle of a frame.
    case torn(String)
    /// What is here is no frame that a log could have.
    case garbage(String, at: UInt64)
    /// A frame is complete and wrong.
    case damaged(LogError)
  }

  let path: String
  /// Where the next frame starts; blocks before it are whole and valid.
  private(set) var offset: UInt64 = 0
  private(set) var nextSeq: UInt64 = 1
  private(set) var salt: UInt64 = 0
  private var chain: UInt64 = 0
  private var isFirst = true

  init(path: String) { self.path = path }

  /// Goes on where a closed log ends.
  init(path: String, behind log: ClosedLog) {
    self.path = path
    offset = log.endOffset
    nextSeq = log.nextSeq
    salt = log.salt
    chain = log.chain
    isFirst = false
  }

  /// Goes on behind a place that could not be read, with a block that was found there.
  init(path: String, resumingAt offset: UInt64, with prefix: BlockPrefix) {
    self.path = path
    self.offset = offset
    salt = prefix.salt
    chain = prefix.chain
    nextSeq = prefix.firstSeq
    isFirst = false
  }

  /// Looks at the frame at the current offset, and moves behind it if it is valid.
  mutating func next(_ window: inout FileWindow, _ zstd: ZstdDecompressor) throws(LogError) -> Step {
    if offset == window.fileSize { return .end }
    switch try ZstdFrame.find(at: offset, in: &window) {
    case .incomplete:
      return .torn("the file ends inside the block that starts here")
    case .invalid(let reason, let place):
      return .garbage(reason, at: place)
    case .skippable(let magic, let size):
      defer { offset += UInt64(size) }
      return .skippable(magic: magic, offset: offset, size: size)
    case .data(let compressedSize, let contentSize):
      guard let frame = try window.bytes(at: offset, count: compressedSize) else {
        return .torn("the file became shorter while it was read")
      }
      do throws(DecodeFault) {
        let payload = try zstd.content(of: frame, size: contentSize)
        let info = try check(payload, compressedSize: compressedSize)
        offset = info.endOffset
        return .block(info, payload: payload)
      } catch {
        return .damaged(damage(error.reason, at: offset, payloadOffset: error.offset))
      }
    }
  }

  /// Checks a payload against itself and against the blocks before, and remembers it as the last one.
  private mutating func check(_ payload: [UInt8], compressedSize: Int) throws(DecodeFault) -> BlockInfo {
    let prefix = try BlockPrefix(checking: payload)
    if prefix.kind == BlockKind.header {
      // Any header may come to be the first of a file, and recovery must not take for whole what does not open.
      let body = ByteReader(payload, in: LogFormat.prefixSize..<payload.count)
      _ = try LogHeader(decoding: body, salt: prefix.salt)
    }
    if isFirst {
      guard prefix.kind == BlockKind.header else {
        throw DecodeFault(reason: "the first block is no header", offset: 5)
      }
      nextSeq = prefix.firstSeq
      // A file that begins after event 1 begins within a log, and the block before is not in it.
      if prefix.firstSeq > 1 { chain = prefix.chain }
    } else {
      guard prefix.salt == salt else {
        throw DecodeFault(reason: "the block belongs to another log", offset: 32)
      }
    }
    guard prefix.chain == chain else {
      throw DecodeFault(reason: "the block does not follow the one before it", offset: 40)
    }
    guard prefix.firstSeq == nextSeq else {
      throw DecodeFault(
        reason: "the block starts at event \(prefix.firstSeq), and \(nextSeq) is next", offset: 16)
    }
    guard prefix.durableSeq < nextSeq else {
      throw DecodeFault(reason: "the block claims that events to come were synced", offset: 48)
    }
    salt = prefix.salt
    chain = XXH64.hash(payload)
    nextSeq += UInt64(prefix.eventCount)
    isFirst = false
    return BlockInfo(
      offset: offset, compressedSize: compressedSize, payloadSize: payload.count, kind: prefix.kind,
      eventCount: prefix.eventCount, firstSeq: prefix.firstSeq, baseTime: prefix.baseTime,
      durableSeq: prefix.durableSeq, payloadHash: chain)
  }

  func damage(_ reason: String, at offset: UInt64, payloadOffset: Int? = nil) -> LogError {
    LogError(
      .damaged, path: path, byteOffset: offset, payloadOffset: payloadOffset,
      message: "\(reason); the events before it are good: keep a copy of the file and recover them")
  }
}

extension BlockPrefix {
  /// Reads a prefix and checks the whole payload against it.
  init(checking payload: [UInt8]) throws(DecodeFault) {
    try self.init(decoding: payload)
    guard bodyLength == payload.count - LogFormat.prefixSize else {
      throw DecodeFault(
        reason: "the body is \(payload.count - LogFormat.prefixSize) bytes, not \(bodyLength)", offset: 8)
    }
    switch kind {
    case BlockKind.events:
      if eventCount == 0 { throw DecodeFault(reason: "a block of events has none", offset: 12) }
    case BlockKind.header, LogFormat.firstOptionalKind...:
      if eventCount != 0 { throw DecodeFault(reason: "a block of kind \(kind) has events", offset: 12) }
    default:
      throw DecodeFault(reason: "a block has kind \(kind), which a newer version must have made", offset: 5)
    }
    guard XXH64.hash(payload, in: LogFormat.prefixSize..<payload.count) == bodyHash else {
      throw DecodeFault(reason: "the checksum of the body is wrong", offset: 56)
    }
  }
}
