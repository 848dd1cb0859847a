extension LogReader {
  /// Gives every event of the whole blocks in order, or those from a seq on, then throws if ``tail`` is `damaged`.
  ///
  /// A torn tail is no error here: the events before it are all there is. Errors of `body` end the pass. Memory: one
  /// block. Cost: linear in the events; blocks before the first are not opened.
  public func forEachEvent(from firstSeq: UInt64 = 1, _ body: (Event) throws -> Void) throws {
    let zstd = try decompressor()
    for block in blocks where block.kind == BlockKind.events {
      if block.endSeq <= firstSeq { continue }
      var cursor = try cursor(block, zstd)
      while let event = try next(&cursor, in: block) {
        if event.seq >= firstSeq { try body(event) }
      }
    }
    if case .damaged(let error, _) = tail { throw error }
  }

  /// The block that holds the event with this seq, if one does. Cost: logarithmic in the blocks.
  public func block(containing seq: UInt64) -> BlockInfo? {
    var (low, high) = (0, blocks.count)
    // The first block that ends behind the event.
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].endSeq <= seq { low = middle + 1 } else { high = middle }
    }
    guard low < blocks.count, blocks[low].firstSeq <= seq, blocks[low].eventCount > 0 else { return nil }
    return blocks[low]
  }

  /// Gives every row of the whole blocks in order with the tables of its block, then throws if ``tail`` is `damaged`.
  ///
  /// The fast way through a log: see ``BlockRows``. To map numbers once a block, take the blocks with
  /// ``rows(in:)``. Memory: one block.
  package func forEachRow(_ body: (borrowing Row, borrowing BlockRows) throws -> Void) throws {
    let zstd = try decompressor()
    var row = Row()
    for block in blocks where block.kind == BlockKind.events {
      var rows = try rows(in: block, zstd)
      while try next(&row, of: &rows, in: block) { try body(row, rows) }
    }
    if case .damaged(let error, _) = tail { throw error }
  }

  /// The rows of one block of events or of a kind that has the same columns. Throws `damaged` if it is not what the
  /// scan saw.
  package func rows(in block: BlockInfo) throws(LogError) -> BlockRows {
    try rows(in: block, decompressor())
  }

  /// The next row of a block, its fault as an error of this log.
  @inline(__always)
  package func next(
    _ row: inout Row, of rows: inout BlockRows, in block: BlockInfo
  ) throws(LogError) -> Bool {
    do { return try rows.next(&row) } catch { throw damage(error, in: block.offset) }
  }

  /// The events of one block. Throws `damaged` if it is not what the scan saw.
  public func events(in block: BlockInfo) throws(LogError) -> [Event] {
    guard block.kind == BlockKind.events else { return [] }
    var cursor = try cursor(block, decompressor())
    var events: [Event] = []
    events.reserveCapacity(block.eventCount)
    while let event = try next(&cursor, in: block) { events.append(event) }
    return events
  }

  /// The next event of a cursor, its fault as an error of this log.
  private func next(_ cursor: inout BlockCursor, in block: BlockInfo) throws(LogError) -> Event? {
    do { return try cursor.next() } catch { throw damage(error, in: block.offset) }
  }

  private func cursor(_ block: BlockInfo, _ zstd: ZstdDecompressor) throws(LogError) -> BlockCursor {
    BlockCursor(try rows(in: block, zstd))
  }

  private func rows(in block: BlockInfo, _ zstd: ZstdDecompressor) throws(LogError) -> BlockRows {
    let window = FileWindow(file, path: path, fileSize: block.endOffset)
    guard let frame = try window.bytes(at: block.offset, count: block.compressedSize) else {
      throw LogError(
        .torn, path: path, byteOffset: block.offset,
        message: "the file became shorter while it was read; open it again")
    }
    do throws(DecodeFault) {
      let payload = try zstd.content(of: frame, size: block.payloadSize)
      guard XXH64.hash(payload) == block.payloadHash else {
        throw DecodeFault(reason: "the block changed while it was read", offset: 0)
      }
      return try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload))
    } catch {
      throw damage(error, in: block.offset)
    }
  }
}
