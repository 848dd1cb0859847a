import EventLog

// What the parent of a projection did with it: ended it, skipped it for an equal input, or handed it nothing.

extension WhyNotSearch {
  /// Why a projection did not run although its parent was invalidated by a write, or ran for it; nil if neither is so.
  func fromAbove(_ subject: WrittenUnit.Subject, _ unit: borrowing WrittenUnit) throws -> Reason? {
    guard let parent = subject.ancestors.first else { return nil }
    let pattern = ProjectionPattern(exactly: parent)
    let isInvalidated = unit.invalidates(parent)
    guard let run = try next(.run(pattern), after: unit.end) else {
      guard isInvalidated else { return nil }
      return Reason(
        kind: .parentWaiting, seq: unit.end,
        message:
          "event \(unit.end) invalidated its parent \(parent), which hands it what it shows, and has not run since"
      )
    }
    guard isInvalidated || unit.led(to: log.causeChain(of: run)) else { return nil }
    let name = subject.name
    if let end = try endOfLife(of: name, after: unit.end),
      try end < run || ender(of: name, at: end)?.run == run
    {
      return Reason(kind: .ended, seq: end, message: try ending(of: name, at: end))
    }
    let nextRun = try next(.run(pattern), after: run)
    if let skip = try skip(of: name, after: unit.end, before: nextRun) {
      return Reason(
        kind: .inputSame, seq: skip,
        message:
          "its parent \(parent) ran at event \(run), and skipped it at event \(skip) for an equal input")
    }
    if try isHosted(name, at: unit.end) {
      return Reason(
        kind: .handedNothing, seq: run,
        message:
          "it was handed nothing in that run: its parent \(parent) ran at event \(run), and did not reach it")
    }
    return Reason(
      kind: .inputSame, seq: run,
      message: "its parent \(parent) ran at event \(run), and skipped it for an equal input")
  }

  /// How a projection ended: by a run of one that it is within, or alone.
  func ending(of name: String, at end: UInt64) throws -> String {
    try ender(of: name, at: end).map { "\($0.name) ended it at event \(end)" } ?? "it ended at event \(end)"
  }

  /// The projection whose run ended another that was within it, and that run. When a run is over, the session ends what it has
  /// not made again; nothing else comes in between. What a host runs is ended by the host.
  private func ender(of name: String, at end: UInt64) throws -> (name: String, run: UInt64)? {
    if try isHosted(name, at: end) { return nil }
    var seq = end
    while seq > log.firstSeq, end - seq < Self.endsMax, log.event(seq)?.body.kind.lifeChange == .ends {
      seq -= 1
    }
    guard let outer = log.projection(runningAt: seq) else { return nil }
    var run = LogRun(try log.part(from: end), [.lives, .lastingProjections])
    while run.row.seq < end, try run.next() {}
    guard let ended = run.projection, run.row.seq == end else { return nil }
    let isWithin = run.ancestors(of: ended).contains { run.tables.name($0).hasSameBytes(as: outer) }
    return isWithin ? (outer, seq) : nil
  }

  /// As many projections are ended together at the most.
  private static let endsMax: UInt64 = 1 << 14

  /// The parent that an event made a projection in.
  func parent(madeAt seq: UInt64) -> String? {
    guard case .projection(_, let parent, _)? = log.event(seq)?.body else { return nil }
    return parent
  }

  /// Whether a host runs a projection that lives at an event. The log has the place where it was made; of what a session's
  /// projection makes within itself it has that of the outermost one. A framework that makes the projections of all views in one
  /// line gives no place at all, which nothing else does in a log that has places.
  private func isHosted(_ name: String, at seq: UInt64) throws -> Bool {
    var name = name
    for _ in 0..<Self.ancestorsMax {
      var beginning: (parent: String?, site: String?)?
      try forEachLifeEvent(of: ProjectionPattern(exactly: name)) { event, _ in
        guard event.seq <= seq else { return false }
        if case .projection(_, let parent, _) = event.body { beginning = (parent, event.site) }
        return true
      }
      guard let beginning else { return false }
      guard let parent = beginning.parent else { return try beginning.site == nil && hasSites }
      if beginning.site != nil { return true }
      name = parent
    }
    return false
  }

  /// More than real trees nest: the parents may form a cycle.
  private static let ancestorsMax = 64

  /// Whether the log has the place of some event.
  private var hasSites: Bool {
    get throws {
      var run = LogRun(log, [])
      while try run.next() { if run.row.site != nil { return true } }
      return false
    }
  }

  /// The mark with which a host skipped a projection.
  private func skip(of name: String, after seq: UInt64, before end: UInt64?) throws -> UInt64? {
    var run = LogRun(try log.part(from: seq, before: end, hasState: false), [])
    while try run.next(), run.row.seq < end ?? .max {
      guard run.row.kind == .mark, run.row.seq > seq, let label = run.label,
        case .skipped(let projection) = MarkLabel(label), projection.hasSameBytes(as: name)
      else { continue }
      return run.row.seq
    }
    return nil
  }
}

extension LogRun {
  /// The projections that one is within, the nearest first. Needs `.lives`.
  func ancestors(of projection: ProjectionID) -> [ProjectionID] {
    var ancestors: [ProjectionID] = []
    var next = registry[projection].parent
    // More than real trees nest: the parents may form a cycle.
    while let ancestor = next, ancestors.count < 64 {
      ancestors.append(ancestor)
      next = registry[ancestor].parent
    }
    return ancestors
  }
}
