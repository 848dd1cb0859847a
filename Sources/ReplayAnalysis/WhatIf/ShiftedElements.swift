import EventLog

/// Projections that show the elements of a list at their places, and would not run if they were known by id where
/// elements were inserted, removed or moved.
struct ShiftedElements {
  private let rules: [ReadRule]
  /// The indices of the rules whose list was written, and that concern a projection.
  private(set) var metLists: Set<Int> = []
  /// The rules whose list has shifted in the present flush.
  private var shifted: Set<Int> = []
  private var known: [GroupID<ProjectionID>: [Int]] = [:]

  init(_ rules: [ReadRule]) { self.rules = rules }

  /// Looks at the current row of a run.
  mutating func apply(_ run: borrowing LogRun) {
    guard let path = run.path, run.row.kind == .splice, case .array(let inserted) = run.row.value else {
      return
    }
    let written = run.tables.path(path)
    for (index, rule) in rules.enumerated() where rule.path.matches(written) {
      metLists.insert(index)
      if inserted.count != run.row.delete { shifted.insert(index) }
    }
  }

  /// Whether a run of a group in the present flush would not take place.
  func leavesOut(_ group: GroupID<ProjectionID>) -> Bool {
    !shifted.isEmpty && known[group]?.contains(where: shifted.contains) ?? false
  }

  mutating func learn(_ group: GroupID<ProjectionID>, _ name: @autoclosure () -> String) {
    if known[group] != nil { return }
    let name = name()
    known[group] = rules.indices.filter { rules[$0].projection.matches(name) }
  }

  /// Whether a rule concerns a projection.
  func concerns(_ rule: Int) -> Bool { known.values.contains { $0.contains(rule) } }

  /// Starts the next flush.
  mutating func removeAll() { shifted.removeAll(keepingCapacity: true) }
}
