import EventLog

/// What the actions with a label led to, by projection.
package struct ActionRuns {
  /// The number of such actions.
  package private(set) var count = 0
  /// How often each projection ran.
  package private(set) var evaluations: [String: Int] = [:]
  /// How often each kind of path was written.
  private var writes: [String: Int] = [:]
  private let label: String

  private static let shownMost = 8

  /// - Throws: `AnalysisError` if the log has no such action.
  package init(_ label: String, in log: LogSource) throws {
    self.label = label
    let selection = try Selection(action: ProjectionPattern(exactly: label), in: log)
    guard var actions = SelectedActions(selection) else { return }
    var run = LogRun(log, .lookback)
    while try run.next() {
      let isMeant = actions.observe(&run)
      if run.row.kind == .action, run.label.hasSameBytes(as: label) { count += 1 }
      guard isMeant else { continue }
      if let path = run.path {
        let group = run.group(of: path)
        writes[run.text(group), default: 0] += 1
      }
      if run.row.kind == .evaluate, let projection = run.projection {
        evaluations[run.tables.name(projection), default: 0] += 1
      }
    }
    try actions.check(log)
  }

  /// `2 actions "Refresh" wrote store.busy x 4 and store.items x 2`
  package var text: String {
    let actions = count == 1 ? "one action" : "\(count) actions"
    let sorted = writes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var words = sorted.prefix(Self.shownMost).map { $0.value == 1 ? $0.key : "\($0.key) x \($0.value)" }
    if sorted.count > words.count { words.append("\(sorted.count - words.count) more") }
    let list = words.isEmpty ? "nothing" : words.joined(separator: ", ")
    return "\(actions) \(Value.string(label).json) wrote \(list)"
  }
}
