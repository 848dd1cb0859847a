import EventLog

/// The numbers of writes and evaluations in a run, by kind of path and by name of projection.
package struct DiffCounts: Sendable {
  struct Runs: Sendable {
    var evaluations = 0
    /// Evaluations whose output was the same as before.
    var wasted = 0
    var time: UInt64 = 0
    /// The times of first runs and of later ones, which are compared each with their own kind: what runs for the first time
    /// also makes what it keeps.
    fileprivate var first = Times()
    fileprivate var later = Times()

    fileprivate mutating func add(_ other: Runs) {
      evaluations += other.evaluations
      wasted += other.wasted
      time += other.time
      first.add(other.first)
      later.add(other.later)
    }
  }

  /// The times of runs of one kind, in nanoseconds.
  fileprivate struct Times: Sendable {
    private var count = 0.0
    private var sum = 0.0
    private var squares = 0.0

    mutating func add(_ time: UInt64) {
      count += 1
      sum += Double(time)
      squares += Double(time) * Double(time)
    }

    mutating func add(_ other: Times) {
      count += other.count
      sum += other.sum
      squares += other.squares
    }

    /// Whether these runs take longer than others, by more than the given share, and by more than runs of either
    /// differ among themselves: three standard errors. A total of less than a millisecond is noise too.
    func isSlower(than other: Times, by share: Double) -> Bool {
      if count == 0 || other.count == 0 { return false }
      let (mean, before) = (sum / count, other.sum / other.count)
      let error = (squaredError + other.squaredError).squareRoot()
      return mean > before * (1 + share) && (mean - before) * count >= 1e6 && mean - before > 3 * error
    }

    /// The square of the standard error of the mean. One run says nothing about it; a quarter of its time is assumed.
    private var squaredError: Double {
      let mean = sum / count
      if count < 2 { return mean * mean / 16 }
      return max(0, squares / count - mean * mean) / (count - 1)
    }
  }

  /// The number of writes, by kind of path.
  fileprivate(set) var paths: [ExactString: Int] = [:]
  /// The evaluations, by the projection's name.
  fileprivate(set) var projections: [ExactString: Runs] = [:]
}

/// Counts the writes and evaluations of a run.
struct DiffTally {
  private var writes = DenseMap<GroupID<PathID>, Int>(default: 0)
  private var runs = DenseMap<GroupID<ProjectionID>, DiffCounts.Runs>(default: DiffCounts.Runs())
  private var hasRun = ProjectionMap<Bool>(default: false)

  /// Counts the run's current row.
  @inline(__always)
  mutating func add(_ run: inout LogRun) {
    if let path = run.path {
      writes[run.group(of: path)] += 1
    } else if run.row.kind == .evaluate, let projection = run.projection {
      let group = run.group(of: projection)
      runs[group].evaluations += 1
      runs[group].time += run.row.duration
      if run.row.changed == false { runs[group].wasted += 1 }
      if hasRun[projection] {
        runs[group].later.add(run.row.duration)
      } else {
        runs[group].first.add(run.row.duration)
        hasRun[projection] = true
      }
    } else if run.row.kind == .projection, let projection = run.projection {
      hasRun[projection] = false
    }
  }

  func counts(_ run: borrowing LogRun) -> DiffCounts {
    var counts = DiffCounts()
    for (group, count) in writes.values.enumerated() where count > 0 {
      counts.paths[ExactString(run.text(GroupID<PathID>(group)))] = count
    }
    for (group, count) in runs.values.enumerated() where count.evaluations > 0 {
      let name = FreshIDs.withoutIDs(run.text(GroupID<ProjectionID>(group)))
      counts.projections[ExactString(name), default: DiffCounts.Runs()].add(count)
    }
    return counts
  }
}

extension RunDiff {
  /// The kinds of paths whose numbers of writes differ, the largest difference first.
  package static func paths(_ a: DiffCounts, _ b: DiffCounts) -> [PathCount] {
    let (a, b) = (a.paths, b.paths)
    return Set(a.keys).union(b.keys).sorted()
      .map { PathCount(path: $0.string, a: a[$0] ?? 0, b: b[$0] ?? 0) }
      .filter { $0.a != $0.b }
      .sorted { abs($0.a - $0.b) > abs($1.a - $1.b) }
  }

  /// The projections whose numbers of evaluations differ, or whose evaluations take longer in the second run
  /// than `slower` allows.
  package static func projections(_ a: DiffCounts, _ b: DiffCounts, slower: Double) -> [ProjectionCount] {
    let (a, b) = (a.projections, b.projections)
    return Set(a.keys).union(b.keys).sorted().map {
      ProjectionCount(name: $0.string, a[$0] ?? .init(), b[$0] ?? .init(), slower: slower)
    }
    .filter { $0.a != $0.b || $0.isSlower || $0.wastedA != $0.wastedB }
    .sorted { abs($0.a - $0.b) > abs($1.a - $1.b) }
  }
}

extension RunDiff.PathCount {
  fileprivate init(path: String, a: Int, b: Int) {
    self.init(path: path, a: a, b: b, change: .init(a, b))
  }
}

extension RunDiff.ProjectionCount {
  fileprivate init(name: String, _ a: DiffCounts.Runs, _ b: DiffCounts.Runs, slower: Double) {
    self.init(
      name: name, a: a.evaluations, b: b.evaluations, change: .init(a.evaluations, b.evaluations),
      wastedA: a.wasted, wastedB: b.wasted, timeA: a.time, timeB: b.time, isSlower: false)
    isSlower = b.later.isSlower(than: a.later, by: slower) || b.first.isSlower(than: a.first, by: slower)
    if change == .same, isSlower { change = .slower }
  }
}

extension RunDiff.Change {
  init(_ a: Int, _ b: Int) {
    self = a == b ? .same : a == 0 ? .new : b == 0 ? .gone : b > a ? .more : .less
  }
}
