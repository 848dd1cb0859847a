import EventLog

/// An evaluation that stands for those of its node in the tree of a cascade: the last of them.
struct CascadeExample {
  /// 0 where nothing ran.
  var seq: UInt64 = 0
  /// The evaluation of the same projection before it; 0 where there was none.
  var earlier: UInt64 = 0

  init() {}

  @inline(__always)
  init(_ evaluation: Cascade.Evaluation) { (seq, earlier) = (evaluation.seq, evaluation.earlier) }
}

/// Where in a run the cascades of one shape are, and the one that took longest.
struct CascadeSights {
  /// How many there are in each of so many equal parts of the run's events.
  var spread: [UInt32]
  /// The root of the one that took longest, the first of these, and its time.
  var worst: UInt64
  var worstTime: UInt64
  /// By the node of its tree, each before those below.
  var examples: [CascadeExample] = []
  /// What the transactions wrote that these began with, so many kinds of writes at most; none of single writes.
  var writes: [String] = []

  static let parts = 64
  fileprivate static let writesMost = 32

  /// The event behind the last that ran in the longest.
  var end: UInt64 { examples.reduce(worst) { max($0, $1.seq) }.addingClamped(1) }

  /// How many events a part of a run is wide.
  static func width(of run: Range<UInt64>) -> UInt64 {
    (run.upperBound - run.lowerBound) / UInt64(parts) + 1
  }

  /// Makes of every two parts one.
  fileprivate mutating func halve() {
    for index in 0..<Self.parts {
      spread[index] = index < Self.parts / 2 ? spread[2 * index].addingClamped(spread[2 * index + 1]) : 0
    }
  }
}

/// Counts cascades of one shape together.
struct CascadeTally {
  private let order: CascadeReport.Order
  /// The events over which sights are spread, more where a run goes on; nil where nobody asks for sights.
  private var seen: Range<UInt64>?
  private var entries: [Entry] = []
  /// The index of the entry of each shape.
  private var indices: [CascadeShape: Int] = [:]
  private var shape = CascadeShape()
  /// Shapes that were left out because there were too many.
  private(set) var forgotten = 0

  /// More shapes than anybody reads; memory stays bounded by them.
  private static let shapesMax = 20_000

  private struct Entry {
    var line: CascadeReport.Line
    var tree: CascadeTree
    /// By the node of the tree, each before those below: what all of them together took.
    var sums: [Work]
    var sights: CascadeSights?
    /// The writes of transactions that the sights have.
    var noted: Set<TitleID> = []

    mutating func count(_ root: UInt64) {
      line.count += 1
      line.last = max(line.last, root)
    }

    /// Notes where a cascade was that was added; `before` is what all before it took.
    mutating func see(_ root: UInt64, in run: Range<UInt64>, before: UInt64) -> Bool {
      let time = line.time - before
      let width = CascadeSights.width(of: run)
      var found =
        sights
        ?? CascadeSights(spread: .init(repeating: 0, count: CascadeSights.parts), worst: root, worstTime: 0)
      sights = nil
      defer { sights = found }
      found.spread[
        Int(clamping: (min(max(root, run.lowerBound), run.upperBound - 1) - run.lowerBound) / width)] &+= 1
      guard found.examples.isEmpty || time > found.worstTime else { return false }
      (found.worst, found.worstTime) = (root, time)
      found.examples.removeAll(keepingCapacity: true)
      return true
    }

    /// Notes what a transaction wrote that a cascade began with.
    mutating func note(_ writes: [TitleID], _ titles: borrowing CascadeTitles) {
      for write in writes where noted.count < CascadeSights.writesMost && noted.insert(write).inserted {
        sights?.writes.append(titles.text(write))
      }
    }

    /// Adds a node of another tree of this shape.
    mutating func add(_ node: CascadeNodes.Node, at position: Int) {
      sums[position].wasted += node.wasted
      sums[position].time.addClamped(node.time)
      line.add(node)
    }
  }

  fileprivate struct Work {
    var wasted = 0
    var time: UInt64 = 0
  }

