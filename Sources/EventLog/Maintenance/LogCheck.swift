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
  /// Throws as ``LogReader/init(path:scanned:limits:)``. Cost: linear in the log, about that of reading it twice.
  /// Memory: a block, and twice the state if there are checkpoints.
  ///
  /// - Parameters:
  ///   - path: The file of the log, or the first of several.
  ///   - limits: As for ``LogReader/init(path:scanned:limits:)``.
  ///   - progress: Called with the number of events checked, and the number of all events.
  public init(
    path: String, limits: ReadLimits? = .standard, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) {
    try self.init(scanned: LogReader(path: path, scanned: true, limits: limits), progress: progress)
  }

  /// Checks a log that was scanned, so that the reader did not rely on the indexes which are to be checked.
  package init(
    scanned: LogReader, progress: (UInt64, UInt64) -> Void = { _, _ in }
  ) throws(LogError) {
    precondition(scanned.indexUse != .believed)
    var pass = try LogCheckPass(scanned)
    self = try pass.run(progress)
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

/// The pass over all blocks and rows of a scanned log.
private struct LogCheckPass {
  /// The valid blocks and what follows them, found by a scan of the whole log.
  private let scanned: LogReader
  private var indexes: IndexCheck
  private var checkpoints: CheckpointCheck
  private var tables = RunTables()

  init(_ scanned: LogReader) throws(LogError) {
    self.scanned = scanned
    let open = scanned.firstSeq > 1 ? try scanned.fold(at: scanned.firstSeq - 1).openTransactions : 0
    indexes = try IndexCheck(scanned, openTransactions: open)
    checkpoints = try CheckpointCheck(scanned)
  }

  mutating func run(_ progress: (UInt64, UInt64) -> Void) throws(LogError) -> LogCheck {
    do {
      let opener = try BlockOpener(scanned)
      for (index, block) in scanned.blocks.enumerated() where block.kind == BlockKind.events {
        try check(block, at: index, opener)
        progress(block.endSeq - scanned.firstSeq, scanned.eventCount)
      }
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

  private mutating func check(_ block: BlockInfo, at index: Int, _ opener: borrowing BlockOpener) throws {
    var rows = try opener.rows(of: block)
    let epoch = tables.epoch
    var ids = tables.ids(of: rows.tables)
    if epoch != tables.epoch { checkpoints.forgetPaths() }
    indexes.begin(rows, at: index, &tables)
    var row = Row()
    do throws(DecodeFault) {
      while try rows.next(&row) {
        let path = row.path.map { ids.path($0) }
        let projection = row.projection.map { ids.projection($0, &tables) }
        if let projection { tables.apply(row.kind, of: projection, at: row.seq) }
        indexes.check(row, path: path, projection: projection, tables)
        if !checkpoints.isDone, !checkpoints.apply(row, path: path, projection: projection) {
          checkpoints.apply(row, of: &rows, path: path, projection: projection)
        }
      }
    } catch {
      throw scanned.damage(error, in: block.offset)
    }
    if !checkpoints.isDone { try checkpoints.endBlock() }
  }
}
