import EventLog
import Projection

/// Which entries of the timeline to show.
struct TimelineFilter {
  var projection: ProjectionPattern?
  var path: PathPattern?
  var from: Moment?
  var to: Moment?

  /// Gives the entries that pass, in order, as they are found, with the run that their numbers are of; and nothing but
  /// the run now and then, where none was found for a while.
  ///
  /// - Throws: `ToolError` when a pattern without a wildcard names nothing that is in the log.
  func forEachEntry(
    of log: LogSource, progress: Progress, _ body: (TimelineEntry?, inout Run) throws -> Void
  ) throws {
    var run = Run(log, progress: progress)
    if let path, projection == nil, let recorded = RecordedTimeline(of: log, writing: path) {
      return try recorded.forEach(in: &run) { entry, run in
        if passes(entry.seq, entry.time) { try body(entry, &run) }
      }
    }
    var known = KnownNames(self)
    while try run.next() {
      known.note(&run)
      if run.row.seq & 0xFFFF == 0 { try body(nil, &run) }
      guard !run.hits.isEmpty, passes(run.row.seq, run.row.time) else { continue }
      let root = run.root(of: run.row.seq)
      for hit in run.hits where known.passes(hit, &run) {
        try body(
          TimelineEntry(
            seq: run.row.seq, time: run.row.time, projection: hit.name, causes: hit.causes,
            cascade: root.seq, depth: root.depth), &run)
      }
    }
    try known.check(&run)
  }

  private func passes(_ seq: UInt64, _ time: UInt64) -> Bool {
    if let from, from.isAfter(seq, time) { return false }
    if let to, to.isBefore(seq, time) { return false }
    return true
  }
}

/// One line of the timeline, in the numbers of a run.
struct TimelineEntry {
  var seq: UInt64
  /// When it happened, in nanoseconds since the session began.
  var time: UInt64
  var projection: Int
  var causes: Causes
  var cascade: UInt64
  var depth: Int
}

/// Which names pass a filter, each found out once, and which there are.
private struct KnownNames {
  private let projection: ProjectionPattern?
  private let path: PathPattern?
  private let isExactPath: Bool
  /// By number: 1 where it passes, 0 where it does not.
  private var projections: [Int32] = []
  private var paths: [Int32] = []
  private var generation = 0
  /// What events are about, as far as somebody asks for it by name.
  private var seenNames: [Int32] = []
  private var seenPaths: [Int32] = []
  private var names: Set<String> = []
  private var places: Set<Path> = []

  init(_ filter: TimelineFilter) {
    projection = filter.projection
    path = filter.path
    isExactPath = filter.path.map { !$0.description.contains("*") } ?? false
  }

  mutating func note(_ run: inout Run) {
    if projection != nil, let name = run.name { note(name, run.tables) }
    guard isExactPath else { return }
    forgetOldPaths(run.tables)
    if let path = run.path { note(path: path, run.tables) }
    if run.row.kind == .reads { for path in run.readPaths { note(path: path, run.tables) } }
  }

  private mutating func note(_ name: Int, _ tables: borrowing RunTables) {
    seenNames.reserve(name)
    if seenNames[name] < 0 { names.insert(tables.names[name]) }
    seenNames[name] = 1
  }

  private mutating func note(path: Int, _ tables: borrowing RunTables) {
    seenPaths.reserve(path)
    if seenPaths[path] < 0 { places.insert(tables.paths.path(path)) }
    seenPaths[path] = 1
  }

  private mutating func forgetOldPaths(_ tables: borrowing RunTables) {
    guard generation != tables.generation else { return }
    generation = tables.generation
    paths = []
    seenPaths = []
  }

  mutating func passes(_ hit: NumberedTimeline.Hit, _ run: inout Run) -> Bool {
    passes(projection: hit.name, run.tables)
      && (path == nil || hit.causes.all.contains { passes(cause: $0, &run) })
  }

  private mutating func passes(projection name: Int, _ tables: borrowing RunTables) -> Bool {
    guard let projection else { return true }
    projections.reserve(name)
    if projections[name] < 0 { projections[name] = projection.matches(tables.names[name]) ? 1 : 0 }
    return projections[name] == 1
  }

  private mutating func passes(cause: UInt64, _ run: inout Run) -> Bool {
    guard let number = run.writtenPath(of: cause) else { return false }
    forgetOldPaths(run.tables)
    paths.reserve(number)
    if paths[number] < 0 { paths[number] = path?.matches(run.tables.paths.path(number)) ?? true ? 1 : 0 }
    return paths[number] == 1
  }

  /// Refuses a pattern without a wildcard that names nothing in the log.
  func check(_ run: inout Run) throws {
    try projection?.check(against: names, of: run.log)
    guard isExactPath, let path, !places.contains(where: { path.matches($0) }) else { return }
    if let place = try? Path(parsing: path.description), run.state.value(at: place) != nil { return }
    throw ToolError(
      "\(run.log.path): no event writes or reads \(path)"
        + Suggestion.text(for: path.description, among: places.map(\.description).sorted()))
  }
}
