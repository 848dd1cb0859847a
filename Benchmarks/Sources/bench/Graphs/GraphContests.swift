import BenchSupport
import OpenCombine
import Projection

/// A source of a graph.
@Recorded final class Cell {
  var value = 0
}

@Recorded final class Cells {
  var all: RecordedArray<Cell> = []
}

/// A graph of derived values in a session.
private final class DerivedGraph {
  let session: Session
  private let graph: Graph
  private let cells: [Cell]
  private var nodes: [Derived<Int>] = []
  private(set) var recomputations = 0

  init(_ graph: Graph, _ session: Session) {
    self.graph = graph
    self.session = session
    cells = (0..<graph.sources).map { _ in Cell() }
    let root = Cells()
    root.all = RecordedArray(cells)
    session.attach(root, as: "cells")
    for (number, rule) in graph.rules.enumerated() {
      nodes.append(
        session.derived("n\(number)") { [unowned self] in
          recomputations += 1
          return rule { self.read($0) }
        })
    }
    for node in graph.watched {
      session.projection("View#\(node)") { [unowned self] _ in consume(read(node)) }
    }
    recomputations = 0
  }

  private func read(_ node: Int) -> Int {
    node < graph.sources ? cells[node].value : nodes[node - graph.sources].value
  }

  func update(_ turn: Int) {
    if graph.isSetWhole, graph.sources > 1 {
      session.transaction { graph.update(turn) { cells[$0].value = $1 } }
    } else {
      graph.update(turn) { cells[$0].value = $1 }
    }
  }

  /// Plays some updates beside the simulation: each must recompute exactly what it does.
  func check(_ updates: Int) {
    var simulation = GraphSimulation(graph)
    for turn in 1...updates {
      simulation.update(turn)
      update(turn)
      if recomputations != simulation.recomputations {
        // A figure for too much or too little work is worth nothing; a precondition would not say why in a release build.
        fatalError(
          "\(graph.title), update \(turn): \(recomputations) recomputations, \(simulation.recomputations) needed"
        )
      }
    }
  }
}

extension Contest {
  /// Updates of a graph, by the time of one recomputation.
  static func graph(_ graph: Graph, recomputations wanted: Int) -> Contest {
    // How much one update recomputes is what the simulation says.
    var simulation = GraphSimulation(graph)
    for turn in 1...10 { simulation.update(turn) }
    let each = max(1, simulation.recomputations / 10)
    let updates = max(3, wanted / each)
    let what = "\(graph.title): \(Double(simulation.recomputations) / 10) recomputations an update"
    return Contest(
      title: "graph, \(what), per recomputation", operations: updates * each,
      contenders: [
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
