import EventLog

/// The events of a log in order, as rows, with a look at the next one. Leaves out the events that state what
/// projections read: those are up to this program's projections, and decoding them takes long.
struct RecordedEvents {
  private var reader: LogReader
  private var blocks: ArraySlice<BlockInfo>
  private var opener: BlockOpener
  /// The rows of the current block; none before the first, and none left after the last. It is not an
  /// optional, whose unwrapping would copy the whole struct for each row.
  private var rows = BlockRows()
  private var block: BlockInfo?
  /// The next event, once it is loaded. Its ids are those of the current block.
  private(set) var row = Row()
  private var isLoaded = false
  /// The paths of the current block that were decoded so far.
  private var paths: [Path?] = []
  /// The number of blocks that were opened, which identifies the current one.
  private(set) var blockNumber = 0
  /// The number of paths in the current block.
  private(set) var pathCount = 0
  /// The seq of the first event that was not passed.
  private(set) var nextSeq: UInt64
  /// The actions so far: what has one as its cause is the app's own.
  private var actions: Set<UInt64> = []
  /// The error that ended the reading.
  private var failure: (any Error)?

  init(_ reader: LogReader) throws {
    self.reader = reader
    opener = try BlockOpener(reader)
    blocks = reader.blocks[...]
    nextSeq = reader.firstSeq
  }

  /// Reads the next event into ``row``, unless it is loaded already; returns false at the end.
  ///
  /// - Throws: `LogError` if the log is damaged.
  @inline(__always)
  mutating func load() throws -> Bool { try isLoaded || read() }

  /// Advances past the event in ``row``, so that ``load()`` reads the next one.
  @inline(__always)
  mutating func advance() {
    isLoaded = false
    nextSeq = row.seq &+ 1
  }

  private mutating func read() throws -> Bool {
    if let failure { throw failure }
    do {
      while true {
        if try readRow() { return true }
        guard try openNext() else {
          nextSeq = max(nextSeq, reader.nextSeq)
          return false
        }
      }
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func readRow() throws -> Bool {
    do throws(DecodeFault) {
      while try rows.next(&row) {
        if row.kind == .reads { continue }
        if row.kind == .action { actions.insert(row.seq) }
        isLoaded = true
        return true
      }
      return false
    } catch {
      guard let block else { return false }
      throw reader.damage(error, in: block.offset)
    }
  }

  private mutating func openNext() throws -> Bool {
    do throws(LogError) {
      while let next = blocks.first {
        if next.eventCount > 0, next.endSeq > firstUnread {
          let opened = try opener.rows(of: next)
          blockNumber += 1
          pathCount = opened.tables.steps.count
          paths = []
          rows = opened
          block = next
          blocks.removeFirst()
          return true
        }
        blocks.removeFirst()
      }
      try reader.checkEnd()
    } catch {
      // If the log's index is wrong, scans the file for blocks.
      guard error.code == .wrongIndex, let scanned = try reader.withoutWrongIndex() else { throw error }
      let first = firstUnread
      reader = scanned
      opener = try BlockOpener(scanned)
      blocks = scanned.blocks.drop { $0.endSeq <= first }
      return try openNext()
    }
    if case .damaged(let error, _) = reader.tail { throw error }
    return false
  }

  private var firstUnread: UInt64 { block?.endSeq ?? nextSeq }
}

// MARK: The next event

extension RecordedEvents {
  /// Whether the event has a cause in the recorded session other than an action.
  var isCaused: Bool { row.cause != 0 && !actions.contains(row.cause) }

  /// Whether the event writes a value.
  var isWrite: Bool {
    switch row.kind {
    case .set, .splice, .remove: true
    default: false
    }
  }

  /// Whether the event belongs to the same write as the event before.
  var continuesWrite: Bool { isWrite && site.hasSameBytes(as: Event.continuingSite) }

  var site: String? { row.site.map { rows.string($0) } }

  /// The label of a transaction, mark or action.
  var label: String? { row.label.map { rows.string($0) } }

  /// The path that the event writes; nil if it writes none.
  mutating func path() -> Path? {
    guard let id = row.path else { return nil }
    if paths.isEmpty { paths = Array(repeating: nil, count: pathCount) }
    if let known = paths[id.index] { return known }
    let path = rows.path(id)
    paths[id.index] = path
    return path
  }

  /// The seq of an event, and the path of the block that it writes.
  struct Position {
    let seq: UInt64
    let path: Int?
    let block: Int
    let pathCount: Int
  }

  var position: Position {
    Position(seq: row.seq, path: row.path?.index, block: blockNumber, pathCount: pathCount)
  }

  /// A set with no cause and no site.
  struct PlainSet {
    let path: Int
    let value: Value
    let isSame: Bool
  }

  /// The next event, if it is such a set. The function is mutating since it then copies only the value.
  @inline(__always)
  mutating func plainSet() -> PlainSet? {
    guard row.kind == .set, row.cause == 0, row.site == nil, row.origin.strand == 0, let path = row.path
    else { return nil }
    return PlainSet(path: path.index, value: row.value, isSame: row.isSameValue)
  }

  /// The body of the event, if it is of a kind that may be driven; nil for events about projections.
  mutating func body() -> Event.Body? {
    switch row.kind {
    case .set: path().map { .set($0, row.value, sameValue: row.isSameValue) }
    case .splice:
      path().map {
        .splice($0, offset: row.offset, delete: row.delete, insert: row.value, sameValue: row.isSameValue)
      }
    case .remove: path().map { .remove($0, sameValue: row.isSameValue) }
    case .begin: .begin(label: label)
    case .end: .end
    case .mark: .mark(label: label ?? "")
    case .action: .action(label: label ?? "")
    case .finish: .finish(row.outcome ?? .returned)
    default: nil
    }
  }

  /// Whether the next event belongs to the write before it: it is a write whose site says so, or begins a
  /// transaction or sets a mark before such a write.
  func belongsToWrite() -> Bool {
    if isWrite { return !isCaused && continuesWrite }
    guard row.kind == .begin || row.kind == .mark else { return false }
    var ahead = self
    for _ in 0..<Self.aheadMax {
      ahead.advance()
      guard (try? ahead.load()) ?? false else { return false }
      if ahead.isWrite, !ahead.isCaused { return ahead.continuesWrite }
    }
    return false
  }

  /// The number of events at which ``belongsToWrite()`` looks.
  private static let aheadMax = 64
}

// MARK: Search

extension LogReader {
  /// The seq of the first event from `first` on for which `isWanted` is true; nil if there is none. Skips the
  /// blocks for which `mayHold` is false. Reads no further than this event.
  ///
  /// - Throws: `LogError` if the log is damaged before this event.
  func firstSeq(
    from first: UInt64, inBlocks mayHold: (BlockTables) -> Bool = { _ in true },
    where isWanted: (Row, BlockTables) -> Bool
  ) throws -> UInt64? {
    struct Found: Error { let seq: UInt64 }
    do {
      try forEachBlock(from: first) { _, rows in
        guard mayHold(rows.tables) else { return }
        var row = Row()
        while try rows.next(&row) {
          if row.seq >= first, isWanted(row, rows.tables) { throw Found(seq: row.seq) }
        }
      }
    } catch let found as Found { return found.seq }
    return nil
  }
}
