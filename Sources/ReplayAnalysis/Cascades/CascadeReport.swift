import EventLog

/// The writes that woke the most work, repeated ones counted together.
package struct CascadeReport: Codable, Sendable {
  /// What comes first.
  package enum Order: String, Codable, Sendable, CaseIterable { case evaluations, time }

  package struct Line: Codable, Sendable {
    /// What was written: `set tts.audioLevel`, `transaction "refresh"`.
    package var root: String
    /// How many roots led to a tree of this shape.
    package var count = 0
    package var first: UInt64
    package var last: UInt64
    /// Projections that the root itself woke, each time.
    package var fanOut: Int
    /// Levels of projections, one below the other.
    package var depth: Int
    /// Of all of them together, as in the tree.
    var invalidations = 0
    package var evaluations = 0
    package var wasted = 0
    package var time: UInt64 = 0
    package var tree: [CascadeTree]

    enum CodingKeys: String, CodingKey {
      case root, count
      case first = "first_seq"
      case last = "last_seq"
      case fanOut = "fan_out"
      case depth, invalidations, evaluations, wasted
      case time = "time_ns"
      case tree
    }
  }

  package let lines: [Line]
  /// Shapes that were left out because there were too many, each of less work than those that are shown.
  package let forgotten: Int

  enum CodingKeys: String, CodingKey {
    case lines = "cascades"
    case forgotten
  }

  /// - Throws: `AnalysisError` when the selection names nothing that is in the log.
  package init(
    _ log: LogSource, _ selection: Selection, by order: Order = .evaluations,
    progress: AnalysisProgress = .hidden
  ) throws {
    var builder = CascadeBuilder()
    var tally = CascadeTally(by: order)
    var filter = CascadeFilter(selection)
    var sketch = CascadeSketch()
    // Patterns ask who was woken and what was written, which a sketch does not keep.
    let takesAny = selection.projection == nil && selection.path == nil
    try log.forEachCascade(upTo: selection.seqs.upperBound, progress: progress) {
      open, place, titles, tables in
      guard takesAny else { return false }
      let root = open.root(place)
      guard selection.seqs.contains(root) else { return true }
      open.draw(place, &sketch, &titles, tables)
      return tally.add(sketch, root: root)
    } _: { cascade, run, titles in
      guard filter.passes(cascade, &run) else { return }
      builder.build(cascade, &titles, run.tables)
      for tree in builder.roots { tally.add(tree, of: builder.nodes, root: cascade.root, titles) }
    }
    try filter.check(log)
    lines = tally.lines
    forgotten = tally.forgotten
  }
}

/// Which cascades a selection has: those whose root lies in the range and wrote such a path, and in which such a
/// projection was woken or ran.
private struct CascadeFilter {
  private var names: SelectedNames

  init(_ selection: Selection) { names = SelectedNames(selection) }

  func check(_ log: LogSource) throws { try names.check(log) }

  mutating func passes(_ cascade: Cascade, _ run: inout Run) -> Bool {
    let selection = names.selection
    guard selection.seqs.contains(cascade.root) else { return false }
    if selection.projection != nil, !hasProjection(cascade, run) { return false }
    return selection.path == nil || hasPath(cascade, &run)
  }

  private mutating func hasProjection(_ cascade: Cascade, _ run: borrowing Run) -> Bool {
    for woken in cascade.invalidations where names.passes(projection: Int(woken.projection), run.tables) {
      return true
    }
    for ran in cascade.evaluations where names.passes(projection: Int(ran.projection), run.tables) {
      return true
    }
    return false
  }

  private mutating func hasPath(_ cascade: Cascade, _ run: inout Run) -> Bool {
    let range =
      cascade.transaction(endedBy: cascade.root).map { $0.begin...$0.end } ?? cascade.root...cascade.root
    for seq in range {
      if let path = run.writtenPath(of: seq), names.passes(path: path, run.tables) { return true }
    }
    return false
  }
}
