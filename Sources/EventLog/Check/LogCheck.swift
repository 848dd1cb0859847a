/// Whether the bytes of a log are what was written, and whether what stands in it beside the events agrees with them.
///
/// Every block is read: its frame's checksum, its hash, its place in the chain and in the order of seqs, and its rows
/// to the last. What can be made again from the events, indexes and checkpoints, is held against them.
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
  public private(set) var indexes = 0
  /// How many checkpoints were held against the events.
  public private(set) var checkpoints = 0
  /// What is wrong although every block is whole, in order.
  public private(set) var findings: [Finding] = []

  /// Checks a log.
  ///
  /// `progress` is told events done and events in all. Throws as ``LogReader/init(path:scanned:)``. Cost: linear in the
  /// log, about that of reading it twice. Memory: a block, and the state twice where there are checkpoints.
  public init(path: String, progress: (UInt64, UInt64) -> Void = { _, _ in }) throws(LogError) {
    let scanned = try LogReader(path: path, scanned: true)
    blocks = scanned.blocks
    tail = scanned.tail
    do {
      try checkRows(scanned, try LogReader(path: path), progress)
    } catch let error as LogError {
      // A block whose hash is right and whose rows cannot be read was written wrongly.
      guard error.code == .damaged else { throw error }
      findings.append(Finding(byteOffset: error.byteOffset ?? 0, reason: error.message))
    } catch {
      throw LogError(.internal, path: path, message: "\(error)")
    }
  }

  private mutating func checkRows(
    _ scanned: LogReader, _ indexed: LogReader, _ progress: (UInt64, UInt64) -> Void
  ) throws {
    let open = scanned.firstSeq > 1 ? try scanned.fold(at: scanned.firstSeq - 1).openTransactions : 0
    var index = IndexCheck(indexed, scanned: scanned, openTransactions: open)
    var state = try CheckpointCheck(scanned)
    let places = scanned.blocks.indices.filter { scanned.blocks[$0].kind == BlockKind.events }
    var next = 0
    try scanned.read(places.lazy.map { scanned.blocks[$0] }) { block, rows in
      var again = rows
      try state.take(&again)
      if index == nil {
        var row = Row()
        while try rows.next(&row) {}
      }
      try index?.take(&rows, of: block, at: places[next])
      next += 1
      progress(block.endSeq - scanned.firstSeq, scanned.eventCount)
    }
    index?.finish()
    indexes = index?.count ?? 0
    checkpoints = state.count
    findings =
      (index?.findings ?? [])
      + state.findings.map { finding in
        Finding(
          byteOffset: finding.byteOffset,
          reason: "the checkpoint behind event \(finding.seq): \(finding.reason)")
      }
  }
}
