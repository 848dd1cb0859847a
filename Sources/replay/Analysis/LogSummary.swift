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

  init(_ log: LoadedLog) throws {
    events = log.events.count
    bytes = log.bytes
    duration = log.duration
    blocks = log.blocks
    isClean = log.isClean
    damage = log.damage
    program = log.header.program
    metadata = log.header.metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    objects = try Run.state(of: log, at: .max).objects.count
    var counts: [String: Int] = [:]
    var names: Set<String> = []
    for event in log.events {
      counts[event.body.kind, default: 0] += 1
      switch event.body {
      case .projection(let name, _, _), .reads(let name, _), .evaluate(let name, _, _): names.insert(name)
      default: break
      }
    }
    projections = names.count
    kinds = counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
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
