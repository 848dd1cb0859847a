import EventLog

/// The data to draw a whole run: the amount of work over time, by projection and by path.
struct RunOverview: RowObserver {
  /// A mark that the app set.
  struct Mark: Encodable {
    var seq: UInt64
    var time: UInt64
    var label: String

    enum CodingKeys: String, CodingKey {
      case seq
      case time = "time_ns"
      case label
    }
  }

  /// An action of the app, with all that it led to.
  struct Action: Encodable {
    var seq: UInt64
    var time: UInt64
    /// Its last event, and when that was.
    var last: UInt64
    var lastTime: UInt64
    var label: String
    /// `returned`, `threw` or `cancelled`; nil if it had not ended.
    var outcome: String?
    /// What it led to.
    var writes: Int
    var evaluations: Int
    var wasted: Int
    /// The time in its evaluations, in nanoseconds.
    var work: UInt64

    init(_ span: Span) {
      (seq, time, last, lastTime) = (span.seq, span.began, span.last, span.lastTime)
      label = span.label.cutForReport(200)
      outcome = span.outcome?.rawValue
      (writes, evaluations) = (span.work.writes, span.work.evaluations)
      (wasted, work) = (span.work.wasted, span.work.time)
    }

    enum CodingKeys: String, CodingKey {
      case seq
      case time = "time_ns"
      case last = "last_seq"
      case lastTime = "last_time_ns"
      case label, outcome, writes, evaluations, wasted
      case work = "work_ns"
    }
  }

  /// A place in the source, with the first event that was made there.
  struct Place: Encodable {
    var site: String
    var seq: UInt64
  }

  /// The counts along one axis: events or time.
  struct Axis {
    var projections = LaneBins()
    var paths = LaneBins()
    /// The writes to all paths together, in one lane.
    var writes = LaneBins()
    /// The marks, and the beginnings of the actions, in one lane each.
    var marks = LaneBins()
    var actions = LaneBins()

    init(span: UInt64 = 0) {
      projections = LaneBins(span: span)
      (paths, writes, marks, actions) = (projections, projections, projections, projections)
    }
  }

  let needs: RunNeeds = [.lookback, .names]
  let firstSeq: UInt64
  private(set) var byEvent: Axis
  private(set) var byTime = Axis()
  private(set) var marks: [Mark] = []
  private(set) var markCount = 0
  private(set) var actionCount = 0
  private var tracker = SpanTracker(.action)
  private var pastActions: [Action] = []
  private(set) var reads = ViewReads()
  private(set) var places: [Place] = []
  private var knownPlaces: Set<ExactString> = []
  /// The sites of the current block that are known, by their numbers in it.
  private var placesOfBlock: Set<StringID> = []
  private var block: UInt64 = 0
  /// The times of the first event and of every `timesWidth`-th after it.
  private(set) var times: [UInt64] = []
  private(set) var timesWidth: UInt64
  private(set) var firstTime: UInt64 = 0
  private(set) var lastTime: UInt64 = 0
  private(set) var eventCount: UInt64 = 0
  private(set) var runs = RunSums()
  private(set) var writes = 0

  /// More marks and actions than anyone reads one by one: the newest. All are counted in bins.
  static let marksMax = 2_000
  static let actionsMax = 1 << 13
  /// More places than a source has from which events are made.
  private static let placesMax = 1 << 13

  init(_ log: LogSource) {
    firstSeq = log.firstSeq
    let count = UInt64(log.eventCount)
    byEvent = Axis(span: count)
    timesWidth = count / UInt64(LaneBins.binsMost) + 1
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    tracker.observe(&run)
    if tracker.hasOver { addActions() }
    let now = run.row.time
    if eventCount == 0 { firstTime = now }
    let number = eventCount
    if number % timesWidth == 0 { addTime(now) }
    eventCount += 1
    lastTime = max(lastTime, now)
    let moment = now - min(now, firstTime)
    if let path = run.path {
      let lane = run.group(of: path).denseIndex
      let isWasted = run.row.isSameValue
      writes += 1
      byEvent.paths.add(lane, at: number, isWasted: isWasted)
      byTime.paths.add(lane, at: moment, isWasted: isWasted)
      byEvent.writes.add(0, at: number, isWasted: isWasted)
      byTime.writes.add(0, at: moment, isWasted: isWasted)
    } else if run.row.kind == .evaluate, let projection = run.projection {
      let lane = run.group(of: projection).denseIndex
      let isWasted = run.row.changed == false
      let duration = run.row.duration
      runs.countRun(duration, run.row.changed)
      byEvent.projections.add(lane, at: number, time: duration, isWasted: isWasted)
      byTime.projections.add(lane, at: moment, time: duration, isWasted: isWasted)
    } else if run.row.kind == .reads {
      reads.add(&run)
    } else if run.row.kind == .mark {
      byEvent.marks.add(0, at: number)
      byTime.marks.add(0, at: moment)
      addMark(run)
    } else if run.row.kind == .action {
      actionCount += 1
      byEvent.actions.add(0, at: number)
      byTime.actions.add(0, at: moment)
    }
    if run.row.site != nil { addPlace(run) }
  }

