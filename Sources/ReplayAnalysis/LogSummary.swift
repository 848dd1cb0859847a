import EventLog

/// A summary of a log's contents.
package struct LogSummary: Encodable, Sendable {
  package var events: Int
  /// The size of the file in bytes.
  package var bytes: UInt64
  /// The time from the session's beginning to the last event, in nanoseconds.
  package var duration: UInt64
  package var objects: Int
  package var projections: Int
  package var blocks: Int
  package var isClean: Bool
  package var state: LogDamage.State
  /// Whether the blocks were found by the indexes, and whether these agree with the blocks.
  package var index: LogReader.IndexUse
  package var program: String
  package var metadata: OrderedFields<String>
  /// How much of the metadata is shown to people, who would not find anything in more.
  package static let metadataShown = 100
  /// Whether each block was looked at, and not what the index says of it alone; not part of what is encoded.
  package var isChecked: Bool
  /// Events by kind, the most frequent first.
  package var kinds: OrderedFields<Int>
  /// A description of what is missing or damaged; nil if nothing is.
  package var damage: String?

  enum CodingKeys: String, CodingKey {
    case events, bytes
    case duration = "duration_ns"
    case objects, projections, blocks
    case isClean = "clean"
    case state, index, program, metadata, kinds
  }

  /// The same, each block of a log that is no larger looked at: damage is found so, which its index does not know of.
  package init(_ log: LogSource, checkingUpTo bytes: UInt64) {
    let isOpenedByIndex = log.reader.indexUse == .believed
    let isSmall = log.reader.byteCount <= bytes
    if isOpenedByIndex, isSmall { log.checkBlocks() }
    self.init(log)
    isChecked = !isOpenedByIndex || isSmall
  }

  package init(_ log: LogSource) { self.init(log, log.reader.totals() ?? log.count()) }

  /// - Parameter totals: The counts of the log's events.
  init(_ log: LogSource, _ totals: LogTotals) {
    // Counting may have shown that the index is wrong, so the reader is asked afterwards.
    let reader = log.reader
    events = totals.events.values.reduce(0, +)
    bytes = reader.byteCount
    blocks = reader.blocks.count
    duration = totals.duration
    objects = totals.objects
    projections = totals.projections
    program = log.header.program
    metadata = OrderedFields(log.header.metadata.sorted { $0.key < $1.key })
    kinds = OrderedFields(totals.events.sorted { ($1.value, $0.key) < ($0.value, $1.key) })
    isClean = log.isClean
    state = log.damage.state
    index = log.reader.indexUse
    isChecked = index != .believed
    damage = log.damage.text
  }
}

extension LogReader.IndexUse: Encodable {}
