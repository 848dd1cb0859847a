import EventLog
import OrderedCollections

/// The writes that led to the most work. Cascades of the same shape are counted together.
package struct CascadeReport: Codable, Sendable {
  /// What lines are ranked by.
  package enum Order: String, Codable, Sendable, CaseIterable {
    case evaluations, time
    /// The time of evaluations with the same output as before, then their number.
    case waste

    /// Whether one line comes before another.
    func ranks(_ a: Line, before b: Line) -> Bool {
      if self == .waste, (a.wastedTime, a.wasted) != (b.wastedTime, b.wasted) {
        return (a.wastedTime, a.wasted) > (b.wastedTime, b.wasted)
      }
      if self != .evaluations, a.time != b.time { return a.time > b.time }
      return (b.evaluations, b.invalidations, b.time, a.first)
        < (a.evaluations, a.invalidations, a.time, b.first)
    }
  }

  package struct Line: Codable, Sendable, EffectCounts {
    /// What was written: `set tts.audioLevel`, `transaction "refresh"`.
    package var root: String
    /// The number of cascades of this shape.
    package var count = 0
    package var first: UInt64
    package var last: UInt64
    /// The number of projections that the root itself invalidated, in each cascade.
    package var fanOut: Int
    /// The depth of the tree in levels of projections.
    package var depth: Int
    /// The sums over all of these cascades, as in the tree.
    var invalidations = 0
    /// How many of the invalidations another one superseded: the projection ran for a later event as well, and
    /// the run is counted there.
    package var superseded = 0
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
      case depth, invalidations, superseded, evaluations, wasted
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case tree
    }
  }

  package let lines: [Line]
  /// The actions at roots by their labels, as ``SpanReport`` has them.
  package let actions: [SpanReport.Line]
  /// The number of shapes dropped to bound memory; each had less work than every shape that is shown.
  package let forgotten: Int

  enum CodingKeys: String, CodingKey {
    case lines = "cascades"
    case actions, forgotten
  }

  /// - Throws: `AnalysisError` when the selection names nothing that is in the log.
  package init(
    _ log: LogSource, _ selection: Selection, by order: Order = .evaluations,
    progress: AnalysisProgress = .hidden
  ) throws {
    var both = Together(
      CascadeFeed(ReportedCascades(selection, by: order)), SpanCounter(.action, selection))
    _ = try log.play(to: &both, progress: progress)
    let report = both.a.sink.report
    self.init(lines: report.lines, actions: both.b.totals.report().lines, forgotten: report.forgotten)
  }

  fileprivate init(_ tally: CascadeTally) { self.init(lines: tally.lines, forgotten: tally.forgotten) }

  init(lines: [Line], actions: [SpanReport.Line] = [], forgotten: Int) {
    self.lines = lines
    self.actions = actions
    self.forgotten = forgotten
  }

  /// The lines, those of one action's label together and with what such actions led to, in the order in which the first of each came.
  package var byAction: [(lines: [Line], action: SpanReport.Line?)] {
    let actions = Dictionary(
      self.actions.map { (CascadeTitles.action($0.label), $0) }, uniquingKeysWith: { first, _ in first })
    var groups: OrderedDictionary<String, [Line]> = [:]
    for (index, line) in lines.enumerated() {
      groups[actions[line.root] == nil ? "\(index)" : line.root, default: []].append(line)
    }
    return groups.values.map { ($0, actions[$0[0].root]) }
  }

  /// The same work with the writes of actions at the roots: one line for all writes of one title within actions. An action keeps
  /// what ran for it without a write.
  package func byWrite(rankedBy order: Order) -> CascadeReport {
    let actions = Set(self.actions.map { CascadeTitles.action($0.label) })
    var split: [Line] = []
    var writes: OrderedDictionary<String, [Line]> = [:]
    for line in lines {
      guard actions.contains(line.root) else {
        split.append(line)
        continue
      }
      // Actions within actions, which are as deep as the tree, are not followed by recursion.
      var waiting = [(title: line.root, branches: line.tree)]
      while let (title, branches) = waiting.popLast() {
        var own: [CascadeTree] = []
        for branch in branches {
          if actions.contains(branch.name) {
            waiting.append((branch.name, branch.children))
          } else if branch.kind == .write {
            writes[branch.name, default: []].append(line.part(branch.name, branch.children))
          } else {
            own.append(branch)
          }
        }
        if !own.isEmpty { writes[title, default: []].append(line.part(title, own)) }
      }
    }
    split += writes.values.map { Line(merging: $0) }
    return CascadeReport(lines: split.sorted { order.ranks($0, before: $1) }, forgotten: forgotten)
  }
}

