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

/// Trees as they are built: nodes in one buffer, which is used again for every cascade.
struct CascadeNodes {
  struct Node {
    var title: Int32
    var kind: CascadeTree.Kind
    var depth: Int32
    var invalidations = 0
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    // -1 where there is none.
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var next: Int32 = -1
  }

  private(set) var nodes: [Node] = []
  private var children = WakeMap()

  /// Levels deeper than this are laid together: nobody reads them, and a hostile log could nest without end.
  private static let depthMax: Int32 = 200

  subscript(node: Int32) -> Node {
    _read { yield nodes[Int(node)] }
    _modify { yield &nodes[Int(node)] }
  }

  mutating func removeAll() {
    nodes.removeAll(keepingCapacity: nodes.count < 1 << 12)
    children.removeAll()
  }

  mutating func addRoot(_ title: Int32) -> Int32 {
    nodes.append(Node(title: title, kind: .root, depth: 0))
    return Int32(nodes.count - 1)
  }

  /// The branch of this title, new if need be.
  mutating func child(_ title: Int32, _ kind: CascadeTree.Kind, of parent: Int32) -> Int32 {
    if let child = children[UInt64(parent), title] { return child }
    let depth = self[parent].depth
    if depth == Self.depthMax { return parent }
    let child = Int32(nodes.count)
    nodes.append(Node(title: title, kind: kind, depth: depth + 1))
    children[UInt64(parent), title] = child
    if self[parent].firstChild < 0 {
      self[parent].firstChild = child
    } else {
      self[self[parent].lastChild].next = child
    }
    self[parent].lastChild = child
    return child
  }

  mutating func add(_ evaluation: Cascade.Evaluation, to node: Int32) {
    self[node].evaluations += 1
    self[node].time.addClamped(evaluation.duration)
    if evaluation.changed == false { self[node].wasted += 1 }
  }

  /// Adds numbers that are equal for trees of the same branches with the same numbers of runs.
  func appendShape(of node: Int32, to shape: inout [Int32]) {
    shape.append(self[node].title)
    shape.append(Int32(truncatingIfNeeded: self[node].evaluations))
    shape.append(Int32(truncatingIfNeeded: self[node].invalidations))
    forEachChild(of: node) { appendShape(of: $0, to: &shape) }
    shape.append(-1)
  }

  /// How many levels of projections there are, the node's own included.
  func levels(of node: Int32) -> Int {
    var below = 0
    forEachChild(of: node) { below = max(below, levels(of: $0)) }
    return below + (self[node].kind == .projection ? 1 : 0)
  }

  func forEachChild(of node: Int32, _ body: (Int32) -> Void) {
    var child = self[node].firstChild
    while child >= 0 {
      body(child)
      child = self[child].next
    }
  }

  /// The node and all below.
  func visit(_ node: Int32, _ body: (Node) -> Void) {
    body(self[node])
    forEachChild(of: node) { visit($0, body) }
  }

  /// The tree below a node, for people.
  func tree(_ node: Int32, _ titles: borrowing CascadeNames) -> CascadeTree {
    var children: [Int32] = []
    forEachChild(of: node) { children.append($0) }
    let this = self[node]
    var trees: [CascadeTree] = []
    for child in children { trees.append(tree(child, titles)) }
    return CascadeTree(
      name: titles.names[Int(this.title)], kind: this.kind, invalidations: this.invalidations,
      evaluations: this.evaluations, wasted: this.wasted, time: this.time, children: trees)
  }
}
