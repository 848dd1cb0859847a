import EventLog

/// What is in a log.
struct LogSummary: Codable, Sendable {
  var events: Int
  /// The size of the file.
  var bytes: UInt64
  /// From the session's beginning to the last event, in nanoseconds.
  var duration: UInt64
  var objects: Int
  var projections: Int
  var blocks: Int
  var isClean: Bool
  var program: String
  var metadata: OrderedFields<String>
  /// Events by kind, the most frequent first.
  var kinds: OrderedFields<Int>
  /// What is torn, in words.
  var damage: String?

  enum CodingKeys: String, CodingKey {
    case events, bytes
    case duration = "duration_ns"
    case objects, projections, blocks
    case isClean = "clean"
    case program, metadata, kinds
  }

  init(_ log: LogSource) {
    let reader = log.reader
    let totals = reader.totals() ?? log.count()
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
    damage = log.damage.text
  }
}
