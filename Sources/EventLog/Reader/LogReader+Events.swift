import Algorithms

extension LogReader {
  /// Gives every event of the whole blocks in order, or those from a seq on, then throws if ``tail`` is `damaged`.
  ///
  /// A torn tail is no error here: the events before it are all there is. Errors of `body` end the pass. Memory: one
  /// block. Cost: linear in the events; blocks before the first are not opened.
  public func forEachEvent(from firstSeq: UInt64 = 1, _ body: (Event) throws -> Void) throws {
    try forEachBlock(from: firstSeq) { _, rows in
      var cursor = BlockCursor(rows)
      while let event = try cursor.next() {
        if event.seq >= firstSeq { try body(event) }
      }
    }
  }

  /// Gives the blocks of events in order to be read row by row, those before a seq left out, then throws if ``tail``
  /// is `damaged`. The fast way through a log: see ``BlockRows``.
  ///
  /// Errors of `body` end the pass, and faults of the rows come out as `damaged`. Memory: one block.
  public func forEachBlock(
    from firstSeq: UInt64 = 1, _ body: (BlockInfo, inout BlockRows) throws -> Void
  ) throws {
    var next = firstSeq
    do {
      try read(blocks.lazy.filter { $0.kind == BlockKind.events && $0.endSeq > firstSeq }) { block, rows in
        next = max(next, block.endSeq)
        try body(block, &rows)
      }
      try checkEnd()
    } catch let error as LogError where error.code == .wrongIndex {
      guard let scanned = try withoutWrongIndex() else { throw error }
      return try scanned.forEachBlock(from: next, body)
    }
    if case .damaged(let error, _) = tail { throw error }
  }

  /// Looks at the blocks behind the last events, which a reader of events passes over: an index that is wrong could hide
  /// events there. Throws as ``read(_:_:)``.
  package func checkEnd() throws(LogError) {
    guard indexUse == .believed, let last = segments.last else { return }
    let zstd = try decompressor()
    for block in blocks[last.blocks].reversed() {
      if block.kind == BlockKind.events || block.kind == BlockKind.header { break }
      _ = try payload(of: block, zstd)
    }
  }

  /// Gives these blocks, of events or of a kind that has the same columns, to be read row by row.
  ///
  /// Throws `damaged` if one is not what it was when the log was opened, and `wrongIndex` if it is whole and the index
  /// says something else of it. Errors of `body` end the pass, and faults of the rows come out as `damaged`. Memory: one
  /// block.
  public func read(
    _ blocks: some Sequence<BlockInfo>, _ body: (BlockInfo, inout BlockRows) throws -> Void
  ) throws {
    let zstd = try decompressor()
    for block in blocks {
      let payload = try payload(of: block, zstd)
      do {
        var rows = try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload))
        try body(block, &rows)
      } catch let fault as DecodeFault {
        throw damage(fault, in: block.offset)
      }
    }
  }

  /// The events of one block. Throws `damaged` if it is not what it was when the log was opened, and `wrongIndex` if it
  /// is whole and the index says something else of it.
  public func events(in block: BlockInfo) throws(LogError) -> [Event] {
    guard block.kind == BlockKind.events else { return [] }
    let payload = try payload(of: block, decompressor())
    do throws(DecodeFault) {
      var cursor = BlockCursor(try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload)))
      var events: [Event] = []
      events.reserveCapacity(block.eventCount)
      while let event = try cursor.next() { events.append(event) }
      return events
    } catch {
      throw damage(error, in: block.offset)
    }
  }

  /// The block that holds the event with this seq, if one does. Cost: logarithmic in the blocks.
  public func block(containing seq: UInt64) -> BlockInfo? {
    let index = blocks.partitioningIndex { $0.endSeq > seq }
    guard index < blocks.count else { return nil }
    let block = blocks[index]
    return block.firstSeq <= seq && block.eventCount > 0 ? block : nil
  }

  private func block(before block: BlockInfo) -> BlockInfo? {
    let index = blocks.partitioningIndex { $0.offset >= block.offset }
    return index > 0 ? blocks[index - 1] : nil
  }

  /// The payload of a block, which must be what the block was when the log was opened.
  ///
  /// A block that is not what the index says may be damaged, or the index is wrong: a scan tells.
  func payload(of block: BlockInfo, _ zstd: ZstdDecompressor) throws(LogError) -> [UInt8] {
    do throws(LogError) { return try payload(asListed: block, zstd) } catch {
      guard error.code == .damaged, try withoutWrongIndex() != nil else { throw error }
      throw LogError(
        .wrongIndex, path: path, byteOffset: block.offset,
        message: "the index of the log does not agree with this block; read the log without it")
    }
  }

  private func payload(asListed block: BlockInfo, _ zstd: ZstdDecompressor) throws(LogError) -> [UInt8] {
    var window = FileWindow(file, path: path, fileSize: block.endOffset)
    let payload = try window.payload(
      at: block.offset, compressedSize: block.compressedSize, payloadSize: block.payloadSize, zstd)
    do throws(DecodeFault) {
      guard XXH64.hash(payload) == block.payloadHash else {
        throw DecodeFault(reason: "the block changed since the log was opened or closed", offset: 0)
      }
      // Scanned blocks were checked; the others were only listed.
      let prefix = try BlockPrefix(checking: payload)
      guard prefix.kind == block.kind, prefix.eventCount == block.eventCount,
        prefix.firstSeq == block.firstSeq, prefix.baseTime == block.baseTime,
        prefix.durableSeq == block.durableSeq, prefix.salt == header.salt
      else { throw DecodeFault(reason: "the block is not what the index says", offset: 0) }
      if indexUse == .believed, let before = self.block(before: block), before.payloadHash != prefix.chain {
        throw DecodeFault(reason: "the block does not follow the one before it", offset: 40)
      }
      return payload
    } catch {
      throw damage(error, in: block.offset)
    }
  }
}
