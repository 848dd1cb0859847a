import EventLog

/// Where two runs part, and what they did differently.
struct RunDiff {
  /// A number that differs between the runs.
  struct Count {
    var name: String
    var a: Int
    var b: Int

    /// `new` and `gone` where one run has none at all.
    var change: String { a == 0 ? "new" : b == 0 ? "gone" : b > a ? "more" : "less" }
  }

  /// The first events that differ in what happened; nil for a run that had ended.
  let divergence: (a: Event?, b: Event?)?
  let paths: [Count]
  let projections: [Count]
  let state: [StateDifference]

  var isIdentical: Bool { divergence == nil && paths.isEmpty && projections.isEmpty && state.isEmpty }

  init(_ a: LogSource, _ b: LogSource, progress: Progress = .hidden) throws {
    defer { progress.finish() }
    var first = DiffSide(a)
    var second = DiffSide(b)
    var divergence: (a: Event?, b: Event?)?
    let total = max(a.eventCount, b.eventCount)
    var count = 0
    while true {
      let events = (a: try first.next(), b: try second.next())
      if events.a == nil, events.b == nil { break }
      if divergence == nil, events.a.map(Self.whatHappened) != events.b.map(Self.whatHappened) {
        divergence = events
      }
      count += 1
      progress.note(count, of: total, "comparing \(a.path)")
    }
    self.divergence = divergence
    paths = Self.differences(first.paths, second.paths)
    projections = Self.differences(first.projections, second.projections)
    state = StateDifference.between(first.state, second.state)
  }

  /// The event without when, where in the source, and how long.
  private static func whatHappened(_ event: Event) -> Event {
    var event = event
    event.time = 0
    event.site = nil
    if case .evaluate(let name, _, let changed) = event.body {
      event.body = .evaluate(projection: name, duration: 0, changed: changed)
    }
    return event
  }

  /// The largest differences first.
  private static func differences(_ a: [String: Int], _ b: [String: Int]) -> [Count] {
    Set(a.keys).union(b.keys).map { Count(name: $0, a: a[$0] ?? 0, b: b[$0] ?? 0) }
      .filter { $0.a != $0.b }
      .sorted { (abs($1.a - $1.b), $0.name) < (abs($0.a - $0.b), $1.name) }
  }

  var json: JSON {
    [
      "identical": .bool(isIdentical),
      "first_divergence": .optional(divergence) {
        ["a": .optional($0.a) { .raw($0.json()) }, "b": .optional($0.b) { .raw($0.json()) }]
      },
      "paths": .array(paths.map { $0.json(named: "path") }),
      "projections": .array(projections.map { $0.json(named: "name") }),
      "state": .array(state.map(\.json)),
    ]
  }
}

/// One of the runs, as it is gone through.
private struct DiffSide {
  private(set) var paths: [String: Int] = [:]
  private(set) var projections: [String: Int] = [:]
  private var groups = PathGroups()
  private var cursor: EventCursor
  private var replay: StateReplay

  var state: State { replay.state }

  init(_ log: LogSource) {
    cursor = log.cursor()
    replay = StateReplay(log)
  }

  mutating func next() throws -> Event? {
    guard let event = cursor.next() else { return nil }
    if let path = event.body.writtenPath { paths[groups.group(of: path), default: 0] += 1 }
    if case .evaluate(let name, _, _) = event.body { projections[name.projectionGroup, default: 0] += 1 }
    try replay.apply(event)
    return event
  }
}

extension RunDiff.Count {
  func json(named key: String) -> JSON {
    .object([(key, .text(name)), ("a", .int(a)), ("b", .int(b)), ("change", .text(change))])
  }
}
