import EventLog
import Invalidation

/// Reads the rows of a log one by one, up to the first that cannot be read, and gives ids to the names in
/// them.
struct RowCursor {
  let log: LogSource
  /// The current row; empty before the first.
  private(set) var row = EventLog.Row()
  /// The path that the row writes.
  private(set) var path: PathID?
  /// The projection that the row is about.
  private(set) var projection: ProjectionID?
  /// The rows of the current block; none before the first. It is not an optional, whose unwrapping would copy
  /// the whole struct for each row.
  private var rows = BlockRows()
  private var ids = BlockIDs()
  private var opener: BlockOpener?
  private var nextSeq: UInt64
  private var block: BlockInfo?

  init(_ log: LogSource) {
    self.log = log
    nextSeq = log.firstSeq
  }

  /// Advances to the next row. Returns false at the end, or if the next row cannot be read.
  @inline(__always)
  mutating func next(_ tables: inout RunTables) -> Bool {
    while true {
      do {
        if try rows.next(&row) {
          path = row.path.map { ids.path($0) }
          projection = row.projection.map { ids.projection($0, &tables) }
          if let projection { tables.apply(row.kind, of: projection, at: row.seq) }
          return true
        }
      } catch {
        if let block { log.report(error, in: block, at: row.seq + 1) }
        return false
      }
      guard openNext(&tables) else { return false }
    }
  }

  /// Passes the current row to a timeline.
  @inline(__always)
  mutating func apply(to timeline: inout LogTimeline, _ tables: borrowing RunTables) throws(StateError) {
    let isApplied = try timeline.apply(
      row.kind, seq: row.seq, cause: row.cause, strand: row.origin.strand, path: path, projection: projection,
      value: row.value, isSameValue: row.isSameValue)
    if isApplied { return }
    try applyRest(to: &timeline, tables)
  }

  /// Passes the part of the current row that is stored in the block to a timeline.
  @inline(never)
  mutating func applyRest(
    to timeline: inout LogTimeline, _ tables: borrowing RunTables
  ) throws(StateError) {
    try timeline.applyRest(row, of: &rows, path: path, projection: projection, ids, tables)
  }

  /// Applies the current row to a state. Returns whether it may not have fitted; a scalar in place of another does.
  @inline(__always)
  mutating func apply(to fold: inout StateFold) -> Bool {
    if row.kind == .set, let path, fold.set(Int(path.index), to: row.value, seq: row.seq, time: row.time) {
      return false
    }
    applyRest(to: &fold)
    return true
  }

  private mutating func applyRest(to fold: inout StateFold) {
    fold.apply(row, of: &rows, key: path.map { Int($0.index) })
  }

  private mutating func openNext(_ tables: inout RunTables) -> Bool {
    // The caller throws the error.
    if let limits = log.limits, tables.projectionBytes > limits.nameBytes { return false }
    guard let opened = log.rows(from: nextSeq, &opener) else { return false }
    block = opened.block
    nextSeq = opened.block.endSeq
    ids = tables.ids(of: opened.rows.tables)
    rows = opened.rows
    return true
  }

  /// The parent of the projection that the current row creates.
  mutating func parent(_ tables: inout RunTables) -> ProjectionID? {
    row.parent.map { ids.projection($0, &tables) }
  }

  /// Throws if the current row lists more paths as read than can be kept.
  func checkReads() throws(StateError) { try log.limits?.checkReads(row, of: rows) }

  /// The paths that the current row lists as read, or as read in addition.
  var readPaths: [PathID] { rows.readPaths.map { ids.path($0) } }

  /// The paths that the current row lists as no longer read.
  var droppedPaths: [PathID] { rows.droppedPaths.map { ids.path($0) } }

  /// The reads that the current row records; nil if it is not a row of kind `reads`.
  var reads: Reads? { row.kind == .reads ? Reads(row, rows) : nil }

  @inline(__always)
  var recordedCauses: Causes { Causes(rows.invalidationCauses) }

  /// The write that the current row makes; nil if it is not a write.
  var writeBody: Event.Body? { row.kind.isWrite ? rows.body(of: row) : nil }

  /// Appends the current row as a JSON line, without the line break.
  func print(with printer: inout RowPrinter, to output: inout [UInt8], statesSameValue: Bool) {
    printer.append(row, of: rows, to: &output, statesSameValue: statesSameValue)
  }

  /// The first event of the block that has the current row; 0 before the first.
  var blockSeq: UInt64 { block?.firstSeq ?? 0 }

  /// The label or site with this id in the block.
  func string(_ id: StringID?) -> String? { id.map { rows.tables.string($0) } }
}
