/// Checks that the seek tables and indexes of a log agree with its blocks, and that they leave nothing out.
struct IndexCheck {
  /// The disagreements found, each with the offset of the block that shows it.
  private(set) var findings: [LogCheck.Finding] = []
  /// The number of indexes in the log.
  private(set) var count = 0

  private var segments: [Segment] = []
  /// The segment of the current rows, if it has an index, and the position of the next segment.
  private var current: Int?
  private var next = 0
  private var paths = Listing<BlockPathID, PathID>()
  private var projections = Listing<StringID, ProjectionID>()
  /// The epoch of the ids in both listings; nil until they are filled.
  private var epoch: UInt32?
  private var counter = LogCounter()
  private var openTransactions: Int
  private let blocks: [BlockInfo]
  // The current block: its index in the log, and which of its paths and names have been seen.
  private var block = 0
  private var seenPaths: [Bool] = []
  private var seenNames: [Bool] = []

  /// A segment that ends in a readable index.
  private struct Segment {
    let index: SegmentIndex
    let lists: IndexLists?
    /// The blocks that the index describes, as indices in the log. The index itself is the block that
    /// follows.
    let blocks: Range<Int>
    /// The block up to which the numbers of open transactions were compared.
    var reached: Int
  }

  /// The paths or projections that an index lists, and which of them have been seen.
  private struct Listing<Listed: Hashable & Sendable, ID: Hashable> {
    struct Entry {
      /// The id in the tables of the index.
      let id: Listed
      var blocks: [Range<Int>] = []
      var isMet = false
    }

    private(set) var entries: [Entry] = []
    /// Indices of entries by the ids that the reader assigned.
    private var known: [ID: Int] = [:]

    /// Fills the listing from an index, or finds its entries again after the reader has assigned new ids.
    mutating func list(_ listed: [IndexLists.BlockRun<Listed>], by id: (Listed) -> ID) {
      let isNew = entries.isEmpty
      known = [:]
      for run in listed {
        let index = known[id(run.id), default: known.count]
        known[id(run.id)] = index
        guard isNew else { continue }
        if index == entries.count { entries.append(Entry(id: run.id)) }
        entries[index].blocks.append(run.blocks)
      }
    }

    /// Marks an entry as seen in a block. Returns false if the index does not list it for that block.
    mutating func meet(_ id: ID, in block: Int) -> Bool {
      guard let entry = known[id], entries[entry].blocks.contains(where: { $0.contains(block) }) else {
        return false
      }
      entries[entry].isMet = true
      return true
    }
  }

  /// Compares the indexes of a log with its blocks. The log must have been scanned, so that its reader did
  /// not use the indexes.
  ///
  /// - Parameter openTransactions: The number of transactions that are open before the first event.
  init(_ scanned: LogReader, openTransactions: Int) throws(LogError) {
    blocks = scanned.blocks
    self.openTransactions = openTransactions
    let zstd = try scanned.decompressor()
    var start = 0
    while start < blocks.count {
      let end = blocks[(start + 1)...].firstIndex { $0.kind == BlockKind.header } ?? blocks.count
      try add(start..<end, of: scanned, zstd)
      start = end
    }
  }

  // MARK: Facts about blocks

  private mutating func add(
    _ range: Range<Int>, of log: LogReader, _ zstd: ZstdDecompressor
  ) throws(LogError) {
    var table = SeekTable()
    for block in blocks[range] {
      table.append(
        compressedSize: block.compressedSize, payloadSize: block.payloadSize, payloadHash: block.payloadHash)
    }
    let last = blocks[range.upperBound - 1]
    if let found = try log.seekTable(at: last.endOffset), found != table.encoded() {
      append(last.endOffset, "the seek table does not say what the blocks before it are")
    }
    for block in blocks[range] where block.kind == BlockKind.index {
      count += 1
      guard block.offset == last.offset else {
        append(block.offset, "an index stands where its segment goes on")
        continue
      }
      let payload = try log.payload(of: block, zstd)
      do throws(DecodeFault) {
        let index = try SegmentIndex(payload, of: table)
        let about = range.lowerBound..<range.upperBound - 1
        compare(index, with: blocks[about], before: block)
        segments.append(
          Segment(index: index, lists: try index.lists(), blocks: about, reached: about.lowerBound))
      } catch {
        append(block.offset, error.reason)
      }
    }
  }

  /// Compares what an index says of each block, except for what only the rows can show.
  private mutating func compare(
    _ index: SegmentIndex, with blocks: ArraySlice<BlockInfo>, before closing: BlockInfo
  ) {
    for (said, block) in zip(index.blocks, blocks) {
      func hold(_ isRight: Bool, _ what: String) {
        if !isRight { append(block.offset, "the index says \(what)") }
      }
      hold(said.kind == block.kind, "that the kind of this block is \(said.kind), and it is \(block.kind)")
      hold(
        said.eventCount == block.eventCount,
        "that this block has \(said.eventCount) events, and it has \(block.eventCount)")
      hold(
        said.baseTime == block.baseTime,
        "that this block begins at \(said.baseTime) ns, and it begins at \(block.baseTime) ns")
      hold(
        said.durableSeq == block.durableSeq,
        "that events up to \(said.durableSeq) were synced before this block, which says \(block.durableSeq)")
      hold(
        said.hash == UInt32(truncatingIfNeeded: block.payloadHash >> 32), "that another block stands here")
    }
    if let last = blocks.last, (last.baseTime, last.durableSeq) != (closing.baseTime, closing.durableSeq) {
      append(closing.offset, "the index does not repeat the time and durable seq of the block before it")
    }
  }

