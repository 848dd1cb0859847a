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
  private var byShape: [String: Line] = [:]
  private var groups = PathGroups()

  /// More shapes than anybody reads; memory stays bounded by them.
  private static let shapesMax = 20_000

  init(_ log: LogSource, progress: Progress = .hidden) throws {
    try log.forEachCascade(progress: progress) { add($0) }
    lines = byShape.values.sorted(by: Self.hasMoreWork)
    byShape = [:]
  }

  private mutating func add(_ cascade: Cascade) {
    for tree in CascadeBuilder.trees(of: cascade, &groups) {
      var line = Line(tree, root: cascade.root)
      if line.evaluations == 0, line.invalidations == 0 { continue }
      let shape = tree.shape
      if let known = byShape[shape] { line = known.adding(line) }
      byShape[shape] = line
      if byShape.count > Self.shapesMax { forgetHalf() }
    }
  }

  private mutating func forgetHalf() {
    let ranked = byShape.sorted { Self.hasMoreWork($0.value, $1.value) }
    forgotten += ranked.count - Self.shapesMax / 2
    byShape = Dictionary(uniqueKeysWithValues: ranked.prefix(Self.shapesMax / 2).map { ($0.key, $0.value) })
  }

  private static func hasMoreWork(_ a: Line, _ b: Line) -> Bool {
    (b.evaluations, b.invalidations, b.time, a.first) < (a.evaluations, a.invalidations, a.time, b.first)
  }

  var json: JSON { ["cascades": .array(lines.map(\.json))] }
}

extension CascadeReport.Line {
  fileprivate init(_ tree: CascadeTree, root: UInt64) {
    self.init(
      root: tree.name, count: 1, first: root, last: root,
      fanOut: tree.children.values.reduce(0) { $0 + $1.invalidations }, depth: tree.levels, tree: tree)
    tree.visit {
      invalidations += $0.invalidations
      evaluations += $0.evaluations
      wasted += $0.wasted
      time &+= $0.time
    }
  }

  /// This and another of the same shape, later in the log.
  fileprivate func adding(_ other: Self) -> Self {
    var sum = self
    sum.count += other.count
    sum.last = max(last, other.last)
    sum.invalidations += other.invalidations
    sum.evaluations += other.evaluations
    sum.wasted += other.wasted
    sum.time &+= other.time
    return sum
  }

  var json: JSON {
    [
      "root": .text(root), "count": .int(count), "first_seq": .number(first), "last_seq": .number(last),
      "fan_out": .int(fanOut), "depth": .int(depth), "invalidations": .int(invalidations),
      "evaluations": .int(evaluations), "wasted": .int(wasted), "time_ns": .number(time),
      "tree": .array(tree.children.values.map(\.json)),
    ]
  }
}
