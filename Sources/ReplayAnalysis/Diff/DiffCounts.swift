import EventLog

/// What a run did, by kind of place and by name of projection.
package struct DiffCounts {
  struct Runs {
    var evaluations = 0
    /// Evaluations whose output was the same as before.
    var wasted = 0
    var time: UInt64 = 0
  }

  private var places = PathGroups()
  private var groups = NameGroups()
  /// By the numbers of the groups.
  private var sets = DenseMap<Int, Int>(default: 0)
  private var runs = DenseMap<Int, Runs>(default: Runs())

  /// Counts the row of a cursor.
  @inline(__always)
  mutating func add(_ cursor: inout RowCursor, _ tables: inout RunTables) {
    if let path = cursor.path {
      sets[places.group(of: path, tables)] += 1
    } else if cursor.row.kind == .evaluate, let name = cursor.name(&tables) {
      let group = groups.group(of: name, tables)
      runs[group].evaluations += 1
      runs[group].time.addClamped(cursor.row.duration)
      if cursor.row.changed == false { runs[group].wasted += 1 }
    }
  }

  /// Sets by the kind of place.
  var paths: [ExactString: Int] { Self.byName(places.names, sets) }
  /// Evaluations by the name of the projection.
  var projections: [ExactString: Runs] { Self.byName(groups.names, runs) }

  private static func byName<T>(_ names: [String], _ counts: DenseMap<Int, T>) -> [ExactString: T] {
    Dictionary(uniqueKeysWithValues: names.enumerated().map { (ExactString($1), counts[$0]) })
  }
}

extension RunDiff {
  /// The kinds of places that one run wrote more often, those that differ most first.
  package static func paths(_ a: DiffCounts, _ b: DiffCounts) -> [PathCount] {
    let (a, b) = (a.paths, b.paths)
    return Set(a.keys).union(b.keys).sorted()
      .map { PathCount(path: $0.string, a: a[$0] ?? 0, b: b[$0] ?? 0) }
      .filter { $0.a != $0.b }
      .sorted { abs($0.a - $0.b) > abs($1.a - $1.b) }
  }

  /// The projections that ran more often in one run, or for longer in the second than is allowed.
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
    guard self.a > 0, self.b > 0 else { return }
    let (before, after) = (Double(timeA) / Double(self.a), Double(timeB) / Double(self.b))
    // What adds up to less than a millisecond is noise.
    isSlower = after > before * (1 + slower) && (after - before) * Double(self.b) >= 1e6
    if change == .same, isSlower { change = .slower }
  }
}

extension RunDiff.Change {
  init(_ a: Int, _ b: Int) {
    self = a == b ? .same : a == 0 ? .new : b == 0 ? .gone : b > a ? .more : .less
  }
}
