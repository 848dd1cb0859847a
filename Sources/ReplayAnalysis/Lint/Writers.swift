import EventLog

/// Counts which projections write which paths: callbacks, and views in their bodies; and the tasks that these start.
struct Writers {
  struct Edge: Hashable {
    var writer: GroupID<ProjectionID>
    var path: GroupID<PathID>
    /// Whether tasks write it.
    var isLate: Bool
  }

  /// How often each writer wrote each path, in the order in which they were first seen.
  private(set) var edges: [(edge: Edge, writes: Int, evidence: Evidence)] = []
  private var indices: [Edge: Int] = [:]
  private static let edgesMax = 1 << 12

  init() {}

  mutating func count(_ write: Consequences.Write) {
    guard let writer = write.link.writer, let path = write.group else { return }
    let edge = Edge(writer: writer, path: path, isLate: write.link.isLate)
    guard let index = indices[edge] else {
      if edges.count >= Self.edgesMax { return }
      indices[edge] = edges.count
      var evidence = Evidence()
      evidence.append(write.seq)
      edges.append((edge, 1, evidence))
      return
    }
    edges[index].writes += 1
    edges[index].evidence.append(write.seq)
  }

  /// The paths that a projection writes, those that it writes most often first.
  func paths(of writer: GroupID<ProjectionID>) -> [GroupID<PathID>] {
    edges.filter { $0.edge.writer == writer }.sorted { $0.writes > $1.writes }.map(\.edge.path)
  }

  /// How often projections and their tasks wrote a path.
  func writes(of path: GroupID<PathID>) -> Int {
    edges.reduce(0) { $1.edge.path == path ? $0 + $1.writes : $0 }
  }
}
