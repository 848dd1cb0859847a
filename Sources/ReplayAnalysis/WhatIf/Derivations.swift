import EventLog

/// The projections that read derived values by rules, and run only if what they show differs.
struct Derivations {
  private let rules: [InputRule]
  /// The indices of the rules that concern a projection.
  private(set) var met: Set<Int> = []
  /// The group of the derived values of each group.
  private(set) var values: [GroupID<ProjectionID>: GroupID<ProjectionID>] = [:]
  /// The indices of the rules of each group.
  private var known: [GroupID<ProjectionID>: [Int]] = [:]
  /// The indices of the rules whose path matches.
  private var matches = PathMap<[Int]?>(default: nil)

  init(_ rules: [InputRule]) { self.rules = rules }

  /// Whether a rule concerns a recorded run. Cost: a hash, and for rules with a path a lookup of the cause.
  mutating func concern(_ entry: FlushRuns.Entry, _ run: inout LogRun) -> Bool {
    let indices = rules(for: entry, &run)
    if indices.isEmpty { return false }
    if indices.contains(where: { rules[$0].path == nil }) { return true }
    guard entry.wasInvalidated, let path = run.writtenPath(of: entry.invalidatedBy) else { return false }
    let matching = matching(path, run.tables)
    return indices.contains { matching.contains($0) }
  }

  private mutating func rules(for entry: FlushRuns.Entry, _ run: inout LogRun) -> [Int] {
    if let known = known[entry.group] { return known }
    let name = run.tables.name(entry.projection)
    let indices = rules.indices.filter { rules[$0].projection.matches(name) }
    known[entry.group] = indices
    if indices.isEmpty { return [] }
    met.formUnion(indices)
    values[entry.group] = run.projectionGroup(called: "what \(name.projectionGroup) shows")
    return indices
  }

  private mutating func matching(_ path: PathID, _ tables: borrowing RunTables) -> [Int] {
    if let known = matches[path] { return known }
    let written = tables.path(path)
    let indices = rules.indices.filter { rules[$0].path?.matches(written) ?? false }
    matches[path] = indices
    return indices
  }
}
