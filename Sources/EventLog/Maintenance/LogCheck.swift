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
  public let indexes: Int
  /// How many checkpoints were held against the events.
  public let checkpoints: Int
  /// What is wrong although every block is whole, in order.
  public let findings: [Finding]

  /// Checks a log.
  ///
  /// `progress` is told events done and events in all. Throws as ``LogReader/init(path:scanned:)``. Cost: linear in the
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
