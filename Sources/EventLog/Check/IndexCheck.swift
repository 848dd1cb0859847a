/// Whether the indexes of a log say what its blocks do.
struct IndexCheck {
  /// What is wrong, each with the offset in the file of the block that shows it.
  private(set) var findings: [LogCheck.Finding] = []
  /// How many segments have an index.
  let count: Int

  private let indexed: LogReader
  private var counter = LogCounter()
  private var openTransactions: Int
  private var segment = 0
  private var known = Listing()

  /// Which blocks an index lists for each path and projection, by their place in the segment.
  private struct Listing {
    var paths: [Path: [Range<Int>]] = [:]
    var projections: [String: [Range<Int>]] = [:]
    var isComplete = false
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
    list()
  }

  /// Takes in the next block of events, by its place in the log.
  mutating func take(_ rows: inout BlockRows, of block: BlockInfo, at place: Int) throws {
    while segment < indexed.segments.count, place >= indexed.segments[segment].blocks.upperBound {
      segment += 1
      list()
    }
    if let open = indexed.openTransactions(before: block), open != openTransactions {
      note(
        block.offset, "the index says \(open) transactions are open here, and there are \(openTransactions)")
    }
    let within = segment < indexed.segments.count ? place - indexed.segments[segment].blocks.lowerBound : 0
    var seenPaths = Array(repeating: false, count: rows.tables.steps.count)
    var seenNames = Array(repeating: false, count: rows.tables.stringCount)
    var row = Row()
    while try rows.next(&row) {
      counter.add(row)
      switch row.kind {
      case .begin: openTransactions += 1
      case .end: openTransactions = max(0, openTransactions - 1)
      default: break
      }
      if row.path >= 0, !seenPaths[row.path] {
        seenPaths[row.path] = true
        let path = rows.tables.path(row.path)
        if known.isComplete, !Self.lists(known.paths[path], within) {
          note(block.offset, "the index does not list \(path) here")
        }
      }
      if row.isAboutProjection, !seenNames[row.name] {
        seenNames[row.name] = true
        let name = rows.tables.string(row.name)
        counter.addProjection(name)
        if known.isComplete, !Self.lists(known.projections[name], within) {
          note(block.offset, "the index does not list the projection \(name) here")
        }
      }
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

  private mutating func list() {
    known = Listing()
    guard segment < indexed.segments.count else { return }
    guard let lists = try? indexed.segments[segment].index.lists() else { return }
    known.isComplete = true
    for entry in lists.paths { known.paths[lists.tables.path(entry.id), default: []].append(entry.blocks) }
    for entry in lists.projections {
      known.projections[lists.tables.string(entry.id), default: []].append(entry.blocks)
    }
  }

  private mutating func note(_ offset: UInt64, _ reason: String) {
    findings.append(LogCheck.Finding(byteOffset: offset, reason: reason))
  }
}
