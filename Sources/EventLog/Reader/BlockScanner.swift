/// Walks the blocks of a file from the front, and checks each of them.
struct BlockScanner: Sendable {
  /// The result of examining the current offset.
  enum Found {
    case block(BlockInfo, payload: [UInt8])
    case skippable(magic: UInt32, offset: UInt64, size: Int)
    case end
    /// The file ends within a frame.
    case torn(String)
    /// The bytes here cannot be a frame of a log.
    case garbage(String, at: UInt64)
    /// A frame is complete but invalid.
    case damaged(LogError)
  }

  let path: String
  /// Nil for a log of this program's own.
  private let limits: ReadLimits?
  /// What the blocks so far unpack to; see ``ReadLimits``.
  private var unpacked: UInt64 = 0
  /// The offset of the next frame; all blocks before it are valid.
  private(set) var offset: UInt64 = 0
  private(set) var nextSeq: UInt64 = 1
  private(set) var salt: UInt64 = 0
  private var chain: UInt64 = 0
  private var isFirst = true
  /// Whether the log has events before `offset`.
  private var hasEvents = false

  init(path: String, limits: ReadLimits?) {
    self.path = path
    self.limits = limits
  }

  /// Continues after the end of a closed log. Throws `overLimit` if its blocks unpack to too much.
  init(path: String, behind log: ClosedLog, limits: ReadLimits?) throws(LogError) {
    self.init(path: path, limits: limits)
    for block in log.blocks { try count(block, of: log.endOffset) }
    offset = log.endOffset
    nextSeq = log.nextSeq
    salt = log.salt
    chain = log.chain
    isFirst = false
    hasEvents = true
  }

  /// Continues after unreadable bytes, with a block that was found there.
  init(path: String, resumingAt offset: UInt64, with prefix: BlockPrefix, limits: ReadLimits?) {
    self.init(path: path, limits: limits)
    self.offset = offset
    salt = prefix.salt
    chain = prefix.chain
    nextSeq = prefix.firstSeq
    isFirst = false
    hasEvents = prefix.firstSeq > 1
  }

  /// Examines the frame at the current offset, and moves past it if it is valid. Throws `io`, and `overLimit`
  /// if the blocks so far unpack to too much.
  mutating func next(_ window: inout FileWindow, _ zstd: ZstdDecompressor) throws(LogError) -> Found {
    if offset == window.fileSize { return .end }
    switch try ZstdFrame.find(at: offset, in: &window) {
    case .incomplete:
      return .torn("the file ends inside the block that starts here")
    case .invalid(let reason, let offset):
      return .garbage(reason, at: offset)
    case .skippable(let magic, let size):
      defer { offset += UInt64(size) }
      return .skippable(magic: magic, offset: offset, size: size)
    case .data(let compressedSize, let contentSize):
      guard let frame = try window.bytes(at: offset, count: compressedSize) else {
        return .torn("the file became shorter while it was read")
      }
      func damaged(_ fault: DecodeFault) -> Found {
        .damaged(damage(fault.reason, at: offset, payloadOffset: fault.offset))
      }
      let (info, payload): (BlockInfo, [UInt8])
      do throws(DecodeFault) { payload = try zstd.content(of: frame, size: contentSize) } catch {
        return damaged(error)
      }
      try limits?.checkHeader(payload, at: offset, of: path)
      do throws(DecodeFault) { info = try check(payload, compressedSize: compressedSize) } catch {
        return damaged(error)
      }
      try count(info, of: window.fileSize)
      offset = info.endOffset
      return .block(info, payload: payload)
    }
  }

  /// Counts what a block unpacks to.
  private mutating func count(_ block: BlockInfo, of fileSize: UInt64) throws(LogError) {
    unpacked += ReadLimits.unpackedBytes(block)
    guard let limits, unpacked > limits.unpackedBytes(ofFile: fileSize) else { return }
    throw .overLimit(
      path, at: block.offset,
      "the blocks up to here unpack to \(unpacked / UInt64(max(block.endOffset, 1))) times their size")
  }

