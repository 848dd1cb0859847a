// Reading an open log: its events, its state after any of them, and the contents of its indexes.

import Algorithms

// MARK: Events

extension LogReader {
  /// Calls `body` with every event of the valid blocks in order, or those from a seq on, then throws if
  /// ``tail`` is `damaged`.
  ///
  /// A torn tail is not an error here, because the events before it are complete. Errors of `body` end the
  /// pass. Memory: one block. Cost: linear in the events; blocks before the first event are not opened.
  public func forEachEvent(from firstSeq: UInt64 = 1, _ body: (Event) throws -> Void) throws {
    try forEachBlock(from: firstSeq) { _, rows in
      let cursor = BlockCursor(rows)
      while let event = try cursor.next() {
        if event.seq >= firstSeq { try body(event) }
      }
    }
  }

  /// Calls `body` with every block of events in order, or those from a seq on, then throws if ``tail`` is
  /// `damaged`. This is the fast way to read a log, row by row; see ``BlockRows``.
  ///
  /// Errors of `body` end the pass; rows that cannot be decoded are thrown as `damaged`. Memory: one block.
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

  /// Checks the blocks after the last events, which a reader of events skips: a wrong index could hide events
  /// there. Throws as ``read(_:_:)``.
  package func checkEnd() throws(LogError) {
    if indexUse == .believed { try checkBlocks(beforeIndex: blocks.count, decompressor()) }
  }

  /// Calls `body` with each of the given blocks, which must be of events or of a kind with the same columns,
  /// to be read row by row.
  ///
  /// Throws `damaged` if a block has changed since the log was opened, and `wrongIndex` if the block is valid
  /// but the index describes it differently. Errors of `body` end the pass; rows that cannot be decoded are
  /// thrown as `damaged`. Memory: one block.
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

  /// The events of one block. Throws `damaged` if it has changed since the log was opened, and `wrongIndex`
  /// if it is valid but the index describes it differently.
  public func events(in block: BlockInfo) throws(LogError) -> [Event] {
    guard block.kind == BlockKind.events else { return [] }
    let payload = try payload(of: block, decompressor())
    do throws(DecodeFault) {
      let cursor = BlockCursor(try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload)))
      var events: [Event] = []
      events.reserveCapacity(block.eventCount)
      while let event = try cursor.next() { events.append(event) }
      return events
    } catch {
      throw damage(error, in: block.offset)
    }
  }

  /// The block that contains the event with this seq, if there is one. Cost: logarithmic in the blocks.
  public func block(containing seq: UInt64) -> BlockInfo? {
    let index = blocks.partitioningIndex { $0.endSeq > seq }
    guard index < blocks.count else { return nil }
    let block = blocks[index]
    return block.firstSeq <= seq && block.eventCount > 0 ? block : nil
  }

  private func block(before block: BlockInfo) -> BlockInfo? {
    let index = index(atOrAfter: block.offset)
    return index > 0 ? blocks[index - 1] : nil
  }

  private func index(atOrAfter offset: UInt64) -> Int { blocks.partitioningIndex { $0.offset >= offset } }

  /// The payload of a block, which must be the same as when the log was opened.
  ///
  /// If a block differs from its entry in the index, either the block or the index may be wrong; a scan
  /// decides.
  func payload(of block: BlockInfo, _ zstd: ZstdDecompressor) throws(LogError) -> [UInt8] {
    if indexUse == .believed, block.kind == BlockKind.events {
      try checkBlocks(beforeIndex: index(atOrAfter: block.offset), zstd)
    }
    return try payload(ofAny: block, zstd)
  }

  /// Checks the blocks without events before an index, back to the last events, each once. A scan would not
  /// get past an invalid one, so a pass that skips them must not either.
  private func checkBlocks(beforeIndex end: Int, _ zstd: ZstdDecompressor) throws(LogError) {
    let start = blocks[..<end].lastIndex { $0.kind == BlockKind.events }.map { $0 + 1 } ?? 0
    for other in blocks[start..<end] where !isChecked(other) {
      _ = try payload(ofAny: other, zstd)
      markChecked(other)
    }
  }

  private func payload(ofAny block: BlockInfo, _ zstd: ZstdDecompressor) throws(LogError) -> [UInt8] {
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
      // A scan has already checked the block; the index has only listed it.
      let prefix = try BlockPrefix(checking: payload)
      guard prefix.kind == block.kind, prefix.eventCount == block.eventCount,
        prefix.firstSeq == block.firstSeq, prefix.baseTime == block.baseTime,
        prefix.durableSeq == block.durableSeq, prefix.salt == header.salt
      else { throw DecodeFault(reason: "the block is not what the index says", offset: 0) }
      if prefix.kind == BlockKind.header { _ = try LogHeader(decoding: payload, salt: prefix.salt) }
      if indexUse == .believed, let before = self.block(before: block), before.payloadHash != prefix.chain {
        throw DecodeFault(reason: "the block does not follow the one before it", offset: 40)
      }
      return payload
    } catch {
      throw damage(error, in: block.offset)
    }
  }
}

