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
    var pairing = Pairing()
    var divergence: (a: UInt64?, b: UInt64?)?
    let total = UInt64(max(a.eventCount, b.eventCount))
    var count: UInt64 = 0
    while true {
      let (hasA, hasB) = (first.next(), second.next())
      if !hasA, !hasB { break }
      if divergence == nil, !hasA || !hasB || !pairing.isSame(&first, &second) {
        divergence = (hasA ? first.row.seq : nil, hasB ? second.row.seq : nil)
      }
      if hasA { try first.take() }
      if hasB { try second.take() }
      count += 1
      if count & 4095 == 0 { progress.noteMany(count, of: total, "comparing \(a.path)") }
    }
    try first.check()
    try second.check()
    self.divergence = divergence.map { ($0.a.flatMap(a.event), $0.b.flatMap(b.event)) }
    paths = Self.differences(first.paths, second.paths)
    projections = Self.differences(first.projections, second.projections)
    state = StateDifference.between(first.state, second.state)
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
