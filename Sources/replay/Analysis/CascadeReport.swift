import EventLog

/// The writes that woke the most work, repeated ones counted together.
struct CascadeReport {
  struct Line {
    /// What was written: `set tts.audioLevel`, `transaction "refresh"`.
    var root: String
    /// How many roots led to a tree of this shape.
    var count = 0
    var first: UInt64
    var last: UInt64
    /// Projections that the root itself woke, each time.
    var fanOut: Int
    /// Levels of projections, one below the other.
    var depth: Int
    /// Of all of them together.
    var invalidations = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    /// The tree of the first.
    var tree: CascadeTree
  }

  private(set) var lines: [Line] = []
  /// Shapes that were left out because there were too many, each of less work than those that are shown.
  private(set) var forgotten = 0
  private var places: [[Int32]: Int] = [:]

  /// More shapes than anybody reads; memory stays bounded by them.
  private static let shapesMax = 20_000

  init(_ log: LogSource, progress: Progress = .hidden) throws {
    var builder = CascadeBuilder()
    var shape: [Int32] = []
    try log.forEachCascade(progress: progress) { cascade, run, titles in
      builder.build(cascade, &titles, run.tables)
      for tree in builder.roots { add(tree, of: builder.nodes, root: cascade.root, &shape, titles) }
    }
    lines.sort(by: Self.hasMoreWork)
    places = [:]
  }

  private mutating func add(
    _ node: Int32, of nodes: borrowing CascadeNodes, root: UInt64, _ shape: inout [Int32],
    _ titles: borrowing CascadeTitles
  ) {
    var work = Work()
    nodes.visit(node) { work.add($0) }
    if work.evaluations == 0, work.invalidations == 0 { return }
    shape.removeAll(keepingCapacity: true)
    nodes.appendShape(of: node, to: &shape)
    if let place = places[shape] { return lines[place].add(work, root: root) }
    places[shape] = lines.count
    var line = Line(nodes.tree(node, titles), depth: nodes.levels(of: node), root: root)
    line.add(work, root: root)
    lines.append(line)
    if lines.count > Self.shapesMax { forgetHalf() }
  }

  /// What a tree took in all.
  fileprivate struct Work {
    var invalidations = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0

    mutating func add(_ node: CascadeNodes.Node) {
      invalidations += node.invalidations
      evaluations += node.evaluations
      wasted += node.wasted
      time &+= node.time
    }
  }

  private mutating func forgetHalf() {
    let ranked = places.sorted { Self.hasMoreWork(lines[$0.value], lines[$1.value]) }
    forgotten += ranked.count - Self.shapesMax / 2
    let kept = ranked.prefix(Self.shapesMax / 2)
    lines = kept.map { lines[$0.value] }
    places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.key, $0) })
  }

  private static func hasMoreWork(_ a: Line, _ b: Line) -> Bool {
    (b.evaluations, b.invalidations, b.time, a.first) < (a.evaluations, a.invalidations, a.time, b.first)
  }

  var json: JSON { ["cascades": .array(lines.map(\.json))] }
}

extension CascadeReport.Line {
  fileprivate init(_ tree: CascadeTree, depth: Int, root: UInt64) {
    self.init(
      root: tree.name, first: root, last: root,
      fanOut: tree.children.reduce(0) { $0 + $1.invalidations }, depth: depth, tree: tree)
  }

  /// Counts another tree of this shape.
  fileprivate mutating func add(_ work: CascadeReport.Work, root: UInt64) {
    count += 1
    last = max(last, root)
    invalidations += work.invalidations
    evaluations += work.evaluations
    wasted += work.wasted
    time &+= work.time
  }

  var json: JSON {
    [
      "root": .text(root), "count": .int(count), "first_seq": .number(first), "last_seq": .number(last),
      "fan_out": .int(fanOut), "depth": .int(depth), "invalidations": .int(invalidations),
      "evaluations": .int(evaluations), "wasted": .int(wasted), "time_ns": .number(time),
      "tree": .array(tree.children.map(\.json)),
    ]
  }
}
