/// Whether the bytes of a log are what was written, and whether what stands in it beside the events agrees with them.
///
/// Every block is read: its frame's checksum, its hash, its hash chain, its seqs, and its rows to the last. Indexes and
/// checkpoints, which can be made again from the events, are compared with them.
public struct LogCheck: Sendable {
  /// Something in the log that is not as the events have it.
  public struct Finding: Hashable, Sendable {
    /// Where in the file the block begins that shows it.
    public var byteOffset: UInt64
    /// What is wrong.
    public var reason: String
  }

  /// The whole and valid blocks, in order.
  public let blocks: [BlockInfo]
  /// What follows the last of them.
  public let tail: LogReader.Tail
  /// How many indexes were held against the blocks.
  public let indexes: Int
  /// How many checkpoints were held against the events.
  public let checkpoints: Int
  /// What is wrong although every block is whole, in order.
  public let findings: [Finding]

  /// Checks a log.
  ///
  /// `progress` gets events done and events in all. Throws as ``LogReader/init(path:scanned:)``. Cost: linear in the
  /// log, about that of reading it twice. Memory: a block, and the state twice where there are checkpoints.
  public init(path: String, progress: (UInt64, UInt64) -> Void = { _, _ in }) throws(LogError) {
    var pass = try LogCheckPass(LogReader(path: path, scanned: true))
    var tables = RunTables()
    self = try pass.finish(&tables, progress)
  }

  /// The check of nothing.
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

/// The check of a log row by row, for a caller that reads the rows for another reason too: a log is read once for both.
package struct LogCheckPass {
  /// The whole and valid blocks, and what follows them, as found by looking at all of the log.
  private let scanned: LogReader
  /// The blocks of events, by their indices among all.
  private let eventBlocks: [Int]
  private var indexes: IndexCheck
  private var checkpoints: CheckpointCheck
  /// How many blocks were taken in to the end.
  private var done = 0
  private var epoch: UInt32 = 0

  /// Checks a log that was scanned: what an index says of it was not believed.
  package init(_ scanned: LogReader) throws(LogError) {
    precondition(scanned.indexUse != .believed)
    self.scanned = scanned
    eventBlocks = scanned.blocks.indices.filter { scanned.blocks[$0].kind == BlockKind.events }
    let open = scanned.firstSeq > 1 ? try scanned.fold(at: scanned.firstSeq - 1).openTransactions : 0
    indexes = try IndexCheck(scanned, openTransactions: open)
    checkpoints = try CheckpointCheck(scanned)
  }

  /// Begins with a block, which must be the next.
  package mutating func begin(_ rows: borrowing BlockRows, _ tables: inout RunTables) {
    if epoch != tables.epoch {
      epoch = tables.epoch
      checkpoints.forgetPaths()
    }
    if done < eventBlocks.count { indexes.begin(rows, at: eventBlocks[done], &tables) }
  }

  /// Takes in a row of the block, with the path and the projection that it names; false where the block is needed for
  /// the rest, which is then to be given to ``takeRest(_:of:path:projection:_:)``.
  @inline(__always)
  package mutating func take(
    _ row: borrowing Row, path: PathID?, projection: ProjectionID?, _ tables: borrowing RunTables
  ) -> Bool {
    indexes.take(row, path: path, projection: projection, tables)
    return checkpoints.isDone || checkpoints.take(row, path: path, projection: projection)
  }

  /// Takes in the rest of a row.
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

  /// Takes in the blocks that are left, and returns what was found. A block that was not taken in to its end is
  /// taken from its beginning.
  package mutating func finish(
    _ tables: inout RunTables, _ progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCheck {
    do {
      try takeAll(&tables, progress)
    } catch let error as LogError {
      // A block whose hash is right and whose rows cannot be read was written wrongly.
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
