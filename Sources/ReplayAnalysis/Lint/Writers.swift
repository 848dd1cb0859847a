import EventLog

/// Counts which projections write which paths: callbacks, and views in their bodies.
///
/// A write within a run has the cause of that run, and the log has the run when it ends: so it is of the next run with the
/// same cause.
struct Writers {
  struct Edge: Hashable {
    var writer: GroupID<ProjectionID>
    var path: GroupID<PathID>
  }

  private struct Write {
    var seq: UInt64
    var cause: UInt64
    var path: GroupID<PathID>
  }

  /// How often each writer wrote each path, in the order in which they were first seen.
  private(set) var edges: [(edge: Edge, writes: Int, evidence: Evidence)] = []
  private var indices: [Edge: Int] = [:]
  /// Writes whose run has not ended.
  private var waiting: [Write] = []
  private static let edgesMax = 1 << 12
  private static let waitingMax = 1 << 10

  init() {}

  /// Looks at a write that has a cause.
  mutating func apply(_ row: borrowing EventLog.Row, of path: GroupID<PathID>) {
    if waiting.count < Self.waitingMax { waiting.append(Write(seq: row.seq, cause: row.cause, path: path)) }
  }

  /// Looks at a run that has ended. A first run is followed by what `onFirstAppear` writes, which is of no run.
  mutating func countRun(of writer: GroupID<ProjectionID>, cause: UInt64, isFirst: Bool) {
    if waiting.isEmpty { return }
    for write in waiting where write.cause == cause && !isFirst {
      add(Edge(writer: writer, path: write.path), write.seq)
    }
    waiting.removeAll { $0.cause == cause }
  }

  private mutating func add(_ edge: Edge, _ seq: UInt64) {
    guard let index = indices[edge] else {
      if edges.count >= Self.edgesMax { return }
      indices[edge] = edges.count
      var evidence = Evidence()
      evidence.append(seq)
      edges.append((edge, 1, evidence))
      return
    }
    edges[index].writes += 1
    edges[index].evidence.append(seq)
  }

  /// Starts the next flush.
  mutating func removeAll() { waiting.removeAll(keepingCapacity: true) }

  /// The paths that a projection writes, those that it writes most often first.
  func paths(of writer: GroupID<ProjectionID>) -> [GroupID<PathID>] {
    edges.filter { $0.edge.writer == writer }.sorted { $0.writes > $1.writes }.map(\.edge.path)
  }

  /// Those that write a path.
  func writers(of path: GroupID<PathID>) -> [GroupID<ProjectionID>] {
    edges.filter { $0.edge.path == path }.map(\.edge.writer)
  }
}
