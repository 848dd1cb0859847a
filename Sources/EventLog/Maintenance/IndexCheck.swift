/// Whether the seek tables and indexes of a log say what its blocks do: all that they say, and that nothing is missing.
struct IndexCheck {
  /// What is wrong, each with the offset in the file of the block that shows it.
  private(set) var findings: [LogCheck.Finding] = []
  /// How many indexes there are.
  private(set) var count = 0

  private var segments: [Segment] = []
  /// The segment that the rows are of now, if it has an index, and the one that comes next.
  private var current: Int?
  private var next = 0
  private var paths = Listing<BlockPathID, PathID>()
  private var projections = Listing<StringID, ProjectionID>()
  /// The epoch of the ids in both; nil where they are yet to be listed.
  private var epoch: UInt32?
  private var counter = LogCounter()
  private var openTransactions: Int
  private let blocks: [BlockInfo]
  // The present block: its index in the log, and which paths and names of it were met.
  private var block = 0
  private var seenPaths: [Bool] = []
  private var seenNames: [Bool] = []

  /// A segment that ends in an index which can be read.
  private struct Segment {
    let index: SegmentIndex
    let lists: IndexLists?
    /// The blocks that the index is about, by their indices in the log. The index is the next.
    let blocks: Range<Int>
    /// Up to which of these the open transactions were compared.
    var reached: Int
  }

  /// What an index lists, paths or projections, and whether it was met.
  private struct Listing<Listed: Hashable & Sendable, ID: Hashable> {
    struct Entry {
      /// The id in the tables of the index.
      let id: Listed
      var blocks: [Range<Int>] = []
      var isMet = false
    }

    private(set) var entries: [Entry] = []
    /// Entries by the ids of the run.
    private var known: [ID: Int] = [:]

    /// Lists what an index does, or finds what is listed by the new ids of a run.
    mutating func list(_ listed: [IndexLists.Entry<Listed>], by id: (Listed) -> ID) {
      let isNew = entries.isEmpty
      known = [:]
      for entry in listed {
        let place = known[id(entry.id), default: known.count]
        known[id(entry.id)] = place
        guard isNew else { continue }
        if place == entries.count { entries.append(Entry(id: entry.id)) }
        entries[place].blocks.append(entry.blocks)
      }
    }

    /// Notes that a block names something; false if it is not listed there.
    mutating func meet(_ id: ID, in block: Int) -> Bool {
      guard let entry = known[id], entries[entry].blocks.contains(where: { $0.contains(block) }) else {
        return false
      }
      entries[entry].isMet = true
      return true
    }
  }

  /// Looks at the indexes of a log that was scanned, which says nothing by itself of what they say.
  ///
  /// - Parameter openTransactions: How many are open before the first event.
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

  // MARK: What stands in blocks

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
      note(last.endOffset, "the seek table does not say what the blocks before it are")
    }
    for block in blocks[range] where block.kind == BlockKind.index {
      count += 1
      guard block.offset == last.offset else {
        note(block.offset, "an index stands where its segment goes on")
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
        note(block.offset, error.reason)
      }
    }
  }

  /// What an index says of each block, but for what takes the rows to know.
  private mutating func compare(
    _ index: SegmentIndex, with blocks: ArraySlice<BlockInfo>, before closing: BlockInfo
  ) {
    for (said, block) in zip(index.blocks, blocks) {
      func hold(_ isRight: Bool, _ what: String) {
        if !isRight { note(block.offset, "the index says \(what)") }
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
      note(closing.offset, "the index does not repeat the time and durable seq of the block before it")
    }
  }

  // MARK: What stands in rows

  /// Begins with a block of events.
  ///
  /// - Parameter block: Its index in the log. Blocks come in order.
  mutating func begin(_ rows: borrowing BlockRows, at block: Int, _ tables: inout RunTables) {
    reach(block)
    if epoch != tables.epoch &+ tables.projectionEpoch { list(&tables) }
    self.block = block
    seenPaths = Array(repeating: false, count: rows.tables.steps.count)
    seenNames = Array(repeating: false, count: rows.tables.stringCount)
  }

  /// Takes in the next row of the block; path and projection are those that it names.
  @inline(__always)
  mutating func take(
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
    note(blocks[block].offset, "the index does not list \(tables.path(path)) here")
  }

  private mutating func meet(projection: ProjectionID, _ tables: borrowing RunTables) {
    guard let current, segments[current].lists != nil,
      !projections.meet(projection, in: block - segments[current].blocks.lowerBound)
    else { return }
    note(blocks[block].offset, "the index does not list the projection \(tables.name(projection)) here")
  }

  /// Compares what is left, when all blocks were taken in.
  mutating func finish() { reach(blocks.count) }

  /// Ends the segments that end before a block, and compares the transactions that an index says are open before each
  /// block up to it with those that are.
  private mutating func reach(_ block: Int) {
    while true {
      if let segment = current {
        let end = segments[segment].blocks.upperBound
        compareTransactions(of: segment, before: min(block + 1, end))
        // The index is the block behind those it is about.
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
      note(
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
    if said != counter.totals { note(offset, "the totals in the index are not those of the events") }
    guard let tables = segments[segment].lists?.tables else { return }
    for entry in paths.entries where !entry.isMet {
      note(offset, "the index lists \(tables.path(entry.id)), which is not written where it says")
    }
    for entry in projections.entries where !entry.isMet {
      let name = tables.string(entry.id)
      note(offset, "the index lists the projection \(name), which is not named where it says")
    }
  }

  private mutating func list(_ tables: inout RunTables) {
    epoch = tables.epoch &+ tables.projectionEpoch
    guard let current, let lists = segments[current].lists else { return }
    let ids = tables.pathIDs(of: lists.tables)
    paths.list(lists.paths) { ids[$0.index] }
    projections.list(lists.projections) { tables.id(ofProjection: $0, of: lists.tables.strings) }
  }

  private mutating func note(_ offset: UInt64, _ reason: String) {
    findings.append(LogCheck.Finding(byteOffset: offset, reason: reason))
  }
}

extension LogReader {
  /// The seek table that stands at an offset, if one does, as its bytes.
  fileprivate func seekTable(at offset: UInt64) throws(LogError) -> [UInt8]? {
    var window = FileWindow(file, path: path, fileSize: byteCount)
    guard case .skippable(LogFormat.seekTableMagic, let size) = try ZstdFrame.find(at: offset, in: &window)
    else { return nil }
    return try window.bytes(at: offset, count: size)
  }
}
