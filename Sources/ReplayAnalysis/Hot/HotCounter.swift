import EventLog
import Invalidation

/// Counts the events of a run by group of projections and group of paths.
struct HotCounter: RowObserver {
  private struct ProjectionCounts {
    /// The counts; the report fills in the name.
    var line = HotReport.ProjectionLine(name: "")
    var rate = PeakCounter()
    /// Whether a counted event is about one of the instances. A parent may only have been named.
    var isSeen = false
  }

  private struct PathCounts {
    /// The counts; the report fills in the path.
    var line = HotReport.PathLine(path: "")
    var rate = PeakCounter()
  }

  let needs: RunNeeds = [.hits, .lookback]
  private let seqs: Range<UInt64>
  // Groups that are not selected have ids too, and so entries that stay empty.
  private var projections = DenseMap<GroupID<ProjectionID>, ProjectionCounts>(default: ProjectionCounts())
  private var paths = DenseMap<GroupID<PathID>, PathCounts>(default: PathCounts())
  private var names: SelectedNames
  private var actions: SelectedActions?
  private let selectsActions: Bool
  private let line: EventsOfLine?
  /// The projections that are counted as instances already.
  private var seen = ProjectionMap<Bool>(default: false)
  private var firstTime: UInt64?
  private var lastTime: UInt64 = 0

  /// - Parameter line: The events that are counted alone, without what they led to; nil for all.
  init(_ selection: Selection, of line: EventsOfLine? = nil) {
    self.line = line
    names = SelectedNames(selection)
    actions = SelectedActions(selection)
    selectsActions = actions != nil
    seqs = selection.seqs
  }

  var end: UInt64 { seqs.upperBound }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    if selectsActions, !isOfAction(&run) { return pass(&run) }
    if run.row.seq >= seqs.lowerBound { add(&run) } else { pass(&run) }
  }

  @inline(never)
  private mutating func isOfAction(_ run: inout LogRun) -> Bool { actions?.observe(&run) ?? true }

  /// - Throws: `AnalysisError` when the selection names nothing that is in the log.
  mutating func finish(_ run: inout LogRun) throws {
    try names.check(run.log)
    try actions?.check(run.log)
  }

  /// Counts a row within the selected range.
  @inline(__always)
  private mutating func add(_ run: inout LogRun) {
    if firstTime == nil { firstTime = run.row.time }
    lastTime = run.row.time
    if let line {
      guard line.contains(run.row.seq) else { return pass(&run) }
    }
    if let path = run.path { addWrite(path, &run) }
    if let projection = run.projection, names.passes(projection: projection, run.tables) {
      let group = run.group(of: projection)
      addInstance(projection, to: group)
      projections[group].isSeen = true
      if run.row.kind == .evaluate {
        projections[group].line.countRun(run.row.duration, run.row.changed)
        projections[group].rate.count(run.row.time)
      }
    }
    if !run.hits.isEmpty, line == nil { addHits(&run) }
  }

  /// Adds a projection that is named before the selected range, since it may live on into it.
  @inline(__always)
  private mutating func pass(_ run: inout LogRun) {
    guard let projection = run.projection, names.passes(projection: projection, run.tables) else { return }
    addInstance(projection, to: run.group(of: projection))
  }

  @inline(__always)
  private mutating func addWrite(_ path: PathID, _ run: inout LogRun) {
    guard names.passes(path: path, run.tables) else { return }
    let group = run.group(of: path)
    paths[group].line.sets += 1
    if run.row.isSameValue { paths[group].line.sameValue += 1 }
    paths[group].rate.count(run.row.time)
  }

  @inline(__always)
  private mutating func addInstance(_ projection: ProjectionID, to group: GroupID<ProjectionID>) {
    if seen[projection] { return }
    seen[projection] = true
    projections[group].line.instances += 1
  }

  @inline(__always)
  private mutating func addHits(_ run: inout LogRun) {
    var direct = 0
    var others: [GroupID<PathID>: Int] = [:]
    for hit in run.hits where names.passes(projection: hit.projection, run.tables) {
      guard names.passes(causes: hit.causes, &run) else { continue }
      let group = run.group(of: hit.projection)
      projections[group].line.invalidations += 1
      projections[group].isSeen = true
      if hit.causes.only == run.row.seq { direct += 1 } else { addCauses(hit.causes.all, &run, to: &others) }
    }
    if direct > 0, let path = run.path { paths[run.group(of: path)].line.add(hits: direct) }
    for (group, hits) in others { paths[group].line.add(hits: hits) }
  }

  /// An invalidation at the end of a transaction counts once for each group of paths that caused it.
  private mutating func addCauses(
    _ causes: [UInt64], _ run: inout LogRun, to hits: inout [GroupID<PathID>: Int]
  ) {
    var groups: Set<GroupID<PathID>> = []
    for cause in causes {
      guard let path = run.writtenPath(of: cause), names.passes(path: path, run.tables) else { continue }
      let group = run.group(of: path)
      if groups.insert(group).inserted { hits[group, default: 0] += 1 }
    }
  }

  /// The report, with the groups of the most work first.
  func report(_ run: borrowing LogRun) -> HotReport {
    let duration = firstTime.map { lastTime - $0 } ?? 0
    var report = HotReport(projections: [], paths: [], duration: duration)
    for (index, counts) in projections.values.enumerated() where counts.isSeen {
      var line = counts.line
      line.name = run.text(GroupID<ProjectionID>(index))
      line.rate = PeakCounter.rate(line.evaluations, over: duration)
      line.peak = counts.rate.peak
      report.projections.append(line)
    }
    for (index, counts) in paths.values.enumerated() where counts.line.sets > 0 {
      var line = counts.line
      line.path = run.text(GroupID<PathID>(index))
      line.rate = PeakCounter.rate(line.sets, over: duration)
      line.peak = counts.rate.peak
      line.fanOut = line.meanFanOut
      report.paths.append(line)
    }
    report.projections.sort { ($1.evaluations, $1.time, $0.name) < ($0.evaluations, $0.time, $1.name) }
    report.paths.sort { ($1.invalidations, $1.sets, $0.path) < ($0.invalidations, $0.sets, $1.path) }
    return report
  }
}

extension HotReport.PathLine {
  /// Counts the invalidations of one event. If the write lies before the selected range, its group has no
  /// line yet.
  @inline(__always)
  fileprivate mutating func add(hits: Int) {
    if sets == 0 { return }
    invalidations += hits
    fanOutMax = max(fanOutMax, hits)
  }

  /// The mean number of invalidations of a set that changed something.
  fileprivate var meanFanOut: Double? {
    sets > sameValue ? PeakCounter.rounded(Double(invalidations) / Double(sets - sameValue)) : nil
  }
}

/// Counts events in each second of a run, and keeps the largest count.
private struct PeakCounter {
  private var second: UInt64 = 0
  private var count = 0
  private var most = 0

  /// Counts an event, given its time in nanoseconds. If times go back, the event counts in the present
  /// second.
  @inline(__always)
  mutating func count(_ time: UInt64) {
    if time >= second {
      let began = time - time % 1_000_000_000
      most = max(most, count)
      count = 0
      second = began + 1_000_000_000
    }
    count += 1
  }

  /// The largest count in one second.
  var peak: Int { max(most, count) }

  /// Events per second, to three decimals; nil over less than a tenth of a second, which is too short for a
  /// rate.
  static func rate(_ count: Int, over nanoseconds: UInt64) -> Double? {
    nanoseconds < 100_000_000 ? nil : rounded(Double(count) * 1e9 / Double(nanoseconds))
  }

  /// Rounded to three decimals.
  static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}