/// Opens blocks of a log one after the other with one decompressor.
package struct BlockOpener {
  private let reader: LogReader
  private let zstd: ZstdDecompressor

  /// Throws `io` if there is no memory for the decompressor.
  package init(_ reader: LogReader) throws(LogError) {
    self.reader = reader
    zstd = try reader.decompressor()
  }

  /// The rows of a block of events. Throws `damaged` if it has changed since the log was opened.
  package func rows(of block: BlockInfo) throws(LogError) -> BlockRows {
    let payload = try reader.payload(of: block, zstd)
    do throws(DecodeFault) {
      return try BlockRows(payload: payload, prefix: BlockPrefix(decoding: payload))
    } catch {
      throw reader.damage(error, in: block.offset)
    }
  }
}

// MARK: The state

extension LogReader {
  /// The state after an event. For 0 it is the empty state; for a larger seq than the last, the state after
  /// the last event.
  ///
  /// Cost: one checkpoint and the events after it, or all earlier events if the log has no checkpoint. Throws
  /// `damaged` if a block that is needed cannot be read, `missingState` if the log begins in the middle
  /// without a checkpoint, `invalidEvent` if an event does not fit those before it, and `overLimit` if the
  /// state is larger than ``limits`` allow.
  public func state(at seq: UInt64) throws(LogError) -> State {
    let fold = try fold(at: seq)
    if let failure = fold.failure { throw misfit(failure) }
    return fold.state
  }

  /// The state and the living projections after an event, as ``state(at:)``. An event that does not fit is
  /// reported as the failure of the fold.
  ///
  /// - Parameters:
  ///   - known: The state after an earlier event, to begin there unless a checkpoint is nearer.
  ///   - visit: Called with the state after each block on the way.
  package func fold(
    at seq: UInt64, from known: StateFold? = nil, passing visit: (StateFold) -> Void = { _ in }
  ) throws(LogError) -> StateFold {
    try rereading { log throws(LogError) in try log.foldAsListed(at: seq, from: known, passing: visit) }
  }

  private func foldAsListed(
    at seq: UInt64, from known: StateFold?, passing visit: (StateFold) -> Void
  ) throws(LogError) -> StateFold {
    if seq >= nextSeq - 1 { try checkEnd() }
    let checkpoint = try lastCheckpoint(atOrBefore: seq, after: known?.seq)
    var fold = checkpoint ?? known ?? StateFold(limits: limits)
    if let first = blocks.first, fold.seq + 1 < first.firstSeq { throw noState(before: first.firstSeq) }
    let start = fold.seq
    try pass(blocks.lazy.filter { $0.isOfEvents(from: start + 1, to: seq) }) { _, rows throws(DecodeFault) in
      try fold.apply(&rows, upTo: seq)
      visit(fold)
    }
    return fold
  }

  private func noState(before seq: UInt64) -> LogError {
    LogError(
      .missingState, path: path, byteOffset: 0,
      message:
        "the log begins with event \(seq), and the state before it is not in it; use the part before, too")
  }

  /// The error of this log for an event that does not fit the state.
  package func misfit(_ failure: StateFold.Failure) -> LogError {
    let offset = block(containing: failure.seq)?.offset
    return failure.error.isOverLimit
      ? .overLimit(path, at: offset, failure)
      : LogError(.invalidEvent, path: path, byteOffset: offset, message: "\(failure)")
  }

  /// Reads blocks with a body that throws only decoding faults.
  private func pass(
    _ blocks: some Sequence<BlockInfo>, _ body: (BlockInfo, inout BlockRows) throws(DecodeFault) -> Void
  ) throws(LogError) {
    do { try read(blocks) { try body($0, &$1) } } catch let error as LogError { throw error } catch {
      throw LogError(.internal, path: path, message: "\(error)")
    }
  }
}

extension LogReader {
  /// For each checkpoint, the indices of its blocks in ``blocks``, in order.
  package var checkpoints: [Range<Int>] {
    var found: [Range<Int>] = []
    var end = blocks.count
    while let range = checkpoint(before: end) {
      found.append(range)
      end = range.lowerBound
    }
    return found.reversed()
  }