extension CascadeReport.Line {
  /// The part of these cascades that one title led to.
  fileprivate func part(_ title: String, _ branches: [CascadeTree]) -> Self {
    var part = Self(root: title, count: count, first: first, last: last, fanOut: 0, depth: 0, tree: branches)
    part.fanOut = branches.reduce(0) { $0 + $1.invalidations } / max(1, count)
    var waiting = branches.map { (branch: $0, above: 0) }
    while let (branch, above) = waiting.popLast() {
      let depth = above + (branch.kind == .projection ? 1 : 0)
      part.depth = max(part.depth, depth)
      part.add(branch)
      waiting += branch.children.map { ($0, depth) }
    }
    return part
  }

  /// Several lines as one, with one tree.
  package init(merging lines: [Self]) {
    self = lines[0]
    for line in lines.dropFirst() {
      count += line.count
      first = min(first, line.first)
      last = max(last, line.last)
      fanOut = max(fanOut, line.fanOut)
      depth = max(depth, line.depth)
      add(line)
      CascadeTree.merge(line.tree, into: &tree)
    }
  }
}

extension CascadeTree {
  /// Adds branches to those with the same title. As deep as the trees are, which are bounded.
  fileprivate static func merge(_ branches: [CascadeTree], into tree: inout [CascadeTree]) {
    for branch in branches {
      guard let index = tree.firstIndex(where: { $0.name == branch.name && $0.kind == branch.kind }) else {
        tree.append(branch)
        continue
      }
      tree[index].add(branch)
      merge(branch.children, into: &tree[index].children)
    }
  }
}

/// Counts the selected cascades by the shape of their trees.
struct ReportedCascades: CascadeTreeSink {
  private var tally: CascadeTally
  private var filter: CascadeFilter
  var builder = CascadeBuilder()
  /// Whether the selection has no patterns, which need to know each invalidation and write.
  let countsAll: Bool

  /// - Parameters:
  ///   - keepsSights: Whether to keep where the cascades of each shape are.
  ///   - seen: The events of a log that is still growing, as far as they are known; nil for the selected
  ///   events.
  init(
    _ selection: Selection, by order: CascadeReport.Order, keepsSights: Bool = false,
    seen: Range<UInt64>? = nil
  ) {
    tally = CascadeTally(by: order, seen: keepsSights ? seen ?? selection.seqs : nil)
    filter = CascadeFilter(selection)
    countsAll = selection.projection == nil && selection.path == nil && selection.action == nil
  }

  var end: UInt64 { filter.selection.seqs.upperBound }

  @inline(__always) func wants(_ root: UInt64) -> Bool { filter.selection.seqs.contains(root) }

  /// The report, once the run is over.
  var report: CascadeReport { CascadeReport(tally) }

  /// The shapes with the most work, with their sights, and the number of further shapes.
  func sighted(most: Int) -> (report: CascadeReport, sights: [CascadeSights], hidden: Int) {
    let shown = tally.ranked(most: most)
    return (
      CascadeReport(lines: shown.map(\.line), forgotten: tally.forgotten), shown.compactMap(\.sights),
      tally.count - shown.count
    )
  }

  /// The same for a log that is still growing: sights are divided over the events up to `seq` only.
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

  mutating func counts(_ cascade: Cascade, _ run: inout LogRun) -> Bool { filter.passes(cascade, &run) }

  mutating func count(_ root: UInt64, writes: [TitleID], _ titles: borrowing CascadeTitles) {
    for tree in builder.nodes.roots { tally.add(tree, of: builder.nodes, root: root, writes: writes, titles) }
  }

  func finish(_ run: inout LogRun) throws { try filter.check(run.log) }
}

/// Selects the cascades whose root writes a selected path, in which a selected projection was invalidated or ran, and
/// which belong to a selected action.
private struct CascadeFilter {
  private var names: SelectedNames
  private var actions: SelectedActions?

  init(_ selection: Selection) {
    names = SelectedNames(selection)
    actions = SelectedActions(selection)
  }

  var selection: Selection { names.selection }

  /// Throws if a pattern of the selection matches nothing in the log.
  func check(_ log: LogSource) throws {
    try names.check(log)
    try actions?.check(log)
  }

  mutating func passes(_ cascade: Cascade, _ run: inout LogRun) -> Bool {
    if selection.projection != nil, !hasProjection(cascade, run) { return false }
    if actions != nil, !hasAction(cascade, run) { return false }
    return selection.path == nil || hasPath(cascade, &run)
  }

  private mutating func hasProjection(_ cascade: Cascade, _ run: borrowing LogRun) -> Bool {
    cascade.invalidations.contains { names.passes(projection: $0.projection, run.tables) }
      || cascade.evaluations.contains { names.passes(projection: $0.projection, run.tables) }
  }

  private mutating func hasAction(_ cascade: Cascade, _ run: borrowing LogRun) -> Bool {
    for unit in cascade.units where unit.kind == .action {
      guard case .action(let label)? = run.log.event(unit.seq)?.body else { continue }
      if actions?.matches(label) == true { return true }
    }
    return false
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
