import EventLog

/// Counts which paths put a projection out of date together: in one transaction, or one right after the other in a burst. Who
/// moves or derives only one of them still has the runs for the others, so they are one change.
struct JointPaths {
  /// Two paths that a projection reads, in the order of their ids.
  private struct Key: Hashable {
    var projection: GroupID<ProjectionID>
    var first: GroupID<PathID>
    var second: GroupID<PathID>

    init(_ projection: GroupID<ProjectionID>, _ a: GroupID<PathID>, _ b: GroupID<PathID>) {
      self.projection = projection
      (first, second) = a.denseIndex < b.denseIndex ? (a, b) : (b, a)
    }
  }

  private var counts: [Key: Int] = [:]
  /// What invalidated each projection last, and in which burst.
  private var last = ProjectionMap<(path: GroupID<PathID>, burst: UInt32)?>(default: nil)
  private static let keysMax = 1 << 12
  private static let pathsMax = 6

  init() {}

  /// Looks at an invalidation by a write of this path.
  @inline(__always)
  mutating func apply(
    _ projection: ProjectionID, in group: @autoclosure () -> GroupID<ProjectionID>,
    by path: GroupID<PathID>, in burst: UInt32
  ) {
    if let known = last[projection], known.burst == burst, known.path != path {
      add(Key(group(), known.path, path))
    }
    last[projection] = (path, burst)
  }

  /// Looks at an invalidation by a transaction that wrote several paths, the first of which is `path`.
  mutating func apply(
    in group: GroupID<ProjectionID>, by path: GroupID<PathID>, and others: [GroupID<PathID>]
  ) {
    var known: [GroupID<PathID>] = [path]
    for other in others where !known.contains(other) && known.count < Self.pathsMax {
      known.append(other)
      add(Key(group, path, other))
    }
  }

  private mutating func add(_ key: Key) {
    if counts.count >= Self.keysMax, counts[key] == nil { return }
    counts[key, default: 0] += 1
  }

  /// How often both paths invalidated a projection together.
  func count(
    _ projection: GroupID<ProjectionID>, _ a: GroupID<PathID>, _ b: GroupID<PathID>
  ) -> Int { counts[Key(projection, a, b)] ?? 0 }

  /// The paths that invalidated a projection together with this one, each with how often.
  func partners(
    of path: GroupID<PathID>, in projection: GroupID<ProjectionID>
  ) -> [(path: GroupID<PathID>, count: Int)] {
    counts.filter { $0.key.projection == projection && ($0.key.first == path || $0.key.second == path) }
      .map { ($0.key.first == path ? $0.key.second : $0.key.first, $0.value) }
      .sorted { ($1.1, $0.0.denseIndex) < ($0.1, $1.0.denseIndex) }
  }
}
