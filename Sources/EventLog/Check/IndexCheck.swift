/// Whether the indexes of a log say what its blocks do.
struct IndexCheck {
  /// What is wrong, each with the offset in the file of the block that shows it.
  private(set) var findings: [LogCheck.Finding] = []
  /// How many segments have an index.
  let count: Int

  private let indexed: LogReader
  private var counter = LogCounter()
  private var openTransactions: Int
  private var segment = -1
  private var known = Listing()
  /// The names that were counted, by their numbers in the run.
  private var counted: [Bool] = []
  // Of the present block:
  private var place = 0
  private var offset: UInt64 = 0
  private var seenPaths: [Bool] = []
  private var seenNames: [Bool] = []

  /// Which blocks an index lists for each path and projection, by their place in the segment, in numbers of the run.
  private struct Listing {
    var paths: [Int: [Range<Int>]] = [:]
    var projections: [Int: [Range<Int>]] = [:]
    var isComplete = false
    var generation = -1
  }

  /// The check of a log that was opened by its indexes, if it can be, beside the same log as a scan found it.
  init?(_ indexed: LogReader, scanned: LogReader, openTransactions: Int) {
    guard !indexed.segments.isEmpty else { return nil }
    self.indexed = indexed
    self.openTransactions = openTransactions
    count = indexed.segments.count
    for (a, b) in zip(indexed.blocks, scanned.blocks) where a != b {
      note(b.offset, "the index has another block here")
    }
    if indexed.blocks.count != scanned.blocks.count {
      note(0, "the index has \(indexed.blocks.count) of \(scanned.blocks.count) blocks")
    }
  }

  /// Begins with the next block of events, by its place in the log.
  mutating func begin(
    _ rows: borrowing BlockRows, of block: BlockInfo, at place: Int, _ tables: inout RunTables
  ) {
    let last = segment
    segment = max(segment, 0)
    while segment < indexed.segments.count, place >= indexed.segments[segment].blocks.upperBound {
      segment += 1
    }
    if segment != last || known.generation != tables.generation { list(&tables) }
    if let open = indexed.openTransactions(before: block), open != openTransactions {
      note(
        block.offset, "the index says \(open) transactions are open here, and there are \(openTransactions)")
    }
    self.place = segment < indexed.segments.count ? place - indexed.segments[segment].blocks.lowerBound : 0
    offset = block.offset
    seenPaths = Array(repeating: false, count: rows.tables.steps.count)
    seenNames = Array(repeating: false, count: rows.tables.stringCount)
  }

  /// Takes in the next row of the block; path and projection are those that it names, in numbers of the run.
  @inline(__always)
  mutating func take(_ row: borrowing Row, path: Int, projection: Int, _ tables: borrowing RunTables) {
    counter.add(row)
    if row.kind == .begin { openTransactions += 1 }
    if row.kind == .end { openTransactions = max(0, openTransactions - 1) }
    if row.path >= 0, !seenPaths[row.path] {
      seenPaths[row.path] = true
      if known.isComplete, !Self.lists(known.paths[path], place) {
        note(offset, "the index does not list \(tables.paths.path(path)) here")
      }
    }
    if row.isAboutProjection, !seenNames[row.name] {
      seenNames[row.name] = true
      meet(projection, tables)
    }
  }

  private mutating func meet(_ projection: Int, _ tables: borrowing RunTables) {
    if projection >= counted.count {
      counted.append(contentsOf: repeatElement(false, count: projection + 1 - counted.count))
    }
    if !counted[projection] {
      counted[projection] = true
      counter.addProjection(tables.names[projection])
    }
    if known.isComplete, !Self.lists(known.projections[projection], place) {
      note(offset, "the index does not list the projection \(tables.names[projection]) here")
    }
  }

  /// Compares the totals, when all blocks were taken in.
  mutating func finish() {
    guard let totals = indexed.totals(), totals != counter.totals else { return }
    note(0, "the totals in the index are not those of the events")
  }

  private static func lists(_ runs: [Range<Int>]?, _ place: Int) -> Bool {
    // Most paths have one run; those with many are looked through.
    runs?.contains { $0.contains(place) } ?? false
  }

  private mutating func list(_ tables: inout RunTables) {
    known = Listing()
    known.generation = tables.generation
    guard segment < indexed.segments.count else { return }
    guard let lists = try? indexed.segments[segment].index.lists() else { return }
    known.isComplete = true
    let paths = tables.paths.intern(lists.tables)
    for entry in lists.paths { known.paths[Int(paths[entry.id]), default: []].append(entry.blocks) }
    for entry in lists.projections {
      known.projections[tables.names.intern(entry.id, of: lists.tables.strings), default: []].append(
        entry.blocks)
    }
  }

  private mutating func note(_ offset: UInt64, _ reason: String) {
    findings.append(LogCheck.Finding(byteOffset: offset, reason: reason))
  }
}
