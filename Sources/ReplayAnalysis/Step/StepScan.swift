import EventLog
import Invalidation

/// Goes through a part of a log, row by row, and tells which conditions each row meets.
struct StepScan {
  private let conditions: [StopCondition]
  private var rows: WatchedRows
  /// What the core derives, where somebody asks what is woken. It goes in step with the rows.
  private var run: Run?
  /// For each condition, by the number of a name or a path: 1 where it is meant, 0 where it is not.
  private var names: [[Int32]]
  private var wokenNames: [[Int32]]
  private var paths: [[Int32]]
  private var generation = 0

  init(_ part: LogSource, for conditions: [StopCondition]) {
    self.conditions = conditions
    let places = conditions.enumerated().compactMap { number, condition in
      condition.watched.map { (number, $0) }
    }
    rows = WatchedRows(part, watching: places)
    if conditions.contains(where: \.needsTimeline) { run = Run(part) }
    names = conditions.map { _ in [] }
    wokenNames = names
    paths = names
  }

  /// The number of the last event.
  var seq: UInt64 { rows.row.seq }

  /// Goes on to the next event and returns the places of the conditions that it meets; nil at the end.
  mutating func next() throws -> [Int]? {
    guard let changed = try rows.next() else { return nil }
    _ = try run?.next()
    if generation != rows.tables.generation {
      generation = rows.tables.generation
      paths = conditions.map { _ in [] }
    }
    var met: [Int] = []
    for place in conditions.indices where try isMet(place, changed) { met.append(place) }
    return met
  }

  private mutating func isMet(_ place: Int, _ changed: [Int]) throws -> Bool {
    switch conditions[place] {
    case .change: return changed.contains(place)
    case .write(let pattern):
      guard let path = rows.cursor.path else { return false }
      paths[place].reserve(path)
      if paths[place][path] < 0 { paths[place][path] = pattern.matches(rows.tables.paths.path(path)) ? 1 : 0 }
      return paths[place][path] == 1
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
    return names[place].isMeant(name) { pattern.matches(rows.tables.names[name]) }
  }

  private mutating func wakes(_ place: Int, _ pattern: ProjectionPattern) -> Bool {
    guard let hits = run?.hits, !hits.isEmpty else { return false }
    return hits.contains { hit in
      wokenNames[place].isMeant(hit.name) { run.map { pattern.matches($0.tables.names[hit.name]) } ?? false }
    }
  }
}

extension [Int32] {
  /// Whether a number is meant, found out once.
  fileprivate mutating func isMeant(_ number: Int, _ matches: () -> Bool) -> Bool {
    reserve(number)
    if self[number] < 0 { self[number] = matches() ? 1 : 0 }
    return self[number] == 1
  }
}
