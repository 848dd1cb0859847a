import EventLog

/// What is in a log.
struct LogSummary {
  var events = 0
  var bytes: UInt64 = 0
  var duration: UInt64 = 0
  var objects = 0
  var projections = 0
  var blocks = 0
  var isClean = true
  var damage: String?
  var program = ""
  var metadata: [(String, String)] = []
  /// Events by kind, the most frequent first.
  var kinds: [(kind: String, count: Int)] = []

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
    metadata = log.header.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    kinds = totals.events.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    isClean = log.isClean
    damage = log.damage
  }

  var json: JSON {
    [
      "events": .int(events), "bytes": .number(bytes), "duration_ns": .number(duration),
      "objects": .int(objects), "projections": .int(projections), "blocks": .int(blocks),
      "clean": .bool(isClean), "program": .text(program),
      "metadata": .object(metadata.map { ($0.0, .text($0.1)) }),
      "kinds": .object(kinds.map { ($0.kind, .int($0.count)) }),
    ]
  }
}
