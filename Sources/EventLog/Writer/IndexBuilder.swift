/// Collects the contents of a segment's blocks while they are sealed, and builds the index that follows them.
struct IndexBuilder {
  private var blockKinds: [UInt8] = []
  private var eventCounts: [UInt8] = []
  private var baseTimes: [UInt8] = []
  private var durableSeqs: [UInt8] = []
  private var hashes: [UInt8] = []
  private var openTransactions: [UInt8] = []
  /// The number of transactions that are open after the last block.
  private(set) var open: Int
  private var lastTime: UInt64 = 0
  private var lastDurable: UInt64 = 0
  /// The epoch of the ids in the lists.
  private var epoch: UInt32?
  private var paths = RunLists()
  private var projections = RunLists()
  private var latestTime: UInt64 = 0
  private var objects = 0
  private var kindCounts = Array(repeating: 0, count: EventKind.count)

  /// Begins the index of a segment.
  ///
  /// - Parameter open: The number of transactions that are open at its beginning.
  init(open: Int = 0) { self.open = open }

  /// Adds a block that was written, with the hash of its payload.
  mutating func add(_ prefix: BlockPrefix, payloadHash: UInt64) {
    blockKinds.append(prefix.kind)
    openTransactions.appendVarint(open)
    eventCounts.appendVarint(prefix.eventCount)
    baseTimes.appendZigzag(Int64(bitPattern: prefix.baseTime &- lastTime))
    durableSeqs.appendZigzag(Int64(bitPattern: prefix.durableSeq &- lastDurable))
    // The low half of the hash is in the seek table.
    hashes.appendLittleEndian(UInt32(truncatingIfNeeded: payloadHash >> 32))
    lastTime = prefix.baseTime
    lastDurable = prefix.durableSeq
  }

  /// Adds the paths and projections of the last block, and the number of objects that its values define.
  mutating func add(_ usage: BlockUsage, objects: Int) {
    let block = UInt32(blockKinds.count - 1)
    // Lists use staged ids, so they end when ids start over. The segment has too many paths for lists then.
    if let epoch, epoch != usage.epoch { giveUp() }
    epoch = usage.epoch
    for path in usage.writtenPaths { paths.add(Int(path), block: block) }
    for projection in usage.projections { projections.add(Int(projection), block: block) }
    for kind in kindCounts.indices { kindCounts[kind] += usage.kindCounts[kind] }
    open = usage.openTransactions(after: open)
    latestTime = max(latestTime, usage.latestTime)
    self.objects += objects
  }

  /// The body of the index for the seek table of the same blocks. `builder` must be empty.
  func body(
    of table: SeekTable, tables builder: inout BlockBuilder
  ) -> [UInt8] {
    var tableHash: [UInt8] = []
    tableHash.appendLittleEndian(table.hash(ofFirst: table.entries.count))
    var columns: [IndexColumn: [UInt8]] = [
      .blockKinds: blockKinds, .eventCounts: eventCounts, .baseTimes: baseTimes, .durableSeqs: durableSeqs,
      .hashes: hashes, .tableHash: tableHash, .openTransactions: openTransactions,
    ]
    var body: [UInt8] = []
    if let lists = lists(&builder) {
      body = lists.tables
      columns.merge(lists.columns) { $1 }
    }
    var totals: [UInt8] = []
    totals.appendVarint(columns[.pathRuns] == nil ? 0 : 1)
    totals.appendVarint(latestTime)
    let kinds = (kindCounts.lastIndex { $0 > 0 } ?? 0) + 1
    for count in [objects] + kindCounts.prefix(max(kinds, EventKind.countInIndex)) {
      totals.appendVarint(count)
    }
    columns[.totals] = totals
    for column in IndexColumn.allCases {
      guard let bytes = columns[column], !bytes.isEmpty else { continue }
      if column.isZeroWhenAbsent, !bytes.contains(where: { $0 != 0 }) { continue }
      body.appendVarint(column.rawValue)
      body.appendVarint(bytes.count)
      body += bytes
    }
    return body
  }