  // MARK: Facts about rows

  /// Begins a block of events.
  ///
  /// - Parameter block: The index of the block in the log. Blocks must come in order.
  mutating func begin(_ rows: borrowing BlockRows, at block: Int, _ tables: inout RunTables) {
    reach(block)
    if epoch != tables.epoch &+ tables.projectionEpoch { list(&tables) }
    self.block = block
    seenPaths = Array(repeating: false, count: rows.tables.steps.count)
    seenNames = Array(repeating: false, count: rows.tables.stringCount)
  }

  /// Checks the next row of the block. `path` and `projection` are the ids of those that the row names.
  @inline(__always)
  mutating func check(
    _ row: borrowing Row, path: PathID?, projection: ProjectionID?, _ tables: borrowing RunTables
  ) {
    counter.add(row)
    if row.kind == .begin { openTransactions += 1 }
    if row.kind == .end { openTransactions = max(0, openTransactions - 1) }
    if let path, let id = row.path, !seenPaths[id.index] {
      seenPaths[id.index] = true
      meet(path: path, tables)
    }
    if let projection, let id = row.projection, !seenNames[id.index] {
      seenNames[id.index] = true
      meet(projection: projection, tables)
    }
  }

  private mutating func meet(path: PathID, _ tables: borrowing RunTables) {
    guard let current, segments[current].lists != nil,
      !paths.meet(path, in: block - segments[current].blocks.lowerBound)
    else { return }
    append(blocks[block].offset, "the index does not list \(tables.path(path)) here")
  }

  private mutating func meet(projection: ProjectionID, _ tables: borrowing RunTables) {
    guard let current, segments[current].lists != nil,
      !projections.meet(projection, in: block - segments[current].blocks.lowerBound)
    else { return }
    append(blocks[block].offset, "the index does not list the projection \(tables.name(projection)) here")
  }

  /// Compares the rest, after all blocks.
  mutating func finish() { reach(blocks.count) }

  /// Finishes the segments that end before a block. For each block up to it, compares the number of open
  /// transactions that the index states with the number counted.
  private mutating func reach(_ block: Int) {
    while true {
      if let segment = current {
        let end = segments[segment].blocks.upperBound
        compareTransactions(of: segment, before: min(block + 1, end))
        // The index is the block that follows those it describes.
        if block <= end { return }
        finish(segment)
        current = nil
      }
      guard next < segments.count, segments[next].blocks.lowerBound <= block else { return }
      current = next
      next += 1
      counter = LogCounter()
      (paths, projections, epoch) = (Listing(), Listing(), nil)
    }
  }

  private mutating func compareTransactions(of segment: Int, before end: Int) {
    let index = segments[segment].index
    let start = segments[segment].blocks.lowerBound
    for reached in segments[segment].reached..<max(segments[segment].reached, end) {
      let said = index.blocks[reached - start].openTransactions
      guard said != openTransactions else { continue }
      append(
        blocks[reached].offset,
        "the index says \(said) transactions are open here, and there are \(openTransactions)")
    }
    segments[segment].reached = max(segments[segment].reached, end)
  }

  private mutating func finish(_ segment: Int) {
    let index = segments[segment].index
    let offset = blocks[segments[segment].blocks.upperBound].offset
    let said = LogTotals(
      kinds: index.kindCounts, duration: index.latestTime, objects: index.objects, projections: 0)
    if said != counter.totals { append(offset, "the totals in the index are not those of the events") }
    guard let tables = segments[segment].lists?.tables else { return }
    for entry in paths.entries where !entry.isMet {
      append(offset, "the index lists \(tables.path(entry.id)), which is not written where it says")
    }
    for entry in projections.entries where !entry.isMet {
      let name = tables.string(entry.id)
      append(offset, "the index lists the projection \(name), which is not named where it says")
    }
  }

  private mutating func list(_ tables: inout RunTables) {
    epoch = tables.epoch &+ tables.projectionEpoch
    guard let current, let lists = segments[current].lists else { return }
    let ids = tables.pathIDs(of: lists.tables)
    paths.list(lists.paths) { ids[$0.index] }
    projections.list(lists.projections) { tables.id(ofProjection: $0, of: lists.tables.strings) }
  }

  private mutating func append(_ offset: UInt64, _ reason: String) {
    findings.append(LogCheck.Finding(byteOffset: offset, reason: reason))
  }
}

extension LogReader {
  /// The bytes of the seek table at an offset, or nil if there is none.
  fileprivate func seekTable(at offset: UInt64) throws(LogError) -> [UInt8]? {
    var window = FileWindow(file, path: path, fileSize: byteCount)
    guard case .skippable(LogFormat.seekTableMagic, let size) = try ZstdFrame.find(at: offset, in: &window)
    else { return nil }
    return try window.bytes(at: offset, count: size)
  }
}
