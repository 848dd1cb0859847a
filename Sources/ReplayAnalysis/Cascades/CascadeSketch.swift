import EventLog

/// The tree of a flat cascade: the root, and below it the projections that it woke, alike ones laid together.
///
/// Most cascades of a long run are such, and of a few shapes: to count those, a sketch is enough.
struct CascadeSketch {
  /// The root, and those below it in the order in which ``CascadeBuilder`` meets them: who ran comes first.
  private(set) var nodes: [CascadeNodes.Node] = []
  /// Whether it had more different projections than a sketch holds.
  private(set) var isCrowded = false
  private static let nodesMax = 16

  mutating func begin(_ title: Int32) {
    nodes.removeAll(keepingCapacity: true)
    nodes.append(CascadeNodes.Node(title: title, kind: .root, depth: 0))
    isCrowded = false
  }

  mutating func addRun(_ title: Int32, _ evaluation: Cascade.Evaluation) {
    let node = node(title)
    nodes[node].evaluations += 1
    nodes[node].time.addClamped(evaluation.duration)
    if evaluation.changed == false { nodes[node].wasted += 1 }
  }

  mutating func addInvalidation(_ title: Int32) { nodes[node(title)].invalidations += 1 }

  /// Adds the numbers that ``CascadeNodes/appendShape(of:to:)`` adds for the tree.
  func appendShape(to shape: inout [Int32]) {
    for place in nodes.indices {
      shape.append(nodes[place].title)
      shape.append(Int32(truncatingIfNeeded: nodes[place].evaluations))
      shape.append(Int32(truncatingIfNeeded: nodes[place].invalidations))
      if place > 0 { shape.append(-1) }
    }
    shape.append(-1)
  }

  private mutating func node(_ title: Int32) -> Int {
    for place in 1..<max(1, nodes.count) where nodes[place].title == title { return place }
    if nodes.count < Self.nodesMax {
      nodes.append(CascadeNodes.Node(title: title, kind: .projection, depth: 1))
    } else {
      isCrowded = true
    }
    return nodes.count - 1
  }
}
