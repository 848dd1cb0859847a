import EventLog

/// Where in a run the cascades of one shape are, and which took longest.
struct CascadeSights {
  /// The number of cascades whose root lies in each of `parts` equal parts of the run's events.
  var spread: [UInt32]
  /// The roots of all cascades of the shape, in order; empty if there are more than `rootsMax`.
  var roots: [UInt64] = []
  private var hasMoreRoots = false
  /// The root of the cascade that took longest, the first of equals, and its time in nanoseconds.
  var worst: UInt64
  var worstTime: UInt64
  /// An example for each node of the tree, parents before children.
  var examples: [CascadeExample] = []
  /// For cascades that began with a transaction, the first different writes in these transactions:
  /// `set store.a`.
  var writes: [String] = []

  static let parts = 64
  fileprivate static let writesMost = 32
  private static let rootsMax = 1 << 12

  fileprivate init(of root: UInt64) {
    spread = .init(repeating: 0, count: Self.parts)
    (worst, worstTime) = (root, 0)
  }

  /// The event after the last evaluation of the cascade that took longest.
  var end: UInt64 { examples.reduce(worst) { max($0, $1.seq) } + 1 }

  /// The number of events in one part of a run.
  static func width(of run: Range<UInt64>) -> UInt64 {
    (run.upperBound - run.lowerBound) / UInt64(parts) + 1
  }

  /// Adds the root of a cascade, which may come again at once if the cascade has several trees.
  fileprivate mutating func add(_ root: UInt64) {
    if hasMoreRoots || roots.last == root { return }
    if roots.count == Self.rootsMax {
      (hasMoreRoots, roots) = (true, [])
    } else {
      roots.append(root)
    }
  }

  /// Merges each two neighbouring parts, which leaves the second half empty.
  fileprivate mutating func halve() {
    for index in 0..<Self.parts {
      spread[index] = index < Self.parts / 2 ? spread[2 * index] + spread[2 * index + 1] : 0
    }
  }
}

/// Counts cascades by shape.
struct CascadeTally {
  private let order: CascadeReport.Order
  /// The events over which sights are spread, extended as the log grows; nil if no sights are kept.
  private var seen: Range<UInt64>?
  private var entries: [Entry] = []
  /// The index of each shape's entry.
  private var indices: [CascadeShape: Int] = [:]
  private var shape = CascadeShape()
  /// The number of shapes dropped because there were too many.
  private(set) var forgotten = 0

  /// More shapes than anyone reads; bounds the memory.
  private static let shapesMax = 20_000

  private struct Entry {
    var line: CascadeReport.Line
    var tree: CascadeTree
    /// The sums over all cascades of this shape for each node of the tree, parents before children.
    var sums: [EffectSums]
    var sights: CascadeSights?
    /// The writes of transactions that are listed in the sights.
    var listed: Set<TitleID> = []

    /// Adds where a cascade is, and the time that it took. Returns whether it is the longest so far, so that its
    /// examples are needed.
    mutating func see(_ root: UInt64, in run: Range<UInt64>, _ time: UInt64) -> Bool {
      let width = CascadeSights.width(of: run)
      var found = sights ?? CascadeSights(of: root)
      sights = nil
      defer { sights = found }
      found.add(root)
      found.spread[
        Int((min(max(root, run.lowerBound), run.upperBound - 1) - run.lowerBound) / width)] &+= 1
      guard found.examples.isEmpty || time > found.worstTime else { return false }
      (found.worst, found.worstTime) = (root, time)
      found.examples.removeAll(keepingCapacity: true)
      return true
    }

    /// Adds the writes of the transaction with which a cascade began.
    mutating func count(_ writes: [TitleID], _ titles: borrowing CascadeTitles) {
      for write in writes where listed.count < CascadeSights.writesMost && listed.insert(write).inserted {
        sights?.writes.append(titles.text(write))
      }
    }
  }

  /// - Parameter seen: The events over which sights are spread; nil to keep no sights.
  init(by order: CascadeReport.Order, seen: Range<UInt64>? = nil) {
    self.order = order
    self.seen = seen
  }

