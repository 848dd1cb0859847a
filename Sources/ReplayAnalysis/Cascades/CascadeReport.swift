import EventLog

/// The writes that led to the most work, repeated ones counted together.
package struct CascadeReport: Codable, Sendable {
  /// What comes first.
  package enum Order: String, Codable, Sendable, CaseIterable {
    case evaluations, time
    /// The time of evaluations with the same output as before, then their number.
    case waste
  }

  package struct Line: Codable, Sendable {
    /// What was written: `set tts.audioLevel`, `transaction "refresh"`.
    package var root: String
    /// How many roots led to a tree of this shape.
    package var count = 0
    package var first: UInt64
    package var last: UInt64
    /// How many projections the root itself invalidated, each time.
    package var fanOut: Int
    /// Levels of projections, one below the other.
    package var depth: Int
    /// Of all of them together, as in the tree.
    var invalidations = 0
    package var evaluations = 0
    package var wasted = 0
    /// Time in evaluations, in nanoseconds, and that in the wasted ones.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    package var tree: [CascadeTree]

    enum CodingKeys: String, CodingKey {
      case root, count
      case first = "first_seq"
      case last = "last_seq"
      case fanOut = "fan_out"
      case depth, invalidations, evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
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
    var feed = CascadeFeed(ReportedCascades(selection, by: order))
    _ = try log.play(to: &feed, progress: progress)
    self = feed.sink.report
  }

  fileprivate init(_ tally: CascadeTally) { self.init(lines: tally.lines, forgotten: tally.forgotten) }

  init(lines: [Line], forgotten: Int) {
    self.lines = lines
    self.forgotten = forgotten
  }
}

/// What one event led to, with alike branches laid on top of each other.
package struct CascadeTree: Codable, Sendable {
  package enum Kind: String, Codable, Sendable { case root, write, projection }

  package var name: String
  package var kind: Kind
  package var invalidations = 0
  package var evaluations = 0
  /// Evaluations whose output was the same as before.
  package var wasted = 0
  /// In nanoseconds.
  package var time: UInt64 = 0
  package var children: [CascadeTree] = []

  enum CodingKeys: String, CodingKey {
    case name, kind, invalidations, evaluations, wasted
    case time = "time_ns"
    case children
  }
}

/// Counts the cascades that a selection has, by the trees that they are.
struct ReportedCascades: CascadeSink {
  private var tally: CascadeTally
  private var filter: CascadeFilter
  private var builder = CascadeBuilder()
  private var sketch = CascadeSketch()
  /// Patterns ask what was invalidated and what was written, which a sketch does not keep.
  private let takesAny: Bool

  /// - Parameters:
  ///   - keepsSights: Whether to keep where the cascades of each shape are.
  ///   - seen: The events that there are so far, where these become more; nil for those of the selection.
  init(
    _ selection: Selection, by order: CascadeReport.Order, keepsSights: Bool = false,
    seen: Range<UInt64>? = nil
  ) {
    tally = CascadeTally(by: order, seen: keepsSights ? seen ?? selection.seqs : nil)
    filter = CascadeFilter(selection)
    takesAny = selection.projection == nil && selection.path == nil
  }

  var end: UInt64 { filter.selection.seqs.upperBound }

  /// The cascades, once the run is over.
  var report: CascadeReport { CascadeReport(tally) }

  /// The shapes of most work with their sights, and how many there are beside them.
  func sighted(most: Int) -> (report: CascadeReport, sights: [CascadeSights], hidden: Int) {
    let shown = tally.ranked(most: most)
    return (
      CascadeReport(lines: shown.map(\.line), forgotten: tally.forgotten), shown.compactMap(\.sights),
      tally.count - shown.count
    )
  }

  /// The same of a run that goes on, the sights spread over what there is of it.
  func sighted(most: Int, upTo seq: UInt64) -> (
    report: CascadeReport, sights: [CascadeSights], hidden: Int
  ) {
    var found = sighted(most: most)
    let parts = tally.partsSeen(upTo: seq)
    for index in found.sights.indices {
      found.sights[index].spread = Array(found.sights[index].spread.prefix(parts))
    }
    return found
  }

  mutating func takeFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool {
    guard takesAny else { return false }
    let root = open.root(slot)
    guard filter.selection.seqs.contains(root) else { return true }
    open.draw(slot, &sketch, &titles, &run)
    return tally.add(sketch, root: root)
  }

  mutating func take(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {
    guard filter.passes(cascade, &run) else { return }
    builder.build(cascade, &titles, &run)
    let writes = cascade.transaction(endedBy: cascade.root)?.writes ?? []
    for tree in builder.roots {
      tally.add(tree, of: builder.nodes, root: cascade.root, writes: writes, titles)
    }
  }

  func finish(_ run: inout LogRun) throws { try filter.check(run.log) }
}

/// Which cascades a selection has: those whose root lies in the range and wrote such a path, and in which such a
/// projection was invalidated or ran.
private struct CascadeFilter {
  private var names: SelectedNames

  init(_ selection: Selection) { names = SelectedNames(selection) }

  var selection: Selection { names.selection }

  /// Refuses a selection that names nothing in the log.
  func check(_ log: LogSource) throws { try names.check(log) }

  mutating func passes(_ cascade: Cascade, _ run: inout LogRun) -> Bool {
    guard selection.seqs.contains(cascade.root) else { return false }
    if selection.projection != nil, !hasProjection(cascade, run) { return false }
    return selection.path == nil || hasPath(cascade, &run)
  }

  private mutating func hasProjection(_ cascade: Cascade, _ run: borrowing LogRun) -> Bool {
    cascade.invalidations.contains { names.passes(projection: $0.projection, run.tables) }
      || cascade.evaluations.contains { names.passes(projection: $0.projection, run.tables) }
  }

  private mutating func hasPath(_ cascade: Cascade, _ run: inout LogRun) -> Bool {
    let range =
      cascade.transaction(endedBy: cascade.root).map { $0.begin...$0.end } ?? cascade.root...cascade.root
    for seq in range {
      if let path = run.writtenPath(of: seq), names.passes(path: path, run.tables) { return true }
    }
    return false
  }
}