  /// - Parameter seen: The events over which sights are spread; nil for none.
  init(by order: CascadeReport.Order, seen: Range<UInt64>? = nil) {
    self.order = order
    self.seen = seen
  }

  /// Counts a tree, unless no projection was invalidated or ran.
  ///
  /// - Parameter writes: What the transaction wrote that is the root; none of a single write.
  mutating func add(
    _ node: Int32, of nodes: borrowing CascadeNodes, root: UInt64, writes: [TitleID] = [],
    _ titles: borrowing CascadeTitles
  ) {
    shape.numbers.removeAll(keepingCapacity: true)
    nodes.appendShape(of: node, to: &shape.numbers)
    let index: Int
    if let known = indices[shape] {
      index = known
    } else {
      let tree = nodes.tree(node, titles)
      guard tree.hasWork else { return }
      index = entries.count
      indices[shape] = index
      var sums: [Work] = []
      nodes.visit(node) { _ in sums.append(Work()) }
      entries.append(
        Entry(line: .init(tree, depth: nodes.levels(of: node), root: root), tree: tree, sums: sums))
    }
    entries[index].count(root)
    let before = entries[index].line.time
    var position = 0
    nodes.visit(node) { node in
      entries[index].add(node, at: position)
      position += 1
    }
    if let seen = seen(at: root), entries[index].see(root, in: seen, before: before) {
      nodes.visit(node) { entries[index].sights?.examples.append($0.example) }
    }
    if seen != nil, !writes.isEmpty { entries[index].note(writes, titles) }
    if entries.count > Self.shapesMax { forgetHalf() }
  }

  /// Counts a flat tree by its sketch, if one of its shape was counted before; else false, and nothing is done.
  mutating func add(_ sketch: borrowing CascadeSketch, root: UInt64) -> Bool {
    if sketch.isCrowded { return false }
    shape.numbers.removeAll(keepingCapacity: true)
    sketch.appendShape(to: &shape.numbers)
    guard let index = indices[shape] else { return false }
    entries[index].count(root)
    let before = entries[index].line.time
    for position in sketch.nodes.indices { entries[index].add(sketch.nodes[position], at: position) }
    if let seen = seen(at: root), entries[index].see(root, in: seen, before: before) {
      for node in sketch.nodes { entries[index].sights?.examples.append(node.example) }
    }
    return true
  }

  /// The events over which sights are spread, with this one in them: parts are twice as wide where they would not reach.
  private mutating func seen(at root: UInt64) -> Range<UInt64>? {
    guard var run = seen, root >= run.upperBound else { return seen }
    while root >= run.upperBound {
      let width = CascadeSights.width(of: run)
      guard width < 1 << 50 else {
        seen = run.lowerBound..<(.max)
        return seen
      }
      run = run.lowerBound..<(run.lowerBound.addingClamped((2 * width - 1) * UInt64(CascadeSights.parts)))
      for index in entries.indices { entries[index].sights?.halve() }
    }
    seen = run
    return run
  }

  private mutating func forgetHalf() {
    let ranked = indices.sorted { hasMoreWork(entries[$0.value].line, entries[$1.value].line) }
    forgotten += ranked.count - Self.shapesMax / 2
    let kept = ranked.prefix(Self.shapesMax / 2)
    entries = kept.map { entries[$0.value] }
    indices = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.key, $0) })
  }

  /// How many shapes there are.
  var count: Int { entries.count }

  /// Those of the most work first.
  var lines: [CascadeReport.Line] { ranked(most: .max).map(\.line) }

  /// The same, so many at most, each with its sights, if these were asked for.
  func ranked(most: Int) -> [(line: CascadeReport.Line, sights: CascadeSights?)] {
    entries.sorted { hasMoreWork($0.line, $1.line) }.prefix(most).map { entry in
      var line = entry.line
      var position = 0
      line.tree = entry.tree.summed(line.count, entry.sums, &position).children
      return (line, entry.sights)
    }
  }

  /// How many of the parts over which sights are spread a run has up to its last event.
  func partsSeen(upTo seq: UInt64) -> Int {
    guard let seen, seq >= seen.lowerBound else { return CascadeSights.parts }
    return min(
      CascadeSights.parts, Int(clamping: (seq - seen.lowerBound) / CascadeSights.width(of: seen)) + 1)
  }

  private func hasMoreWork(_ a: CascadeReport.Line, _ b: CascadeReport.Line) -> Bool {
    if order == .waste, (a.wastedTime, a.wasted) != (b.wastedTime, b.wasted) {
      return (a.wastedTime, a.wasted) > (b.wastedTime, b.wasted)
    }
    if order != .evaluations, a.time != b.time { return a.time > b.time }
    return (b.evaluations, b.invalidations, b.time, a.first)
      < (a.evaluations, a.invalidations, a.time, b.first)
  }
}

