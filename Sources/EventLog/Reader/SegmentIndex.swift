/// The index at the end of a segment: the contents of its blocks, without opening them. It is only a hint,
/// which readers check.
///
/// It is a payload with tables of strings and paths like those of an event block, and these columns:
///
///     blockKinds, eventCounts, baseTimes, durableSeqs, hashes, openTransactions     an entry for each block
///     totals        whether there are lists, the latest time, objects, events of each kind
///     writtenPaths  ids of paths  pathRunCounts        runs of each  pathRuns        gap and length of each
///     projections   ids of names  projectionRunCounts  runs of each  projectionRuns  gap and length of each
///     tableHash     hash of the seek table up to the index
struct SegmentIndex: Sendable {
  /// The part of a block's prefix that the index repeats.
  struct Block: Sendable {
    var kind: UInt8
    var eventCount: Int
    var baseTime: UInt64
    var durableSeq: UInt64
    /// The high half of the hash of its payload.
    var hash: UInt32
    /// The number of transactions that are open where the block begins.
    var openTransactions = 0
  }

  /// The blocks before the index, the header first.
  private(set) var blocks: [Block] = []
  /// The latest time of an event.
  let latestTime: UInt64
  /// The number of objects that the events define.
  let objects: Int
  /// The number of events of each kind, indexed by ``EventKind``.
  private(set) var kindCounts: [Int] = []
  private let hasLists: Bool
  private let payload: [UInt8]
  private let columns: [IndexColumn: ByteReader]

  /// Reads the index that is the last block of a seek table, except for its lists. The prefix of the payload
  /// must have been checked.
  init(_ payload: [UInt8], of table: SeekTable) throws(DecodeFault) {
    self.payload = payload
    var columns: [IndexColumn: ByteReader] = [:]
    try BlockColumns.forEach(in: payload) { number, range in
      if let column = IndexColumn(rawValue: number) { columns[column] = ByteReader(payload, in: range) }
    }
    self.columns = columns
    var totals = Self.reader(.totals, columns, payload)
    hasLists = try totals.varint(below: 2, "whether there are lists") != 0
    latestTime = try totals.varint()
    objects = try totals.varint(below: 1 << 48, "a number of objects")
    for kind in 0..<EventKind.count {
      let isLeftOut = kind >= EventKind.countInIndex && totals.isAtEnd
      kindCounts.append(isLeftOut ? 0 : try totals.varint(below: 1 << 48, "a number of events"))
    }
    try totals.expectEnd("the totals")
    let blockCount = table.entries.count - 1
    let tableHash = Self.reader(.tableHash, columns, payload)
    guard payload.littleEndian(at: tableHash.position) == table.hash(ofFirst: blockCount) else {
      throw tableHash.fault("the index is not the one of this seek table")
    }
    blocks = try Self.blocks(blockCount, columns, payload)
    let listColumns: Set<IndexColumn> = [
      .writtenPaths, .pathRunCounts, .pathRuns, .projections, .projectionRunCounts, .projectionRuns,
    ]
    guard hasLists || listColumns.isDisjoint(with: columns.keys) else {
      throw totals.fault("the index has lists, and says that it has none")
    }
  }

  /// Compares the index with the first block of the segment and the last one before the index. Throws if they
  /// differ.
  func check(
    _ opening: BlockPrefix, payloadHash: UInt64, _ closing: BlockPrefix, _ table: SeekTable
  ) throws(DecodeFault) {
    func fault(_ reason: String) -> DecodeFault { DecodeFault(reason: reason, offset: 0) }
    guard let first = blocks.first, first.kind == opening.kind, first.baseTime == opening.baseTime,
      first.durableSeq == opening.durableSeq, first.hash == UInt32(truncatingIfNeeded: payloadHash >> 32)
    else { throw fault("the index has another header") }
    guard let last = blocks.last, last.baseTime == closing.baseTime, last.durableSeq == closing.durableSeq,
      table.entries.count > blocks.count,
      UInt64(last.hash) << 32 | UInt64(table.entries[blocks.count - 1].checksum) == closing.chain
    else { throw fault("the index has another block before it") }
  }

