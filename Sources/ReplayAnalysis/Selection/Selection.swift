import EventLog
import Invalidation

/// The part of a run that a command looks at: a range of events, some projections, some paths, what some actions led to.
package struct Selection {
  /// The seqs of the selected events.
  package var seqs: Range<UInt64>
  var projection: ProjectionPattern?
  var path: PathPattern?
  /// The labels of actions. Not all commands select by them.
  var action: ProjectionPattern?
  /// A line of the account of the selected range. Not all commands select by it.
  package var line: EventLine?

  /// - Throws: `AnalysisError` when a moment is not in the log, or the last lies before the first.
  package init(
    from: Moment? = nil, to: Moment? = nil, projection: ProjectionPattern? = nil, path: PathPattern? = nil,
    action: ProjectionPattern? = nil, line: EventLine? = nil, in log: LogSource
  ) throws {
    let first = try from?.firstSeq(in: log) ?? log.firstSeq
    let last = try to?.seq(in: log, from: from == nil ? 0 : first) ?? log.lastSeq
    guard first <= last || from == nil else {
      throw AnalysisError(log, .reversed(first: first, last: last))
    }
    seqs = first..<max(first, last == .max ? last : last + 1)
    self.projection = projection
    self.path = path
    self.action = action
    self.line = line
  }
}

extension LogRun {
  /// Advances to the next row within a range; false at the end of the range or of the log.
  package mutating func next(in seqs: Range<UInt64>) throws -> Bool {
    while try next(), row.seq < seqs.upperBound {
      if row.seq >= seqs.lowerBound { return true }
    }
    return false
  }
}

/// Tells which projections and paths of a run are selected, and remembers each answer.
struct SelectedNames {
  let selection: Selection
  /// Whether each is selected; nil if not determined yet.
  private var projections = ProjectionMap<Bool?>(default: nil)
  private var paths = PathMap<Bool?>(default: nil)
  /// Whether any selected projection or path was met.
  private var hasProjection = false
  private var hasPath = false

  init(_ selection: Selection) { self.selection = selection }

  /// Whether a projection is selected.
  @inline(__always)
  mutating func passes(projection: ProjectionID, _ tables: borrowing RunTables) -> Bool {
    if selection.projection == nil { return true }
    if let isMeant = projections[projection] { return isMeant }
    return find(projection, tables)
  }

  private mutating func find(_ projection: ProjectionID, _ tables: borrowing RunTables) -> Bool {
    let isMeant = selection.projection?.matches(tables.name(projection)) ?? true
    projections[projection] = isMeant
    if isMeant { hasProjection = true }
    return isMeant
  }

  /// Whether a path is selected.
  @inline(__always)
  mutating func passes(path: PathID, _ tables: borrowing RunTables) -> Bool {
    if selection.path == nil { return true }
    if let isMeant = paths[path] { return isMeant }
    return find(path, tables)
  }

  private mutating func find(_ path: PathID, _ tables: borrowing RunTables) -> Bool {
    let isMeant = selection.path?.matches(tables.path(path)) ?? true
    paths[path] = isMeant
    if isMeant { hasPath = true }
    return isMeant
  }

  /// Whether one of these causes wrote a selected path. If the selection has a path, the run must have been
  /// made with `.lookback`.
  mutating func passes(causes: Causes, _ run: inout LogRun) -> Bool {
    if selection.path == nil { return true }
    if let only = causes.only { return passes(cause: only, &run) }
    return causes.all.contains { passes(cause: $0, &run) }
  }

  private mutating func passes(cause: UInt64, _ run: inout LogRun) -> Bool {
    guard let path = run.writtenPath(of: cause) else { return false }
    return passes(path: path, run.tables)
  }

  /// Throws if a pattern without a wildcard matches nothing in the log; the error suggests the nearest name.
  func check(_ log: LogSource) throws {
    let projection = hasProjection ? nil : selection.projection
    let path = hasPath ? nil : selection.path.flatMap { $0.description.contains("*") ? nil : $0 }
    if projection?.isExact != true, path == nil { return }
    let names = LogNames(log)
    try projection?.check(against: names.projections, of: log)
    guard let path, !names.paths.contains(where: { path.matches($0) }) else { return }
    if let place = try? Path(parsing: path.description),
      try log.state(at: log.lastSeq).value(at: place) != nil
    {
      return
    }
    let known = names.paths.map(\.description).sorted()
    let nearest = Suggestion.nearest(to: path.description, among: known)
    throw AnalysisError(log, .noPath(path.description, nearest: nearest))
  }
}

extension LogNames {
  /// Refuses names and patterns that nothing in a log has, with the nearest that it has. Cost: a pass over the log.
  package static func check(_ projections: [String], _ paths: [PathPattern], of log: LogSource) throws {
    let names = LogNames(log)
    for text in projections {
      let pattern = ProjectionPattern(text)
      try pattern.check(against: names.projections, of: log)
      if !names.projections.contains(where: { pattern.matches($0) }) {
        throw AnalysisError(log, .noProjection(text, nearest: nil))
      }
    }
    for pattern in paths where !names.paths.contains(where: { pattern.matches($0) }) {
      let known = names.paths.map(\.description).sorted()
      let nearest = Suggestion.nearest(to: pattern.description, among: known)
      throw AnalysisError(log, .noPath(pattern.description, nearest: nearest))
    }
  }
}