/// What cascades that are counted together have in common.
struct CascadeShape: Hashable {
  var numbers: [Int32] = []

  func hash(into hasher: inout Hasher) {
    // Numbers one by one are ten times slower to hash.
    numbers.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension CascadeReport.Line {
  fileprivate init(_ tree: CascadeTree, depth: Int, root: UInt64) {
    self.init(
      root: tree.name, first: root, last: root,
      fanOut: tree.children.reduce(0) { $0 + $1.invalidations }, depth: depth, tree: [])
  }

  fileprivate mutating func add(_ node: CascadeNodes.Node) {
    invalidations += node.invalidations
    evaluations += node.evaluations
    wasted += node.wasted
    time.addClamped(node.time)
    wastedTime.addClamped(node.wastedTime)
  }
}

extension CascadeTree {
  /// Whether a projection was invalidated or ran.
  fileprivate var hasWork: Bool {
    evaluations > 0 || invalidations > 0 || children.contains(where: \.hasWork)
  }

  /// What so many trees like this one took together.
  fileprivate func summed(_ count: Int, _ sums: [CascadeTally.Work], _ position: inout Int) -> CascadeTree {
    var tree = self
    tree.invalidations *= count
    tree.evaluations *= count
    tree.wasted = sums[position].wasted
    tree.time = sums[position].time
    position += 1
    tree.children = []
    for child in children { tree.children.append(child.summed(count, sums, &position)) }
    return tree
  }
}

/// The tree of a flat cascade: the root, and below it the projections that it invalidated, alike ones laid together.
///
/// Most cascades of a long run are such, and of a few shapes: to count those, a sketch is enough.
struct CascadeSketch {
  /// The root, and those below it in the order in which ``CascadeBuilder`` meets them: those that ran come first.
  private(set) var nodes: [CascadeNodes.Node] = []
  /// Whether it had more different projections than a sketch holds.
  private(set) var isCrowded = false
  private static let nodesMax = 16

  mutating func begin(_ title: TitleID) {
    nodes.removeAll(keepingCapacity: true)
    nodes.append(CascadeNodes.Node(title: title, kind: .root, depth: 0))
    isCrowded = false
  }

  mutating func addRun(_ title: TitleID, _ evaluation: Cascade.Evaluation) {
    nodes[node(title)].add(evaluation)
  }

  mutating func addInvalidation(_ title: TitleID) { nodes[node(title)].invalidations += 1 }

  /// Adds the numbers that ``CascadeNodes/appendShape(of:to:)`` adds for the tree.
  func appendShape(to shape: inout [Int32]) {
    for index in nodes.indices {
      shape.append(nodes[index].title.number)
      shape.append(Int32(truncatingIfNeeded: nodes[index].evaluations))
      shape.append(Int32(truncatingIfNeeded: nodes[index].invalidations))
      if index > 0 { shape.append(-1) }
    }
    shape.append(-1)
  }

  private mutating func node(_ title: TitleID) -> Int {
    for index in 1..<max(1, nodes.count) where nodes[index].title == title { return index }
    if nodes.count < Self.nodesMax {
      nodes.append(CascadeNodes.Node(title: title, kind: .projection, depth: 1))
    } else {
      isCrowded = true
    }
    return nodes.count - 1
  }
}