  private static func blocks(
    _ count: Int, _ columns: [IndexColumn: ByteReader], _ payload: [UInt8]
  ) throws(DecodeFault) -> [Block] {
    var kinds = reader(.blockKinds, columns, payload)
    var counts = reader(.eventCounts, columns, payload)
    var times = reader(.baseTimes, columns, payload)
    var durables = reader(.durableSeqs, columns, payload)
    var hashes = reader(.hashes, columns, payload)
    var transactions = reader(.openTransactions, columns, payload)
    guard kinds.remaining == count else { throw kinds.fault("the index is not one of \(count) blocks") }
    var blocks: [Block] = []
    blocks.reserveCapacity(count)
    var last = Block(kind: 0, eventCount: 0, baseTime: 0, durableSeq: 0, hash: 0)
    for _ in 0..<count {
      last.kind = try kinds.byte()
      last.eventCount = try counts.varint(below: LogFormat.eventsMax + 1, "a number of events")
      guard (last.eventCount > 0) == (last.kind == BlockKind.events) else {
        throw counts.fault("the index has \(last.eventCount) events in a block of kind \(last.kind)")
      }
      last.baseTime &+= UInt64(bitPattern: try times.zigzag())
      last.durableSeq &+= UInt64(bitPattern: try durables.zigzag())
      last.hash = 0
      for shift in stride(from: UInt32(0), to: 32, by: 8) { last.hash |= UInt32(try hashes.byte()) << shift }
      last.openTransactions = try transactions.varint(below: 1 << 48, "a number of transactions")
      blocks.append(last)
    }
    for column in [counts, times, durables, hashes, transactions] {
      try column.expectEnd("a column of the index")
    }
    return blocks
  }

  /// The blocks that write each path and name each projection; nil if there was too much to list. Cost:
  /// linear in the index.
  func lists() throws(DecodeFault) -> IndexLists? {
    guard hasLists else { return nil }
    var tableColumns = try BlockColumns(payload)
    let (tables, _) = try BlockTables.read(&tableColumns)
    var lists = IndexLists(tables: tables)
    var paths = Self.reader(.writtenPaths, columns, payload)
    var last = 0
    lists.paths = try list(.pathRunCounts, .pathRuns) { () throws(DecodeFault) in
      let (id, overflow) = Int64(last).addingReportingOverflow(try paths.zigzag())
      guard !overflow, id >= 0, id < Int64(tables.steps.count) else {
        throw paths.fault("the index lists path \(id) of \(tables.steps.count)")
      }
      last = Int(id)
      return BlockPathID(index: last)
    }
    var names = Self.reader(.projections, columns, payload)
    lists.projections = try list(.projectionRunCounts, .projectionRuns) { () throws(DecodeFault) in
      StringID(index: try names.varint(below: tables.stringCount, "a string"))
    }
    try paths.expectEnd("the paths of the index")
    try names.expectEnd("the projections of the index")
    return lists
  }

  private func list<ID: Hashable & Sendable>(
    _ counts: IndexColumn, _ runs: IndexColumn, _ next: () throws(DecodeFault) -> ID
  ) throws(DecodeFault) -> [IndexLists.BlockRun<ID>] {
    var counts = Self.reader(counts, columns, payload)
    var runs = Self.reader(runs, columns, payload)
    var found: [IndexLists.BlockRun<ID>] = []
    while !counts.isAtEnd {
      let id = try next()
      var end = 0
      // Runs do not overlap, so there are at most as many as blocks.
      for _ in 0...(try counts.varint(below: blocks.count, "a number of runs")) {
        let start = end + (try runs.varint(below: blocks.count - end, "the start of a run"))
        end = start + 1 + (try runs.varint(below: blocks.count - start, "the length of a run"))
        guard found.count < LogFormat.itemsMax else { throw runs.fault("the index has too many runs") }
        found.append(IndexLists.BlockRun(id: id, blocks: start..<end))
      }
    }
    try runs.expectEnd("the runs of the index")
    return found
  }

  private static func reader(
    _ column: IndexColumn, _ columns: [IndexColumn: ByteReader], _ payload: [UInt8]
  ) -> ByteReader {
    let end = payload.count..<payload.count
    return columns[column] ?? ByteReader(payload, in: end, isAbsent: column.isZeroWhenAbsent)
  }
}

/// The blocks of a segment that write each path and name each projection. A block may be listed although it
/// does not.
struct IndexLists: Sendable {
  /// An id in the tables of the index, and a run of blocks as indices in the segment.
  struct BlockRun<ID: Hashable & Sendable>: Sendable {
    var id: ID
    var blocks: Range<Int>
  }

  let tables: BlockTables
  /// The paths that are set, spliced or removed, one for each run of blocks.
  var paths: [BlockRun<BlockPathID>] = []
  /// The strings that name projections, one for each run of blocks.
  var projections: [BlockRun<StringID>] = []
}
