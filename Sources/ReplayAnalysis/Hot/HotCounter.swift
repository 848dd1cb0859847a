import EventLog
import Invalidation

/// Counts by the numbers of groups, as a run is gone through.
struct HotCounter {
  private var projections: [HotReport.ProjectionLine] = []
  private var paths: [HotReport.PathLine] = []
  /// Beside these: when they happened, and whether an event is about them; a parent may only be named.
  private var runRates: [PeakCounter] = []
  private var setRates: [PeakCounter] = []
  private var isSeen: [Bool] = []
  private var groups = NameGroups()
  private var places = PathGroups()
  private var names: SelectedNames
  /// The names that events were about.
  private var seen = DenseMap<Int, Bool>(default: false)
  private var firstTime: UInt64?
  private var lastTime: UInt64 = 0

  init(_ selection: Selection) { names = SelectedNames(selection) }

  /// Refuses a selection that names nothing in the log.
  func check(_ log: LogSource) throws { try names.check(log) }

  /// Takes in the last row of a run.
  @inline(__always)
  mutating func add(_ run: inout Run) {
    if firstTime == nil { firstTime = run.row.time }
    lastTime = run.row.time
    if let path = run.path { addWrite(path, run) }
    if let name = run.name, names.passes(projection: name, run.tables) {
      let group = line(of: name, run.tables)
      addInstance(name, to: group)
      isSeen[group] = true
      if run.row.kind == .evaluate {
        projections[group].add(run.row.duration, run.row.changed)
        runRates[group].note(run.row.time)
      }
    }
    if !run.hits.isEmpty { addHits(&run) }
  }

  /// Takes in a row before those that count: it tells of a projection that may live on.
  @inline(__always)
  mutating func pass(_ run: inout Run) {
    guard let name = run.name, names.passes(projection: name, run.tables) else { return }
    addInstance(name, to: line(of: name, run.tables))
  }

  @inline(__always)
  private mutating func addWrite(_ path: Int, _ run: borrowing Run) {
    guard names.passes(path: path, run.tables) else { return }
    let group = places.group(of: path, run.tables)
    while group >= paths.count {
      paths.append(HotReport.PathLine(path: places.names[paths.count]))
      setRates.append(PeakCounter())
    }
    paths[group].sets += 1
    if run.row.isSameValue { paths[group].sameValue += 1 }
    setRates[group].note(run.row.time)
  }

  @inline(__always)
  private mutating func addInstance(_ name: Int, to group: Int) {
    if seen[name] { return }
    seen[name] = true
    projections[group].instances += 1
  }

  @inline(__always)
  private mutating func line(of name: Int, _ tables: borrowing RunTables) -> Int {
    let group = groups.group(of: name, tables)
    while group >= projections.count {
      projections.append(HotReport.ProjectionLine(name: groups.names[projections.count]))
      runRates.append(PeakCounter())
      isSeen.append(false)
    }
    return group
  }

  @inline(__always)
  private mutating func addHits(_ run: inout Run) {
    var direct = 0
    var others: [Int: Int] = [:]
    for hit in run.hits where names.passes(projection: hit.name, run.tables) {
      guard names.passes(causes: hit.causes, &run) else { continue }
      let group = line(of: hit.name, run.tables)
      projections[group].invalidations += 1
      isSeen[group] = true
      if hit.causes.only == run.row.seq { direct += 1 } else { addCauses(hit.causes.all, &run, to: &others) }
    }
    if direct > 0, let path = run.path { add(direct, to: places.group(of: path, run.tables)) }
    for (group, hits) in others { add(hits, to: group) }
  }

  /// An invalidation at the end of a transaction counts once for each kind of place that it came of.
  private mutating func addCauses(_ causes: [UInt64], _ run: inout Run, to hits: inout [Int: Int]) {
    var groups: Set<Int> = []
    for cause in causes {
      guard let path = run.writtenPath(of: cause), names.passes(path: path, run.tables) else { continue }
      let group = places.group(of: path, run.tables)
      if groups.insert(group).inserted { hits[group, default: 0] += 1 }
    }
  }

  private mutating func add(_ hits: Int, to group: Int) {
    // A write that lies before what is looked at has no line.
    guard group < paths.count, paths[group].sets > 0 else { return }
    paths[group].invalidations += hits
    paths[group].fanOutMax = max(paths[group].fanOutMax, hits)
  }

  /// The counts, those of the most work first.
  var report: HotReport {
    let duration = firstTime.map { lastTime >= $0 ? lastTime - $0 : 0 } ?? 0
    var names = projections
    for place in names.indices { names[place].finish(runRates[place], over: duration) }
    var places = paths
    for place in places.indices { places[place].finish(setRates[place], over: duration) }
    return HotReport(
      projections: names.indices.filter { isSeen[$0] }.map { names[$0] }.sorted {
        ($1.evaluations, $1.time, $0.name) < ($0.evaluations, $0.time, $1.name)
      },
      paths: places.filter { $0.sets > 0 }.sorted {
        ($1.invalidations, $1.sets, $0.path) < ($0.invalidations, $0.sets, $1.path)
      }, duration: duration)
  }
}

extension HotReport.ProjectionLine {
  @inline(__always)
  fileprivate mutating func add(_ duration: UInt64, _ changed: Bool?) {
    evaluations += 1
    time.addClamped(duration)
    if changed == false {
      wasted += 1
      wastedTime.addClamped(duration)
    }
  }

  fileprivate mutating func finish(_ counter: PeakCounter, over duration: UInt64) {
    rate = PeakCounter.rate(evaluations, over: duration)
    peak = counter.peak
  }
}

extension HotReport.PathLine {
  fileprivate mutating func finish(_ counter: PeakCounter, over duration: UInt64) {
    rate = PeakCounter.rate(sets, over: duration)
    peak = counter.peak
    fanOut = sets > sameValue ? PeakCounter.rounded(Double(invalidations) / Double(sets - sameValue)) : nil
  }
}