  /// The contents of a checkpoint; nil if it is incomplete or invalid.
  package func checkpoint(_ range: Range<Int>) throws(LogError) -> StateFold? {
    var events: [Event.Body] = []
    do throws(LogError) {
      try pass(blocks[range]) { _, rows throws(DecodeFault) in
        let cursor = BlockCursor(rows)
        while let event = try cursor.next() { events.append(event.body) }
      }
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
    let first = blocks[range.lowerBound]
    return StateFold(checkpoint: events, after: first.firstSeq - 1, time: first.baseTime, limits: limits)
  }

  /// The contents of the last complete checkpoint before the event with this seq or directly after it, unless
  /// that gives no later state than a known one. A checkpoint that cannot be read is skipped, because the events lead
  /// to the same state.
  private func lastCheckpoint(atOrBefore seq: UInt64, after known: UInt64?) throws(LogError) -> StateFold? {
    var end = blocks.count
    while let range = checkpoint(before: end) {
      let here = blocks[range.lowerBound].firstSeq - 1
      if let known, here <= known { return nil }
      if here <= seq, let fold = try checkpoint(range) { return fold }
      end = range.lowerBound
    }
    return nil
  }

  /// The blocks of the last checkpoint before an index: consecutive blocks with the same first seq.
  private func checkpoint(before end: Int) -> Range<Int>? {
    guard let last = blocks[..<end].lastIndex(where: { $0.kind == BlockKind.checkpoint }) else { return nil }
    let isPart = { (block: BlockInfo) in
      block.kind == BlockKind.checkpoint && block.firstSeq == blocks[last].firstSeq
    }
    let before = blocks[..<last].lastIndex { !isPart($0) }
    return (before.map { $0 + 1 } ?? 0)..<last + 1
  }
}

extension BlockInfo {
  fileprivate func isOfEvents(from first: UInt64, to last: UInt64) -> Bool {
    kind == BlockKind.events && endSeq > first && firstSeq <= last
  }
}

// MARK: Reading indexes

extension LogReader {
  /// Counts of the log's contents if it was opened by its indexes, without reading further; otherwise nil.
  public func totals() -> LogTotals? {
    guard let kinds = kindCounts() else { return nil }
    var (duration, objects): (UInt64, Int) = (0, 0)
    var projections: Set<ExactString> = []
    for segment in segments {
      guard let lists = try? segment.index.lists() else { return nil }
      duration = max(duration, segment.index.latestTime)
      objects += segment.index.objects
      for id in Set(lists.projections.map(\.id)) { projections.insert(lists.tables.string(id)) }
    }
    return LogTotals(kinds: kinds, duration: duration, objects: objects, projections: projections.count)
  }

  /// The number of events of each kind, indexed by ``EventKind``, if the log was opened by its indexes; otherwise nil.
  package func kindCounts() -> [Int]? {
    guard let last = segments.last, last.blocks.upperBound + 1 == blocks.count else { return nil }
    var kinds = Array(repeating: 0, count: EventKind.count)
    for segment in segments {
      for kind in kinds.indices { kinds[kind] += segment.index.kindCounts[kind] }
    }
    // An index that contradicts itself is ignored.
    return kinds.reduce(0, +) == eventCount ? kinds : nil
  }

  /// The event blocks that may set, splice or remove a matching path. If the log was opened by its indexes,
  /// these are all blocks that do and few others; otherwise they are all blocks. Cost: linear in the indexes.
  public func blocks(writing pattern: PathPattern) -> [BlockInfo] {
    blocks { lists in
      var known: (id: BlockPathID?, isMatch: Bool) = (nil, false)
      return lists.paths.filter { run in
        if run.id != known.id { known = (run.id, pattern.matches(lists.tables.path(run.id))) }
        return known.isMatch
      }.map(\.blocks)
    }
  }

  /// The event blocks that may be about a projection whose name matches, as ``blocks(writing:)``.
  public func blocks(naming matches: (String) -> Bool) -> [BlockInfo] {
    blocks { lists in lists.projections.filter { matches(lists.tables.string($0.id)) }.map(\.blocks) }
  }

  /// The number of transactions that are open where a block begins. Nil unless the log was opened by its
  /// indexes and the block is among ``blocks``.
  package func openTransactions(before block: BlockInfo) -> Int? {
    guard let segment = segments.last(where: { blocks[$0.blocks.lowerBound].offset <= block.offset }),
      let index = segment.blocks.first(where: { blocks[$0].offset == block.offset })
    else { return nil }
    return segment.index.blocks[index - segment.blocks.lowerBound].openTransactions
  }

  private func blocks(_ choose: (IndexLists) -> [Range<Int>]) -> [BlockInfo] {
    var isChosen = Array(repeating: true, count: blocks.count)
    for segment in segments {
      // If an index has no lists or cannot be read, all blocks of its segment are read.
      guard let lists = try? segment.index.lists() else { continue }
      for index in segment.blocks { isChosen[index] = false }
      for index in choose(lists).joined() { isChosen[segment.blocks.lowerBound + index] = true }
    }
    return zip(blocks, isChosen).filter { $0.kind == BlockKind.events && $1 }.map(\.0)
  }
}
