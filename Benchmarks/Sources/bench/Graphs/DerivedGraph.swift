import Projection

/// A source of a graph.
@Recorded final class Cell {
  var value = 0
}

@Recorded final class Cells {
  var all: RecordedArray<Cell> = []
}

/// A graph of derived values in a session.
final class DerivedGraph {
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
        // A figure for the wrong amount of work is worth nothing. A precondition would print no message in a release
        // build.
        fatalError(
          "\(graph.title), update \(turn): \(recomputations) recomputations, \(simulation.recomputations) needed"
        )
      }
    }
  }
}