  /// Counts a tree, unless no projection in it was invalidated or ran.
  ///
  /// - Parameter writes: If the root is a transaction, its writes; empty for a single write.
  mutating func add(
    _ node: Int32, of nodes: borrowing CascadeNodes, root: UInt64, writes: [TitleID],
    _ titles: borrowing CascadeTitles
  ) {
    let whole = nodes.fill(&shape, from: node)
    if whole.isNone { return }
    let index = indices[shape] ?? insert(node, of: nodes, root, titles)
    var position = 0
    nodes.visit(node) { node in
      entries[index].sums[position].add(node.sums)
      position += 1
    }
    entries[index].line.count += 1
    entries[index].line.last = max(entries[index].line.last, root)
    entries[index].line.add(whole)
    if let seen = seen(at: root), entries[index].see(root, in: seen, whole.time) {
      nodes.visit(node) { entries[index].sights?.examples.append($0.example) }
    }
    if seen != nil, !writes.isEmpty { entries[index].count(writes, titles) }
    if entries.count > Self.shapesMax { forgetHalf() }
  }

  /// Adds an entry of the shape, and returns its index.
  private mutating func insert(
    _ node: Int32, of nodes: borrowing CascadeNodes, _ root: UInt64, _ titles: borrowing CascadeTitles
  ) -> Int {
    let tree = nodes.tree(node, titles)
    var sums: [EffectSums] = []
    nodes.visit(node) { _ in sums.append(EffectSums()) }
    indices[shape] = entries.count
    entries.append(
      Entry(line: .init(tree, depth: nodes.levels(of: node), root: root), tree: tree, sums: sums))
    return entries.count - 1
  }

  /// The events over which sights are spread. If the root lies beyond them, parts are doubled in width until
  /// they reach it.
  private mutating func seen(at root: UInt64) -> Range<UInt64>? {
    guard var run = seen, root >= run.upperBound else { return seen }
    while root >= run.upperBound {
      let width = CascadeSights.width(of: run)
      guard width < 1 << 50 else {
        seen = run.lowerBound..<(.max)
        return seen
      }
      run = run.lowerBound..<(run.lowerBound + (2 * width - 1) * UInt64(CascadeSights.parts))
      for index in entries.indices { entries[index].sights?.halve() }
    }
    seen = run
    return run
  }

  private mutating func forgetHalf() {
    let ranked = indices.sorted { order.ranks(entries[$0.value].line, before: entries[$1.value].line) }
    forgotten += ranked.count - Self.shapesMax / 2
    let kept = ranked.prefix(Self.shapesMax / 2)
    entries = kept.map { entries[$0.value] }
    indices = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.key, $0) })
  }

  /// The number of shapes.
  var count: Int { entries.count }

  /// The counted shapes, those with the most work first.
  var lines: [CascadeReport.Line] { ranked(most: .max).map(\.line) }

  /// At most this many of them, with their sights if these are kept.
  func ranked(most: Int) -> [(line: CascadeReport.Line, sights: CascadeSights?)] {
    entries.sorted { order.ranks($0.line, before: $1.line) }.prefix(most).map { entry in
      var line = entry.line
      var position = 0
      line.tree = entry.tree.summed(entry.sums, &position).children
      return (line, entry.sights)
    }
  }

  /// The number of parts, of those over which sights are spread, that begin at or before an event.
  func partsSeen(upTo seq: UInt64) -> Int {
    guard let seen, seq >= seen.lowerBound else { return CascadeSights.parts }
    return min(
      CascadeSights.parts, Int((seq - seen.lowerBound) / CascadeSights.width(of: seen)) + 1)
  }
}

extension CascadeReport.Line {
  fileprivate init(_ tree: CascadeTree, depth: Int, root: UInt64) {
    self.init(
      root: tree.name, first: root, last: root,
      fanOut: tree.children.reduce(0) { $0 + $1.invalidations }, depth: depth, tree: [])
  }
}

extension CascadeTree {
  /// The tree with these sums, parents before children.
  fileprivate func summed(_ sums: [EffectSums], _ position: inout Int) -> CascadeTree {
    var tree = CascadeTree(name: name, kind: kind)
    tree.add(sums[position])
    position += 1
    for child in children { tree.children.append(child.summed(sums, &position)) }
    return tree
  }
}
