import EventLog
import Invalidation

/// The rows of a log, one after the other, as far as they can be read, with the numbers that a run gives to what they
/// name. Several logs may share the numbers.
struct RowCursor {
  let log: LogSource
  /// The last row; nothing before the first.
  private(set) var row = EventLog.Row()
  /// The block that it is in.
  private(set) var rows: BlockRows?
  private(set) var numbers = BlockNumbers()
  private var opener: BlockOpener?
  private var nextSeq: UInt64
  /// The block that the rows are of, and its last event.
  private var block: BlockInfo?
  private var lastSeq: UInt64 = 0

  init(_ log: LogSource) {
    self.log = log
    nextSeq = log.firstSeq
  }

  /// Goes on to the next row; false at the end, or where no more can be read.
  @inline(__always)
  mutating func next(_ tables: inout RunTables) -> Bool {
    while true {
      do {
        if try rows?.next(&row) ?? false { return true }
      } catch {
        if let block { log.note(error, in: block, at: row.seq + 1) }
        return false
      }
      guard openNext(&tables) else { return false }
    }
  }

  /// Lets a timeline take in the last row.
  @inline(__always)
  mutating func apply(to timeline: inout NumberedTimeline, _ tables: inout RunTables) throws(StateError) {
    try timeline.advance(to: row.seq, cause: row.cause)
    switch row.kind {
    case .set:
      let path = Int(numbers.paths[row.path])
      if timeline.set(path, to: row.value, sameValue: row.isSameValue, seq: row.seq) { return }
    case .evaluate: return timeline.noteEvaluation(of: name(row.name, &tables))
    case .invalidate, .mark: return
    default: break
    }
    try applyRest(to: &timeline, &tables)
  }

  private mutating func applyRest(
    to timeline: inout NumberedTimeline, _ tables: inout RunTables
  ) throws(StateError) {
    guard let rows else { return }
    try timeline.apply(row, of: rows, &numbers, &tables)
  }

  /// Lets a check of the log take in the last row.
  @inline(__always)
  mutating func apply(to check: inout LogCheckPass, _ tables: inout RunTables) throws {
    if row.seq == block?.firstSeq, let rows { check.begin(rows, &tables) }
    let path = path ?? -1
    let name = name(&tables) ?? -1
    if !check.take(row, path: path, projection: name, tables), let rows {
      check.takeRest(row, of: rows, path: path, projection: name, numbers)
    }
    if row.seq == lastSeq { try check.end() }
  }

  /// Lets a state take in the last row.
  @inline(__always)
  func apply(to fold: inout StateFold) {
    if row.kind == .set, fold.set(Int(numbers.paths[row.path]), to: row.value, seq: row.seq, time: row.time) {
      return
    }
    applyRest(to: &fold)
  }

  private func applyRest(to fold: inout StateFold) {
    guard let rows else { return }
    fold.apply(row, of: rows, key: path ?? -1)
  }

  private mutating func openNext(_ tables: inout RunTables) -> Bool {
    rows = nil
    guard let opened = log.rows(from: nextSeq, &opener) else { return false }
    block = opened.block
    nextSeq = opened.block.endSeq
    lastSeq = nextSeq - 1
    numbers = tables.number(opened.rows.tables)
    rows = opened.rows
    return true
  }

  /// The number of the path that the last row writes; nil where it writes none.
  @inline(__always)
  var path: Int? { row.path < 0 ? nil : Int(numbers.paths[row.path]) }

  /// The number of the projection that the last row is about; nil where it is about none.
  @inline(__always)
  mutating func name(_ tables: inout RunTables) -> Int? {
    row.isAboutProjection ? name(row.name, &tables) : nil
  }

  /// The number of the parent of the projection that the last row creates.
  mutating func parent(_ tables: inout RunTables) -> Int? {
    row.parent < 0 ? nil : name(row.parent, &tables)
  }

  /// The paths that the last row says a projection reads.
  var readPaths: [Int] { rows?.readPaths.map { Int(numbers.paths[$0]) } ?? [] }

  /// What the last row says that an invalidation was caused by.
  @inline(__always)
  var recordedCauses: Causes { rows.map { Causes($0.invalidationCauses) } ?? Causes([]) }

  /// What the last row does, if it is a write.
  var writeBody: Event.Body? {
    guard let path = path(of: row) else { return nil }
    return switch row.kind {
    case .set: .set(path, row.value, sameValue: row.isSameValue)
    case .splice:
      .splice(path, offset: row.offset, delete: row.delete, insert: row.value, sameValue: row.isSameValue)
    case .remove: .remove(path, sameValue: row.isSameValue)
    default: nil
    }
  }

  private func path(of row: borrowing EventLog.Row) -> Path? {
    row.path < 0 ? nil : rows?.tables.path(row.path)
  }

  /// Adds the last row as a JSON line, without the line break.
  func print(with printer: inout RowPrinter, to output: inout [UInt8], statesSameValue: Bool) {
    guard let rows else { return }
    printer.append(row, of: rows, to: &output, statesSameValue: statesSameValue)
  }

  /// The label or site with a number of the block.
  func string(_ string: Int) -> String? { string < 0 ? nil : rows?.tables.string(string) }

  @inline(__always)
  private mutating func name(_ string: Int, _ tables: inout RunTables) -> Int {
    numbers.name(string) ?? numbers.name(string, in: &tables)
  }
}