  /// Checks a payload by itself and against the block before, and remembers it as the last one.
  private mutating func check(_ payload: [UInt8], compressedSize: Int) throws(DecodeFault) -> BlockInfo {
    let prefix = try BlockPrefix(checking: payload)
    if prefix.kind == BlockKind.header {
      // The first block of a file must have a readable header; otherwise recovery could report a log as whole
      // that cannot be opened.
      _ = try LogHeader(decoding: payload, salt: prefix.salt)
    }
    if isFirst {
      guard prefix.kind == BlockKind.header else {
        throw DecodeFault(reason: "the first block is no header", offset: 5)
      }
      nextSeq = prefix.firstSeq
      // A file that begins after event 1 is the continuation of a log whose last block is not in it, so its
      // hash is taken as given.
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
    if prefix.eventCount > 0 { hasEvents = true }
    return BlockInfo(
      offset: offset, compressedSize: compressedSize, payloadSize: payload.count, kind: prefix.kind,
      eventCount: prefix.eventCount, firstSeq: prefix.firstSeq, baseTime: prefix.baseTime,
      durableSeq: prefix.durableSeq, payloadHash: chain)
  }

  /// The advice if there is no valid event before the damage.
  static let advice = ": keep a copy of the file, and recover what is behind it"

  func damage(_ reason: String, at offset: UInt64, payloadOffset: Int? = nil) -> LogError {
    let advice =
      hasEvents ? "; the events before it are good: keep a copy of the file and recover them" : Self.advice
    return LogError(
      .damaged, path: path, byteOffset: offset, payloadOffset: payloadOffset, message: reason + advice)
  }
}

/// Searches for blocks of the same log after unreadable bytes. If there are some, the log is damaged in the
/// middle, and not merely unfinished.
struct BlockSearch {
  /// The salt of the log; nil if it is not known yet.
  let salt: UInt64?
  /// Event blocks before this seq are copies of blocks already read, and are ignored.
  let nextSeq: UInt64

  /// The limit on uncompressed bytes spent on frames that turn out not to be blocks of this log.
  private static let wastedBytesMax = 64 << 20
  private static let stepBytes = 256 << 10

  /// The offset of the first complete, valid block from `start` on; nil if there is none. Cost: linear in the
  /// rest of the file, or in the part that is searched, without holes, in which no block can begin.
  func firstBlock(
    from start: UInt64, searching reach: UInt64 = .max, in window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> UInt64? {
    var offset = start
    var budget = Self.wastedBytesMax
    while budget > 0, let data = try window.nextData(from: offset) {
      offset = data
      guard offset < window.fileSize, offset - start < reach else { return nil }
      let count = Int(min(UInt64(Self.stepBytes), window.fileSize - offset))
      guard let bytes = try window.bytes(at: offset, count: count) else { return nil }
      for index in 0..<max(0, count - 3) where bytes[index] == 0x28 && bytes[index + 1] == 0xB5 {
        guard bytes[index + 2] == 0x2F, bytes[index + 3] == 0xFD, budget > 0 else { continue }
        if try isBlock(at: offset + UInt64(index), in: &window, zstd, &budget) {
          return offset + UInt64(index)
        }
      }
      // The magic may straddle two steps.
      offset += UInt64(max(1, count - 3))
    }
    return nil
  }

  private func isBlock(
    at offset: UInt64, in window: inout FileWindow, _ zstd: ZstdDecompressor, _ budget: inout Int
  ) throws(LogError) -> Bool {
    // Finding the end of a frame visits its zstd blocks, so this charges the budget for the most that a frame
    // can have.
    budget -= LogFormat.zstdBlocksMax
    guard case .data(let compressedSize, let contentSize) = try ZstdFrame.find(at: offset, in: &window) else {
      return false
    }
    budget -= max(compressedSize, contentSize)
    guard let frame = try window.bytes(at: offset, count: compressedSize) else { return false }
    do throws(DecodeFault) {
      let prefix = try BlockPrefix(checking: try zstd.content(of: frame, size: contentSize))
      return (salt == nil || prefix.salt == salt) && prefix.firstSeq >= nextSeq
    } catch {
      return false
    }
  }
}
