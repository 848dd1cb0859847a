import EventLog
import Projection

/// Which entries of the timeline to show.
struct TimelineFilter {
  var projection: ProjectionPattern?
  var path: PathPattern?
  var from: Moment?
  var to: Moment?

  /// The entries that pass, in order.
  ///
  /// - Throws: `ToolError` when a pattern without a wildcard names nothing that is in the log.
  func entries(of run: Run) throws -> [TimelineEntry] {
    try projection?.check(against: run)
    try checkPath(in: run)
    var matches: [Path: Bool] = [:]
    return run.invalidations.compactMap { invalidation in
      guard let event = run.event(invalidation.seq), passes(invalidation, event) else { return nil }
      let writes = invalidation.causes.compactMap { run.event($0)?.body.writtenPath }
      if let path {
        let isMatch = writes.contains { write in
          if let known = matches[write] { return known }
          let isMatch = path.matches(write)
          matches[write] = isMatch
          return isMatch
        }
        if !isMatch { return nil }
      }
      return TimelineEntry(invalidation: invalidation, time: event.time, writes: writes)
    }
  }

  private func passes(_ invalidation: Invalidation, _ event: Event) -> Bool {
    if let projection, !projection.matches(invalidation.projection) { return false }
    if let from, from.isAfter(event) { return false }
    if let to, to.isBefore(event) { return false }
    return true
  }

  private func checkPath(in run: Run) throws {
    guard let path, !path.description.contains("*") else { return }
    var known: Set<Path> = []
    for event in run.events {
      if let written = event.body.writtenPath { known.insert(written) }
      if case .reads(_, let paths) = event.body { known.formUnion(paths) }
    }
    if known.contains(where: { path.matches($0) }) { return }
    if let place = try? Path(parsing: path.description), run.finalState.value(at: place) != nil { return }
    throw ToolError(
      "\(run.log.path): no event writes or reads \(path)"
        + Suggestion.text(for: path.description, among: known.map(\.description).sorted()))
  }
}

/// One line of the timeline, as it is shown.
struct TimelineEntry {
  var invalidation: Invalidation
  /// When it happened, in nanoseconds since the session began.
  var time: UInt64
  /// The places that the causes wrote.
  var writes: [Path]

  var json: JSON {
    [
      "seq": .number(invalidation.seq), "time_ns": .number(time),
      "projection": .text(invalidation.projection),
      "causes": .array(invalidation.causes.map { .number($0) }), "cascade": .number(invalidation.cascade),
      "depth": .int(invalidation.depth),
    ]
  }
}
