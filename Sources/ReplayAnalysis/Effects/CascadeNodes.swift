import EventLog

/// The nodes of the trees while they are built, in one buffer that is reused for every cascade.
struct CascadeNodes {
  struct Node {
    let title: TitleID
    let kind: CascadeTree.Kind
    /// The numbers of nodes above it, and of projections down to it.
    let depth: Int32
    let level: Int32
    var sums = EffectSums()
    var example = CascadeExample()
    // The indices of other nodes; -1 if there is none.
    fileprivate let parent: Int32
    fileprivate var firstChild: Int32 = -1
    fileprivate var lastChild: Int32 = -1
    fileprivate var next: Int32 = -1
  }

  private var nodes: [Node] = []
  /// There is more than one only if the cause chain has a gap.
  private(set) var roots: [Int32] = []
  private var children = PairMap<TitleID>()

  /// Deeper levels are merged: nobody reads them, and a hostile log could nest without end.
  private static let depthMax: Int32 = 200

  subscript(node: Int32) -> Node {
    _read { yield nodes[Int(node)] }
    _modify { yield &nodes[Int(node)] }
  }

  mutating func removeAll() {
    nodes.removeAll(keepingCapacity: nodes.count < 1 << 12)
    roots.removeAll(keepingCapacity: true)
    children.removeAll()
  }

  mutating func addRoot(_ title: TitleID) -> Int32 {
    let root = Int32(nodes.count)
    nodes.append(Node(title: title, kind: .root, depth: 0, level: 0, parent: -1))
    roots.append(root)
    return root
  }

  /// The child with this title; added if there is none.
  mutating func child(_ title: TitleID, _ kind: CascadeTree.Kind, of parent: Int32) -> Int32 {
    let last = self[parent].lastChild
    if last >= 0 {
      // What follows one another is mostly of one kind.
      if self[last].title == title { return last }
      if let child = children[UInt64(parent), title] { return child }
    }
    let (depth, above) = (self[parent].depth, self[parent].level)
    if depth == Self.depthMax { return parent }
    let child = Int32(nodes.count)
    let level = kind == .projection ? above + 1 : above
    nodes.append(Node(title: title, kind: kind, depth: depth + 1, level: level, parent: parent))
    children[UInt64(parent), title] = child
    if last < 0 { self[parent].firstChild = child } else { self[last].next = child }
    self[parent].lastChild = child
    return child
  }

  @inline(__always)
  mutating func add(_ evaluation: Cascade.Evaluation, to node: Int32) {
    self[node].sums.countRun(evaluation.duration, evaluation.changed)
    self[node].example = CascadeExample(evaluation)
  }

  @inline(__always)
  mutating func addInvalidation(to node: Int32, isSuperseded: Bool) {
    self[node].sums.invalidations += 1
    if isSuperseded { self[node].sums.superseded += 1 }
  }

  /// Replaces a shape by that of a tree, and returns the sums over the tree.
  func fill(_ shape: inout CascadeShape, from root: Int32) -> EffectSums {
    var sums = EffectSums()
    shape.numbers.removeAll(keepingCapacity: true)
    visit(root) { node in
      sums.add(node.sums)
      shape.numbers.append(node.title.number)
      shape.numbers.append(node.depth)
      shape.numbers.append(Int32(truncatingIfNeeded: node.sums.evaluations))
      shape.numbers.append(Int32(truncatingIfNeeded: node.sums.invalidations))
    }
    return sums
  }

  /// The sums over a tree.
  func sums(of root: Int32) -> EffectSums {
    var sums = EffectSums()
    visit(root) { sums.add($0.sums) }
    return sums
  }

  /// The number of levels of projections in a tree.
  func levels(of root: Int32) -> Int {
    var levels: Int32 = 0
    visit(root) { levels = max(levels, $0.level) }
    return Int(levels)
  }

  func forEachChild(of node: Int32, _ body: (Int32) -> Void) {
    var child = self[node].firstChild
    while child >= 0 {
      body(child)
      child = self[child].next
    }
  }

  /// Calls the body for the root and all nodes below it, parents before children. A loop, which is inlined: it runs several
  /// times for each cascade.
  @inline(__always)
  func visit(_ root: Int32, _ body: (Node) -> Void) {
    var next = root
    while next >= 0 {
      body(self[next])
      next = following(next, below: root)
    }
  }

  @inline(__always)
  private func following(_ node: Int32, below root: Int32) -> Int32 {
    if self[node].firstChild >= 0 { return self[node].firstChild }
    var last = node
    while last != root, self[last].next < 0 { last = self[last].parent }
    return last == root ? -1 : self[last].next
  }

  /// The tree below a node, with titles as text.
  func tree(_ node: Int32, _ titles: borrowing CascadeTitles) -> CascadeTree {
    var children: [Int32] = []
    forEachChild(of: node) { children.append($0) }
    var tree = CascadeTree(name: titles.text(self[node].title), kind: self[node].kind)
    tree.add(self[node].sums)
    for child in children { tree.children.append(self.tree(child, titles)) }
    return tree
  }
}

/// The last evaluation at a node of a cascade's tree, as an example of them all.
struct CascadeExample {
  /// 0 if nothing ran.
  var seq: UInt64 = 0
  /// The previous evaluation of the same projection; 0 if there is none.
  var earlier: UInt64 = 0
  /// As in the evaluation.
  var since: UInt64 = 0

  init() {}

  @inline(__always)
  init(_ evaluation: Cascade.Evaluation) {
    (seq, earlier, since) = (evaluation.seq, evaluation.earlier, evaluation.since)
  }
}

/// Numbers that are equal for trees with the same branches and the same numbers of runs, which are counted together.
struct CascadeShape: Hashable {
  fileprivate var numbers: [Int32] = []

  func hash(into hasher: inout Hasher) {
    // Hashing the numbers one by one is ten times slower.
    numbers.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// What one event led to. Branches with the same title are merged.
package struct CascadeTree: Codable, Sendable, EffectCounts {
  package enum Kind: String, Codable, Sendable { case root, write, projection }

  package var name: String
  package var kind: Kind
  package var invalidations = 0
  /// How many of these another invalidation superseded: the projection ran, for a later event as well, and the run
  /// is counted there.
  package var superseded = 0
  package var evaluations = 0
  /// Evaluations whose output was the same as before.
  package var wasted = 0
  /// The time in evaluations, in nanoseconds.
  package var time: UInt64 = 0
  /// The time in wasted ones. Not in JSON, where the whole line has it.
  var wastedTime: UInt64 = 0
  package var children: [CascadeTree] = []

  enum CodingKeys: String, CodingKey {
    case name, kind, invalidations, superseded, evaluations, wasted
    case time = "time_ns"
    case children
  }
}