  /// The blocks that write each path and name each projection; nil if that is too much for one block, or
  /// useless.
  private func lists(
    _ builder: inout BlockBuilder
  ) -> (tables: [UInt8], columns: [IndexColumn: [UInt8]])? {
    if paths.isIncomplete || projections.isIncomplete { return nil }
    // Definitions of the next epoch may have followed the last event.
    if let epoch, epoch != builder.epoch { return nil }
    // A log with one block of events needs no lists, because readers read that block anyway.
    if blockKinds.count(where: { $0 == BlockKind.events }) < 2 { return nil }
    var (writtenPaths, pathRunCounts, pathRuns): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    var last = 0
    paths.forEach { staged, runs in
      let path = builder.localPath(UInt64(staged))
      writtenPaths.appendZigzag(Int64(path - last))
      last = path
      Self.append(runs, &pathRunCounts, &pathRuns)
    }
    var (names, nameRunCounts, nameRuns): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    projections.forEach { staged, runs in
      names.appendVarint(builder.localName(UInt64(staged)))
      Self.append(runs, &nameRunCounts, &nameRuns)
    }
    let isTooLarge = builder.items > LogFormat.itemsMax
    let tables = builder.popBody().body
    if isTooLarge || tables.count + pathRuns.count + nameRuns.count > LogFormat.payloadBytesMax / 2 {
      return nil
    }
    return (
      tables,
      [
        .writtenPaths: writtenPaths, .pathRunCounts: pathRunCounts, .pathRuns: pathRuns,
        .projections: names, .projectionRunCounts: nameRunCounts, .projectionRuns: nameRuns,
      ]
    )
  }

  var listEntries: Int { paths.count + projections.count }

  private mutating func giveUp() {
    paths.giveUp()
    projections.giveUp()
  }

  private static func append(
    _ runs: [RunLists.Run], _ counts: inout [UInt8], _ bytes: inout [UInt8]
  ) {
    counts.appendVarint(runs.count - 1)
    var end: UInt32 = 0
    for run in runs {
      bytes.appendVarint(UInt64(run.start - end))
      bytes.appendVarint(UInt64(run.end - run.start - 1))
      end = run.end
    }
  }
}

// MARK: Runs

/// For each id, the runs of blocks that name it.
///
/// Rare ids are listed exactly. A common id gets only a few runs: when it would get more, the two closest are
/// joined. So an id that most blocks name costs no more than a rare one.
struct RunLists {
  /// Consecutive blocks, by their indices in the segment.
  struct Run: Equatable {
    var start: UInt32
    var end: UInt32
  }

  /// The most runs of an id that more than an eighth of the blocks name.
  private static let fewRuns = 8
  /// The most runs of any other id, as long as the sum for all ids is not too large.
  private static let manyRuns = 256
  private static let totalRuns = 1 << 19
  /// With more ids than this, no lists are kept at all.
  static let idsMax = 1 << 17

  private var runs = DenseMap<Int, [Run]>(default: [])
  private var total = 0
  /// Whether ids were left out because there were too many.
  private(set) var isIncomplete = false

  /// Records that a block names an id. Blocks must come in order. Cost: a few ns.
  mutating func add(_ id: Int, block: UInt32) {
    if isIncomplete { return }
    guard id < Self.idsMax else { return giveUp() }
    let count = runs[id].count
    if count > 0, runs[id][count - 1].end >= block {
      runs[id][count - 1].end = block + 1
      return
    }
    runs[id].append(Run(start: block, end: block + 1))
    total += 1
    if count >= Self.fewRuns { limit(id, block) }
  }

  /// Calls a function with each id that is named, and its runs.
  func forEach<E: Error>(_ body: (Int, [Run]) throws(E) -> Void) throws(E) {
    for (id, runs) in runs.values.enumerated() where !runs.isEmpty { try body(id, runs) }
  }

  private mutating func limit(_ id: Int, _ block: UInt32) {
    let named = runs[id].reduce(0) { $0 + $1.end - $1.start }
    let isCommon = named > block / 8 || total > Self.totalRuns
    let most = isCommon ? Self.fewRuns : Self.manyRuns
    while runs[id].count > most { joinClosest(id) }
  }

  private mutating func joinClosest(_ id: Int) {
    var (closest, smallest) = (0, UInt32.max)
    for index in 1..<runs[id].count {
      let gap = runs[id][index].start - runs[id][index - 1].end
      // Of equal gaps the last is taken, so that few runs have to be moved.
      if gap <= smallest { (closest, smallest) = (index, gap) }
    }
    runs[id][closest - 1].end = runs[id][closest].end
    runs[id].remove(at: closest)
    total -= 1
  }

  /// The number of ids that it has room for.
  var count: Int { runs.values.count }

  /// Drops all lists and keeps none from now on.
  mutating func giveUp() {
    isIncomplete = true
    runs.removeAll()
  }
}
