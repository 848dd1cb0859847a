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

  init(_ log: LogSource) throws {
    events = log.eventCount
    bytes = log.reader.byteCount
    blocks = log.reader.blocks.count
    program = log.header.program
    metadata = log.header.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    var counts: [String: Int] = [:]
    var names: Set<String> = []
    var replay = StateReplay(log)
    var cursor = log.cursor()
    while let event = cursor.next() {
      duration = max(duration, event.time)
      counts[event.body.kind, default: 0] += 1
      switch event.body {
      case .projection(let name, _, _), .reads(let name, _), .evaluate(let name, _, _): names.insert(name)
      default: break
      }
      try replay.apply(event)
    }
    objects = replay.state.objects.count
    projections = names.count
    kinds = counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
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
