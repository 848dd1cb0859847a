import EventLog

/// Where the work of a run goes: by projection and by path.
struct HotReport {
  struct ProjectionLine {
    var name: String
    var instances = 0
    var invalidations = 0
    var evaluations = 0
    /// Evaluations whose output was the same as before.
    var wasted = 0
    /// Time in evaluations, in nanoseconds.
    var time: UInt64 = 0
    /// Whether an event is about it; a parent may only be named.
    fileprivate var isSeen = false

    mutating func add(_ duration: UInt64, _ changed: Bool?) {
      evaluations += 1
      if changed == false { wasted += 1 }
      time &+= duration
    }
  }

  struct PathLine {
    var path: String
    var sets = 0
    var sameValue = 0
    /// Invalidations that a write here led to.
    var invalidations = 0
  }

  let projections: [ProjectionLine]
  let paths: [PathLine]

  init(_ log: LogSource, progress: Progress = .hidden) throws {
    var counter = HotCounter()
    var run = Run(log, progress: progress)
    while try run.next() { counter.add(&run) }
    projections = counter.projections.filter(\.isSeen).sorted {
      ($1.evaluations, $1.time, $0.name) < ($0.evaluations, $0.time, $1.name)
    }
    paths = counter.paths.filter { $0.sets > 0 }.sorted {
      ($1.invalidations, $1.sets, $0.path) < ($0.invalidations, $0.sets, $1.path)
    }
  }

  var json: JSON {
    [
      "projections": .array(
        projections.map { line in
          [
            "name": .text(line.name), "instances": .int(line.instances),
            "invalidations": .int(line.invalidations), "evaluations": .int(line.evaluations),
            "wasted": .int(line.wasted), "time_ns": .number(line.time),
          ]
        }),
      "paths": .array(
        paths.map { line in
          [
            "path": .text(line.path), "sets": .int(line.sets), "same_value": .int(line.sameValue),
            "invalidations": .int(line.invalidations),
          ]
        }),
    ]
  }
}

/// Counts by the numbers of groups, as a run is gone through.
private struct HotCounter {
  private(set) var projections: [HotReport.ProjectionLine] = []
  private(set) var paths: [HotReport.PathLine] = []
  private var names = NameGroups()
  private var places = PathGroups()
  /// The names that events were about.
  private var seen: [Int32] = []

  @inline(__always)
  mutating func add(_ run: inout Run) {
    if let path = run.path { addWrite(path, isSameValue: run.row.isSameValue, run.tables) }
    if let name = run.name {
      let group = line(of: name, run.tables)
      if name >= seen.count || seen[name] < 0 { addInstance(name, to: group) }
      if run.row.kind == .evaluate { projections[group].add(run.row.duration, run.row.changed) }
    }
    for hit in run.hits {
      let group = line(of: hit.name, run.tables)
      projections[group].invalidations += 1
      projections[group].isSeen = true
    }
    if !run.hits.isEmpty { addCauses(&run) }
  }

  @inline(__always)
  private mutating func addWrite(_ path: Int, isSameValue: Bool, _ tables: borrowing RunTables) {
    let group = places.group(of: path, tables)
    while group >= paths.count { paths.append(HotReport.PathLine(path: places.names[paths.count])) }
    paths[group].sets += 1
    if isSameValue { paths[group].sameValue += 1 }
  }

  private mutating func addInstance(_ name: Int, to group: Int) {
    seen.reserve(name)
    seen[name] = 1
    projections[group].instances += 1
    projections[group].isSeen = true
  }

  @inline(__always)
  private mutating func line(of name: Int, _ tables: borrowing RunTables) -> Int {
    let group = names.group(of: name, tables)
    while group >= projections.count {
      projections.append(HotReport.ProjectionLine(name: names.names[projections.count]))
    }
    return group
  }

  @inline(__always)
  private mutating func addCauses(_ run: inout Run) {
    for hit in run.hits {
      if hit.causes.only == run.row.seq, let path = run.path {
        paths[places.group(of: path, run.tables)].invalidations += 1
      } else {
        addCauses(hit.causes.all, &run)
      }
    }
  }

  private mutating func addCauses(_ causes: [UInt64], _ run: inout Run) {
    var groups: Set<Int> = []
    for cause in causes {
      if let path = run.writtenPath(of: cause) { groups.insert(places.group(of: path, run.tables)) }
    }
    for group in groups where group < paths.count && paths[group].sets > 0 { paths[group].invalidations += 1 }
  }
}
