/// The result of checking the bytes of a log, and whether its indexes and checkpoints agree with its events.
///
/// The check reads every block: the checksum of its frame, its hash, its place in the hash chain, its seqs,
/// and all of its rows. Indexes and checkpoints are derived from the events, and are compared with them.
public struct LogCheck: Sendable {
  /// A part of the log that contradicts its events.
  public struct Finding: Hashable, Sendable {
    /// The offset in the file of the block that shows it.
    public var byteOffset: UInt64
    /// What is wrong.
    public var reason: String
  }

  /// The whole and valid blocks, in order.
  public let blocks: [BlockInfo]
  /// What follows the last valid block.
  public let tail: LogReader.Tail
  /// The number of indexes that were compared with the blocks.
  public let indexes: Int
  /// The number of checkpoints that were compared with the events.
  public let checkpoints: Int
  /// What is wrong in blocks that are whole, in order.
  public let findings: [Finding]

  /// Checks a log.
  ///
  /// Throws as ``LogReader/init(path:scanned:)``. Cost: linear in the log, about that of reading it twice.
  /// Memory: a block, and twice the state if there are checkpoints.
  ///
  /// - Parameters:
  ///   - path: The file of the log, or the first of several.
  ///   - progress: Called with the number of events checked, and the number of all events.
  public init(path: String, progress: (UInt64, UInt64) -> Void = { _, _ in }) throws(LogError) {
    var pass = try LogCheckPass(LogReader(path: path, scanned: true))
    var tables = RunTables()
    self = try pass.finish(&tables, progress)
  }

  /// A result without blocks and findings.
  package static let none = LogCheck(blocks: [], tail: .open, findings: [])

  init(
    blocks: [BlockInfo], tail: LogReader.Tail, indexes: Int = 0, checkpoints: Int = 0, findings: [Finding]
  ) {
    self.blocks = blocks
    self.tail = tail
    self.indexes = indexes
    self.checkpoints = checkpoints
    self.findings = findings
  }
}

/// Checks a log row by row, so that a caller that reads the rows for another purpose need not read the log
/// twice.
package struct LogCheckPass {
  /// The valid blocks and what follows them, found by a scan of the whole log.
  private let scanned: LogReader
  /// The blocks of events, as indices into all blocks.
  private let eventBlocks: [Int]
  private var indexes: IndexCheck
  private var checkpoints: CheckpointCheck
  /// The number of blocks that were checked to the end.
  private var done = 0
  private var epoch: UInt32 = 0

  /// Checks a log that was scanned, so that the reader did not rely on the indexes which are to be checked.
  package init(_ scanned: LogReader) throws(LogError) {
    precondition(scanned.indexUse != .believed)
    self.scanned = scanned
    eventBlocks = scanned.blocks.indices.filter { scanned.blocks[$0].kind == BlockKind.events }
    let open = scanned.firstSeq > 1 ? try scanned.fold(at: scanned.firstSeq - 1).openTransactions : 0
    indexes = try IndexCheck(scanned, openTransactions: open)
    checkpoints = try CheckpointCheck(scanned)
  }

  /// Begins a block, which must follow the one before.
  package mutating func begin(_ rows: borrowing BlockRows, _ tables: inout RunTables) {
    if epoch != tables.epoch {
      epoch = tables.epoch
      checkpoints.forgetPaths()
    }
    if done < eventBlocks.count { indexes.begin(rows, at: eventBlocks[done], &tables) }
  }

  /// Checks a row of the block; `path` and `projection` are the ids of those that the row names. Returns
  /// false if the checkpoints need the row's block; then call ``takeRest(_:of:path:projection:_:)`` with the
  /// same row.
  @inline(__always)
  package mutating func take(
    _ row: borrowing Row, path: PathID?, projection: ProjectionID?, _ tables: borrowing RunTables
  ) -> Bool {
    indexes.take(row, path: path, projection: projection, tables)
    return checkpoints.isDone || checkpoints.take(row, path: path, projection: projection)
  }

  /// Finishes the check of a row for which `take` returned false.
  package mutating func takeRest(
    _ row: borrowing Row, of rows: borrowing BlockRows, path: PathID?, projection: ProjectionID?,
    _ ids: borrowing BlockIDs
  ) {
    checkpoints.take(row, of: rows, path: path, projection: projection, ids)
  }

  /// Ends a block.
  package mutating func end() throws {
    done += 1
    if !checkpoints.isDone { try checkpoints.endBlock() }
  }

  /// Checks the remaining blocks and returns the result. A block that was begun and not ended is checked
  /// again from its beginning.
  package mutating func finish(
    _ tables: inout RunTables, _ progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCheck {
    do {
      try takeAll(&tables, progress)
    } catch let error as LogError {
      // The hash of this block is right but its rows cannot be read, so the writer made a mistake.
      guard error.code == .damaged else { throw error }
      let finding = LogCheck.Finding(byteOffset: error.byteOffset ?? 0, reason: error.message)
      return LogCheck(
        blocks: scanned.blocks, tail: scanned.tail, indexes: indexes.count,
        findings: indexes.findings + [finding])
    } catch {
      throw LogError(.internal, path: scanned.path, message: "\(error)")
    }
    indexes.finish()
    let findings = checkpoints.findings.map { finding in
      LogCheck.Finding(
        byteOffset: finding.byteOffset,
        reason: "the checkpoint behind event \(finding.seq): \(finding.reason)")
    }
    return LogCheck(
      blocks: scanned.blocks, tail: scanned.tail, indexes: indexes.count, checkpoints: checkpoints.count,
      findings: (indexes.findings + findings).sorted { $0.byteOffset < $1.byteOffset })
  }

  private mutating func takeAll(_ tables: inout RunTables, _ progress: (UInt64, UInt64) -> Void) throws {
    let opener = try BlockOpener(scanned)
    while done < eventBlocks.count {
      let block = scanned.blocks[eventBlocks[done]]
      var rows = try opener.rows(of: block)
      var ids = tables.ids(of: rows.tables)
      begin(rows, &tables)
      var row = Row()
      do throws(DecodeFault) {
        while try rows.next(&row) {
          let path = row.path.map { ids.path($0) }
          let projection = row.projection.map { ids.projection($0, &tables) }
          if let projection { tables.note(row.kind, of: projection, at: row.seq) }
          if !take(row, path: path, projection: projection, tables) {
            takeRest(row, of: rows, path: path, projection: projection, ids)
          }
        }
      } catch {
        throw scanned.damage(error, in: block.offset)
      }
      try end()
      progress(block.endSeq - scanned.firstSeq, scanned.eventCount)
    }
  }
}
