/// The bodies of a graph alone: what a ``DerivedGraph`` computes, with nothing tracked.
///
/// No engine can be faster than this.
final class BareGraph {
  /// What some updates recompute, and the values before them.
  struct Plan {
    fileprivate let graph: Graph
    fileprivate let updates: Range<Int>
    fileprivate let values: [Int]
    /// The rules of each update, in order.
    fileprivate let rules: [[Int]]

    init(_ graph: Graph, updates: Range<Int>) {
      self.graph = graph
      self.updates = updates
      var simulation = GraphSimulation(graph)
      for turn in 1..<updates.lowerBound { simulation.update(turn) }
      values = simulation.values
      rules = updates.map { turn in
        simulation.update(turn)
        return simulation.recomputed
      }
    }
  }

  private let plan: Plan
  private var cells: [Int]
  private var values: [Int]
  private var nodes: [() -> Int] = []
  /// The external readers of each rule's value, by rule.
  private var views: [(() -> Void)?]
  private var recomputations = 0

  init(_ plan: Plan) {
    self.plan = plan
    let graph = plan.graph
    cells = Array(plan.values[..<graph.sources])
    values = Array(plan.values[graph.sources...])
    views = Array(repeating: nil, count: graph.rules.count)
    for rule in graph.rules {
      nodes.append { [unowned self] in
        recomputations += 1
        return rule { self.read($0) }
      }
    }
    for node in graph.watched {
      views[node - graph.sources] = { [unowned self] in consume(read(node)) }
    }
  }

  private func read(_ node: Int) -> Int { node < cells.count ? cells[node] : values[node - cells.count] }

  /// Computes all that the updates recompute.
  func run() {
    for (turn, rules) in zip(plan.updates, plan.rules) {
      plan.graph.update(turn) { cells[$0] = $1 }
      for rule in rules {
        let value = nodes[rule]()
        guard value != values[rule] else { continue }
        values[rule] = value
        views[rule]?()
      }
    }
    precondition(recomputations == plan.rules.reduce(0) { $0 + $1.count })
  }
}
