import EventLog
import Invalidation

/// Goes through a part of a log, row by row, and tells which conditions each row meets.
struct StepScan {
  private let conditions: [StopCondition]
  private var rows: WatchedRows
  /// What the core derives, where somebody asks what is woken. It goes in step with the rows.
  private var run: Run?
  /// For each condition, by the number of a name or a path: whether it is meant, nil where that was not asked yet.
  private var names: [DenseMap<Int, Bool?>]
  private var wokenNames: [DenseMap<Int, Bool?>]
  private var paths: [PathMap<Bool?>]

  init(_ part: LogSource, for conditions: [StopCondition]) {
    self.conditions = conditions
    let places = conditions.enumerated().compactMap { number, condition in
      condition.watched.map { (number, $0) }
    }
    rows = WatchedRows(part, watching: places)
    if conditions.contains(where: \.needsTimeline) { run = Run(part) }
    names = conditions.map { _ in DenseMap(default: nil) }
    wokenNames = names
    paths = conditions.map { _ in PathMap(default: nil) }
  }

  /// The number of the last event.
  var seq: UInt64 { rows.row.seq }

  /// Goes on to the next event and returns the places of the conditions that it meets; nil at the end.
  mutating func next() throws -> [Int]? {
    guard let changed = try rows.next() else { return nil }
    _ = try run?.next()
    var met: [Int] = []
    for place in conditions.indices where try isMet(place, changed) { met.append(place) }
    return met
  }

  private mutating func isMet(_ place: Int, _ changed: [Int]) throws -> Bool {
    switch conditions[place] {
    case .change: return changed.contains(place)
    case .write(let pattern):
      guard let path = rows.cursor.path else { return false }
      return Self.isMeant(&paths[place][path, rows.tables.generation]) {
        pattern.matches(rows.tables.paths.path(path))
      }
    case .run(let pattern): return runs(place, pattern)
    case .woken(let pattern): return wakes(place, pattern)
    case .woke(let pattern): return wakes(place, pattern) || runs(place, pattern)
    case .mark(let label):
      guard rows.row.kind == .mark else { return false }
      return label.map { $0 == rows.label } ?? true
    }
  }

  private mutating func runs(_ place: Int, _ pattern: ProjectionPattern) -> Bool {
    guard rows.row.kind == .evaluate, let name = rows.name() else { return false }
    return Self.isMeant(&names[place][name]) { pattern.matches(rows.tables.names[name]) }
  }

  private mutating func wakes(_ place: Int, _ pattern: ProjectionPattern) -> Bool {
    guard let hits = run?.hits, !hits.isEmpty else { return false }
    return hits.contains { hit in
      Self.isMeant(&wokenNames[place][hit.name]) {
        run.map { pattern.matches($0.tables.names[hit.name]) } ?? false
      }
    }
  }

  /// What is known, found out where it is not.
  private static func isMeant(_ known: inout Bool?, _ matches: () -> Bool) -> Bool {
    if let known { return known }
    let isMeant = matches()
    known = isMeant
    return isMeant
  }
}
