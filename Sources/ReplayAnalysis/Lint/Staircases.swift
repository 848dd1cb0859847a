import EventLog

/// Counts projections that ran at several steps of one cause chain: for what the app wrote, and again for what
/// callbacks wrote because of it.
struct Staircases {
  struct Found {
    var chains = 0
    var runs = 0
    /// The paths of the later steps.
    var paths: [GroupID<PathID>] = []
    var evidence = Evidence()
  }

  private(set) var found: [GroupID<ProjectionID>: Found] = [:]
  /// The root of the chain in which each projection was last invalidated, and how deep in it.
  private var last = ProjectionMap<(root: UInt64, depth: Int)>(default: (0, 0))
  private static let pathsMax = 6

  init() {}

  /// Looks at an invalidation by an event that is `depth` steps from the root of its cause chain.
  @inline(__always)
  mutating func apply(
    _ projection: ProjectionID, in group: @autoclosure () -> GroupID<ProjectionID>, by path: GroupID<PathID>,
    root: UInt64, depth: Int
  ) {
    let known = last[projection]
    last[projection] = (root, depth)
    if depth > 0, known.root == root, depth > known.depth {
      add(group(), path, root, isFirst: known.depth == 0)
    }
  }

  private mutating func add(
    _ group: GroupID<ProjectionID>, _ path: GroupID<PathID>, _ root: UInt64, isFirst: Bool
  ) {
    var known = found[group] ?? Found()
    if isFirst {
      known.chains += 1
      known.evidence.append(root)
    }
    known.runs += 1
    if known.paths.count < Self.pathsMax, !known.paths.contains(path) { known.paths.append(path) }
    found[group] = known
  }
}
