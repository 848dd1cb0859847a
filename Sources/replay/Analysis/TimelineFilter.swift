import EventLog
import Projection

/// Which entries of the timeline to show.
struct TimelineFilter {
  var projection: ProjectionPattern?
  var path: PathPattern?
  var from: Moment?
  var to: Moment?

  /// Gives the entries that pass, in order, as they are found.
  ///
  /// - Throws: `ToolError` when a pattern without a wildcard names nothing that is in the log.
  func forEachEntry(of log: LogSource, progress: Progress, _ body: (TimelineEntry) throws -> Void) throws {
    if let path, projection == nil, let recorded = RecordedTimeline(of: log, writing: path) {
      return try recorded.forEach { invalidation, event in
        if passes(invalidation, event) { try body(entry(invalidation, event, of: log)) }
      }
    }
    var names: Set<String> = []
    var places: Set<Path> = []
    var matches = PathMatches(path)
    var run = Run(log, progress: progress)
    while let step = try run.next() {
      let event = step.event
      if projection != nil, let name = event.body.projectionName { names.insert(name) }
      if isExactPath {
        if let written = event.body.writtenPath { places.insert(written) }
        if case .reads(_, let paths) = event.body { places.formUnion(paths) }
      }
      for invalidation in step.invalidations where passes(invalidation, event) {
        let entry = entry(invalidation, event, of: log)
        if path != nil, !entry.writes.contains(where: { matches.contains($0) }) { continue }
        try body(entry)
      }
    }
    try projection?.check(against: names, of: log)
    try checkPath(among: places, run.state, of: log)
  }

  private func entry(_ invalidation: Invalidation, _ event: Event, of log: LogSource) -> TimelineEntry {
    TimelineEntry(
      invalidation: invalidation, time: event.time,
      writes: invalidation.causes.compactMap { log.event($0)?.body.writtenPath })
  }

  private var isExactPath: Bool { path.map { !$0.description.contains("*") } ?? false }

  private func passes(_ invalidation: Invalidation, _ event: Event) -> Bool {
    if let projection, !projection.matches(invalidation.projection) { return false }
    if let from, from.isAfter(event) { return false }
    if let to, to.isBefore(event) { return false }
    return true
  }

  private func checkPath(among known: Set<Path>, _ state: State, of log: LogSource) throws {
    guard isExactPath, let path, !known.contains(where: { path.matches($0) }) else { return }
    if let place = try? Path(parsing: path.description), state.value(at: place) != nil { return }
    throw ToolError(
      "\(log.path): no event writes or reads \(path)"
        + Suggestion.text(for: path.description, among: known.map(\.description).sorted()))
  }
}

/// Which paths match a pattern, each found out once as long as there are not too many.
private struct PathMatches {
  private let pattern: PathPattern?
  private var known: [Path: Bool] = [:]

  init(_ pattern: PathPattern?) { self.pattern = pattern }

  mutating func contains(_ path: Path) -> Bool {
    if let known = known[path] { return known }
    let isMatch = pattern?.matches(path) ?? true
    if known.count >= 1 << 16 { known.removeAll(keepingCapacity: true) }
    known[path] = isMatch
    return isMatch
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
