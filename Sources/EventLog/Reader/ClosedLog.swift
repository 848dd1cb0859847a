/// The blocks of a closed log as its seek tables and indexes describe them, read from the end of the file
/// without opening the blocks.
///
/// Only the header and the index of each segment are checked here. Every other block is compared with its
/// entry in the index when it is read.
struct ClosedLog {
  /// The result of reading the end of a file.
  enum Found {
    case log(ClosedLog)
    /// The log was not closed, or a segment of it has no index.
    case noIndex
    /// The seek table, index and header contradict each other, so none of them is used.
    case contradiction
  }

  /// A segment and its index.
  struct Segment: Sendable {
    let index: SegmentIndex
    /// The blocks that the index describes, as indices in the log.
    let blocks: Range<Int>
  }

  private(set) var header: LogHeader?
  private(set) var blocks: [BlockInfo] = []
  private(set) var segments: [Segment] = []
  private(set) var salt: UInt64 = 0
  /// The hash of the payload of the last block.
  private(set) var chain: UInt64 = 0
  private(set) var nextSeq: UInt64 = 0
  /// The offset at which the last seek table ends.
  let endOffset: UInt64

  private init(endOffset: UInt64) { self.endOffset = endOffset }

  /// Reads the end of the file. If it does not find a log, the file must be scanned.
  static func find(
    in window: inout FileWindow, _ zstd: ZstdDecompressor, _ limits: ReadLimits?
  ) throws(LogError) -> Found {
    var log = ClosedLog(endOffset: window.fileSize)
    do throws(LogError) {
      for (offset, table) in try tables(&window, zstd) {
        guard try log.add(table, at: offset, &window, zstd, limits) else { return .noIndex }
      }
    } catch {
      if error.code == .io || error.code == .overLimit { throw error }
      return .contradiction
    }
    return log.header == nil ? .noIndex : .log(log)
  }

  /// The seek tables and the offset of the first block of each, found by walking from the end of the file to
  /// its beginning; empty if a segment has no table. Throws `damaged` if a table is impossible.
  private static func tables(
    _ window: inout FileWindow, _ zstd: ZstdDecompressor
  ) throws(LogError) -> [(offset: UInt64, table: SeekTable)] {
    var tables: [(offset: UInt64, table: SeekTable)] = []
    var end = window.fileSize
    while end > 0 {
      guard end > SeekTable.footerSize,
        let footer = try window.bytes(at: end - UInt64(SeekTable.footerSize), count: SeekTable.footerSize),
        let size = SeekTable.frameSize(footer: footer), size <= end,
        let frame = try window.bytes(at: end - UInt64(size), count: size),
        let table = SeekTable(decoding: frame), table.entries.count >= 2
      else {
        // Finds out whether a segment has no table, or the table after it leads to a wrong offset.
        if let (offset, table) = tables.last {
          _ = try window.payload(of: table.entries[0], at: offset, zstd)
        }
        return []
      }
      end -= UInt64(size)
      let length = table.entries.reduce(UInt64(0)) { $0 + UInt64($1.compressedSize) }
      guard length <= end else {
        throw window.damage(DecodeFault(reason: "the seek table has more than there is", offset: 0), in: end)
      }
      end -= length
      tables.append((end, table))
    }
    return tables.reversed()
  }

  /// Adds a segment; returns false if it has no index. Throws `damaged` if its parts contradict each other.
  private mutating func add(
    _ table: SeekTable, at start: UInt64, _ window: inout FileWindow, _ zstd: ZstdDecompressor,
    _ limits: ReadLimits?
  ) throws(LogError) -> Bool {
    guard let first = table.entries.first, let last = table.entries.last else { return false }
    let end = table.entries.reduce(start) { $0 + UInt64($1.compressedSize) }
    let head = try window.payload(of: first, at: start, zstd)
    try limits?.checkHeader(head, at: start, of: window.path)
    let tail = try window.payload(of: last, at: end - UInt64(last.compressedSize), zstd)
    do throws(DecodeFault) {
      let (opening, closing) = (try BlockPrefix(checking: head), try BlockPrefix(checking: tail))
      let isFirst = header == nil
      if isFirst {
        salt = opening.salt
        nextSeq = opening.firstSeq
        chain = opening.firstSeq > 1 ? opening.chain : 0
      }
      let header = try LogHeader(decoding: head, salt: salt)
      if isFirst { self.header = header }
      guard closing.kind == BlockKind.index else { return false }
      guard opening.kind == BlockKind.header, opening.salt == salt, opening.chain == chain,
        opening.firstSeq == nextSeq, closing.salt == salt
      else { throw DecodeFault(reason: "the segment does not follow the one before it", offset: 0) }
      let index = try SegmentIndex(tail, of: table)
      try index.check(opening, payloadHash: XXH64.hash(head), closing, table)
      segments.append(Segment(index: index, blocks: blocks.count..<blocks.count + index.blocks.count))
      var offset = start
      for (entry, block) in zip(table.entries, index.blocks) {
        try add(entry, block, at: offset)
        offset += UInt64(entry.compressedSize)
        let (next, overflow) = nextSeq.addingReportingOverflow(UInt64(block.eventCount))
        if overflow { throw DecodeFault(reason: "the index counts more events than there can be", offset: 0) }
        nextSeq = next
      }
      chain = XXH64.hash(tail)
      let block = SegmentIndex.Block(
        kind: closing.kind, eventCount: 0, baseTime: closing.baseTime, durableSeq: closing.durableSeq,
        hash: UInt32(truncatingIfNeeded: chain >> 32))
      try add(last, block, at: offset)
      guard closing.firstSeq == nextSeq else {
        throw DecodeFault(reason: "the index counts other events than come before it", offset: 16)
      }
      return true
    } catch {
      throw window.damage(error, in: start)
    }
  }

  private mutating func add(
    _ entry: SeekTable.Entry, _ block: SegmentIndex.Block, at offset: UInt64
  ) throws(DecodeFault) {
    guard block.durableSeq < nextSeq else {
      throw DecodeFault(reason: "the index claims that events to come were synced", offset: 0)
    }
    blocks.append(
      BlockInfo(
        offset: offset, compressedSize: Int(entry.compressedSize), payloadSize: Int(entry.payloadSize),
        kind: block.kind, eventCount: block.eventCount, firstSeq: nextSeq, baseTime: block.baseTime,
        durableSeq: block.durableSeq, payloadHash: UInt64(block.hash) << 32 | UInt64(entry.checksum)))
  }
}

extension FileWindow {
  /// The payload of the block at an offset according to a seek table, after a check of its frame and hash.
  fileprivate mutating func payload(
    of entry: SeekTable.Entry, at offset: UInt64, _ zstd: ZstdDecompressor
  ) throws(LogError) -> [UInt8] {
    let payload = try payload(
      at: offset, compressedSize: Int(entry.compressedSize), payloadSize: Int(entry.payloadSize), zstd)
    guard UInt32(truncatingIfNeeded: XXH64.hash(payload)) == entry.checksum else {
      throw damage(DecodeFault(reason: "the block is not the one of the seek table", offset: 0), in: offset)
    }
    return payload
  }
}
