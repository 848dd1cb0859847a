import BenchSupport
import Projection

extension Contest {
  /// Updates of a graph, by the time of one recomputation.
  static func graph(_ graph: Graph, recomputations wanted: Int) -> Contest {
    // The simulation counts how much one update recomputes.
    var simulation = GraphSimulation(graph)
    for turn in 1...10 { simulation.update(turn) }
    let each = max(1, simulation.recomputations / 10)
    let updates = max(3, wanted / each)
    let what = "\(graph.title): \(Double(simulation.recomputations) / 10) recomputations an update"
    let plan = BareGraph.Plan(graph, updates: 4..<(updates + 4))
    return Contest(
      title: "graph, \(what), per recomputation", operations: updates * each,
      contenders: [
        Contender(name: "the bodies alone") { _ in
          let nodes = BareGraph(plan)
          return nodes.run
        },
        Contender(name: "session that records nothing") { _ in
          let nodes = DerivedGraph(graph, Session())
          nodes.check(3)
          return { for turn in 4..<(updates + 4) { nodes.update(turn) } }
        },
        Contender(name: "recorded to a file") { _ in
          let recording = try RecordingSession()
          let nodes = DerivedGraph(graph, recording.session)
          nodes.check(3)
          return {
            for turn in 4..<(updates + 4) { nodes.update(turn) }
            consume(recording)
          }
        },
      ])
  }
}