  /// Adds a time. If the run is longer than was known, keeps every second time and doubles the width.
  @inline(never)
  private mutating func addTime(_ now: UInt64) {
    times.append(now)
    guard times.count > 2 * LaneBins.binsMost else { return }
    times = stride(from: 0, to: times.count, by: 2).map { times[$0] }
    timesWidth *= 2
  }

  @inline(never)
  private mutating func addActions() {
    pastActions += tracker.removeOver().lazy.filter { !$0.isContinued }.map { Action($0) }
    if pastActions.count > 2 * Self.actionsMax {
      pastActions.sort { $0.seq < $1.seq }
      pastActions.removeFirst(pastActions.count - Self.actionsMax)
    }
  }

  /// The newest actions so far, in order.
  func actions(most: Int, _ names: ReportNames) -> [Action] {
    let unfinished = tracker.unfinished.lazy.filter { !$0.isContinued }.map { Action($0) }
    return (pastActions + unfinished).sorted { $0.seq < $1.seq }.suffix(most).map { action in
      var action = action
      action.label = names.label(action.label)
      return action
    }
  }

  @inline(never)
  private mutating func addPlace(_ run: borrowing LogRun) {
    // Most sites of a block occur in it many times.
    if run.blockSeq != block {
      block = run.blockSeq
      placesOfBlock.removeAll(keepingCapacity: true)
    }
    guard let id = run.row.site, placesOfBlock.insert(id).inserted, places.count < Self.placesMax,
      let site = run.site, knownPlaces.insert(ExactString(site)).inserted
    else { return }
    places.append(Place(site: site, seq: run.row.seq))
  }

  @inline(never)
  private mutating func addMark(_ run: borrowing LogRun) {
    markCount += 1
    if marks.count >= 2 * Self.marksMax { marks.removeFirst(Self.marksMax) }
    marks.append(Mark(seq: run.row.seq, time: run.row.time, label: (run.label ?? "").cutForReport(200)))
  }
}

extension RunOverview {
  mutating func replaceNames(_ names: ReportNames) {
    for index in marks.indices { marks[index].label = names.label(marks[index].label) }
  }

  /// The most lanes of each kind in the file: many with few bins, or few with many.
  var lanesMax: Int { min(1 << 13, max(1 << 8, (3 << 20) / max(1, byEvent.projections.binCount))) }

  /// The fields beside the columns in the file of an overview.
  private struct Header: Encodable {
    struct Axis: Encodable {
      /// Where the first bin begins: an event, or a time.
      var origin: UInt64
      /// The width of a bin, in events or nanoseconds.
      var width: UInt64
      var bins: Int
    }

    var projections: [String]
    var paths: [String]
    /// The number of lanes left out.
    var hiddenProjections: Int
    var hiddenPaths: Int
    /// By kind of lane; `writes` is one lane for all paths, `marks` and `actions` are too. The columns are named `events.projections.count`
    /// and so on.
    var events: [String: Axis]
    var time: [String: Axis]
    /// The column `times` has the time of every `timesEvery`-th event.
    var timesEvery: UInt64

    enum CodingKeys: String, CodingKey {
      case projections, paths
      case hiddenProjections = "hidden_projections"
      case hiddenPaths = "hidden_paths"
      case events, time
      case timesEvery = "times_every"
    }
  }

  /// Returns the overview as columns, the lanes with the most work first.
  ///
  /// - Parameters:
  ///   - hot: Defines the order of the lanes.
  ///   - lanesMax: The most lanes of each kind.
  func file(_ hot: HotReport, lanesMax: Int, _ run: borrowing LogRun, _ names: ReportNames) throws -> [UInt8]
  {
    let projections = lanes(hot.projections.prefix(lanesMax).map(\.name), run.projectionGroups)
    let paths = lanes(hot.paths.prefix(lanesMax).map(\.path), run.pathGroups)
    var columns = ReportColumns()
    var axes: [[String: Header.Axis]] = []
    for (name, axis, origin) in [("events", byEvent, firstSeq), ("time", byTime, firstTime)] {
      var found: [String: Header.Axis] = [:]
      for (kind, bins, lanes) in [
        ("projections", axis.projections, projections.map(\.number)),
        ("paths", axis.paths, paths.map(\.number)), ("writes", axis.writes, [0]),
        ("marks", axis.marks, [0]), ("actions", axis.actions, [0]),
      ] {
        found[kind] = Header.Axis(origin: origin, width: 1 << bins.shift, bins: bins.binCount)
        columns.add("\(name).\(kind)", bins, lanes, 0..<bins.binCount, hasTimes: kind == "projections")
      }
      axes.append(found)
    }
    columns.add("times", times, isGrowing: true)
    return try columns.file(
      Header(
        projections: projections.map { names.projection($0.name) },
        paths: paths.map { names.pathGroup($0.name) },
        hiddenProjections: hot.projections.count - projections.count,
        hiddenPaths: hot.paths.count - paths.count, events: axes[0], time: axes[1], timesEvery: timesWidth))
  }

  /// The lanes of the groups with these names.
  func lanes(_ names: [String], _ groups: [String]) -> [(name: String, number: Int)] {
    let wanted = Set(names: names)
    var numbers: [ExactString: Int] = [:]
    for (number, name) in groups.enumerated() where wanted.contains(ExactString(name)) {
      numbers[ExactString(name)] = number
    }
    return names.compactMap { name in numbers[ExactString(name)].map { (name, $0) } }
  }
}
