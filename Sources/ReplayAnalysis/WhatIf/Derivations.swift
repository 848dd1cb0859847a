import EventLog
import Invalidation

/// The projections that read derived values by rules, and run only if what they show differs; and the callbacks in whose place
/// derived values are.
struct Derivations {
  private let rules: [InputRule]
  /// As for ``FlushRuns``.
  private let takesRecorded: Bool
  /// The indices of the rules that concern a projection.
  private(set) var met: Set<Int> = []
  /// The group of the derived values of each group.
  private(set) var values: [GroupID<ProjectionID>: GroupID<ProjectionID>] = [:]
  /// The indices of the rules of each group.
  private var known: [GroupID<ProjectionID>: [Int]] = [:]
  /// The indices of the rules whose path matches.
  private var matches = PathMap<[Int]?>(default: nil)
  /// Whether all that put a projection out of date since it last ran is of paths of its rules; nil if nothing did.
  private var isOfRules = ProjectionMap<Bool?>(default: nil)

  init(_ rules: [InputRule], takingRecorded: Bool = false) {
    self.rules = rules
    takesRecorded = takingRecorded
  }

  /// Whether a rule puts derived values in place of what a callback wrote.
  mutating func concern(
    _ writer: GroupID<ProjectionID>, writing path: PathID?, _ tables: borrowing RunTables
  ) -> Bool {
    guard let indices = known[writer], !indices.isEmpty else { return false }
    if indices.contains(where: { rules[$0].path == nil }) { return true }
    let matching = path.map { self.matching($0, tables) } ?? []
    return indices.contains { matching.contains($0) }
  }

  /// Takes in the current row of a run. Cost: for rules with a path a lookup of each cause of an invalidation.
  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    if rules.isEmpty { return }
    if !takesRecorded {
      for hit in run.hits { invalidate(hit.projection, by: hit.causes, &run) }
    } else if run.row.kind == .invalidate, let projection = run.projection {
      invalidate(projection, by: run.recordedCauses, &run)
    }
  }

  private mutating func invalidate(_ projection: ProjectionID, by causes: Causes, _ run: inout LogRun) {
    if isOfRules[projection] == false { return }
    let indices = rules(for: projection, &run)
    if indices.isEmpty { return }
    isOfRules[projection] = causes.all.allSatisfy { cause in
      guard let path = run.writtenPath(of: cause) else { return false }
      let matching = matching(path, run.tables)
      return indices.contains { matching.contains($0) }
    }
  }

  /// Whether a rule concerns a recorded run, which is the row of the run. Cost: a hash.
  mutating func concern(_ entry: FlushRuns.Entry, _ run: inout LogRun) -> Bool {
    let isOfRules = isOfRules[entry.projection]
    self.isOfRules[entry.projection] = nil
    let indices = rules(for: entry.projection, &run)
    if indices.isEmpty || run.tables.name(entry.projection).isCallbackName { return false }
    return indices.contains { rules[$0].path == nil } || entry.wasInvalidated && isOfRules == true
  }

  private mutating func rules(for projection: ProjectionID, _ run: inout LogRun) -> [Int] {
    let group = run.group(of: projection)
    if let known = known[group] { return known }
    let name = run.tables.name(projection)
    let indices = rules.indices.filter { rules[$0].projection.matches(name) }
    known[group] = indices
    if indices.isEmpty { return [] }
    met.formUnion(indices)
    values[group] = run.projectionGroup(called: "what \(name.projectionGroup) shows")
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
