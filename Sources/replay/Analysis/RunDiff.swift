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

  init(_ a: LoadedLog, _ b: LoadedLog) throws {
    divergence = Self.divergence(a.events, b.events)
    let countsA = Self.counts(a.events)
    let countsB = Self.counts(b.events)
    paths = Self.differences(countsA.paths, countsB.paths)
    projections = Self.differences(countsA.projections, countsB.projections)
    state = StateDifference.between(try Run.state(of: a, at: .max), try Run.state(of: b, at: .max))
  }

  private static func divergence(_ a: [Event], _ b: [Event]) -> (a: Event?, b: Event?)? {
    for index in 0..<max(a.count, b.count) {
      let first = index < a.count ? a[index] : nil
      let second = index < b.count ? b[index] : nil
      if first.map(whatHappened) != second.map(whatHappened) { return (first, second) }
    }
    return nil
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

  private static func counts(_ events: [Event]) -> (paths: [String: Int], projections: [String: Int]) {
    var groups = PathGroups()
    var paths: [String: Int] = [:]
    var projections: [String: Int] = [:]
    for event in events {
      if let path = event.body.writtenPath { paths[groups.group(of: path), default: 0] += 1 }
      if case .evaluate(let name, _, _) = event.body { projections[name.projectionGroup, default: 0] += 1 }
    }
    return (paths, projections)
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

extension RunDiff.Count {
  func json(named key: String) -> JSON {
    .object([(key, .text(name)), ("a", .int(a)), ("b", .int(b)), ("change", .text(change))])
  }
}
