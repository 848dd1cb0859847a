import EventLog

/// The report of a run that is still being recorded. One pass over the log collects it, and continues when
/// the log has grown.
///
/// The results so far are available at any time. They equal those of a ``RunReport`` with values, of a log
/// that ends there. Memory has the same bounds, however long the run.
package struct LiveReport: ~Copyable {
  private let log: LogSource
  private var run: LogRun
  private var cascades: CascadeFeed<ReportedCascades>
  private var lint: LintTally
  private var hot: HotCounter
  private var overview: RunOverview
  private var counter = LogCounter()
  /// Whether the pass has reached the end that the log had when it was last refreshed.
  private var isAtEnd = false
  private var base: OverviewBase?
  private let identity: FileIdentity?
  /// The path of the log, which changes when the file is renamed; see ``findNewName()``.
  package private(set) var path: String

  package init(_ log: LogSource) throws {
    self.log = log
    path = log.path
    identity = try? SystemFileSystem().identity(of: log.path)
    var selection = try Selection(in: log)
    let known = log.firstSeq..<max(log.firstSeq + 1, selection.seqs.upperBound)
    selection.seqs = log.firstSeq..<(.max)
    cascades = CascadeFeed(
      ReportedCascades(selection, by: .waste, keepsSights: true, seen: known))
    lint = LintTally(LintThresholds(), in: selection.seqs)
    hot = HotCounter(selection)
    overview = RunOverview(log)
    let needs = cascades.needs.union(lint.needs).union(hot.needs).union(overview.needs)
    run = LogRun(log, needs)
    cascades.begin(&run)
    lint.begin(&run)
  }

  package var reader: LogReader { log.reader }
  /// The last event that was processed; the seq before the first event if none was.
  package var lastSeq: UInt64 { log.firstSeq + overview.eventCount - 1 }
  /// The last event in the log, as of the last refresh.
  package var lastKnownSeq: UInt64 { log.lastSeq }
  package var lastTime: UInt64 { overview.lastTime }
  package var state: LogDamage.State { log.damage.state }

  /// Describes the damage that ends the log, though there may be more events after it; nil while the log is
  /// readable.
  package var problem: String? { log.damage.unreadSeq == nil ? nil : log.damage.text }

  /// Continues over what the log has by now, for at most `most` events; returns how many were processed.
  ///
  /// - Throws: `LogError` if the log cannot be read, and `AnalysisError` when an event does not fit those
  ///   before it.
  package mutating func advance(atMost most: Int) throws -> Int {
    if isAtEnd {
      guard try log.refresh() else { return 0 }
      isAtEnd = false
    }
    var count = 0
    while count < most {
      guard try run.next() else {
        isAtEnd = true
        break
      }
      counter.add(run.row)
      try cascades.observe(&run)
      lint.observe(&run)
      hot.observe(&run)
      overview.observe(&run)
      count += 1
    }
    return count
  }

  /// Whether another log has replaced this one under the same path, which then needs a new report. Cost:
  /// reading one block.
  package func isReplaced() -> Bool {
    if let identity, let now = try? SystemFileSystem().identity(of: path), now != identity { return true }
    guard let header = try? LogHeader(ofLogAt: path, limits: log.limits) else { return false }
    return header.salt != log.header.salt
  }

  /// Looks for a new name of the file in its folder if it has lost its name, as when a recorder gives a finished file
  /// its final one. Returns the new path if there is one. Cost: listing the folder if the file has lost its name.
  package mutating func findNewName() -> String? {
    let files = SystemFileSystem()
    guard let identity, (try? files.identity(of: path)) == nil else { return nil }
    let folder = LogPath(path).directory
    let paths = ((try? files.names(in: folder)) ?? []).lazy.map { folder == "." ? $0 : "\(folder)/\($0)" }
    guard let found = paths.first(where: { (try? files.identity(of: $0)) == identity }) else { return nil }
    path = found
    return found
  }
}

extension LiveReport {
  /// The chunks `report` and `overview` of a page, as in ``RunReport``.
  package struct Chunks: Sendable {
    package let report: [UInt8]
    package let overview: [UInt8]
  }

  /// Returns the results so far. The next ``tile()`` is relative to the overview returned here.
  ///
  /// Cost: that of the output, plus copies of the analyses, in which open cascades are counted as they are.
  package mutating func chunks() throws -> Chunks {
    var (feed, judge) = (cascades, lint)
    var fork = run.fork()
    try feed.finish(&fork)
    judge.finish(&fork)
    let lines = hot.report(run)
    let found = feed.sink.sighted(most: RunReport.cascadesMax, upTo: lastSeq)
    let names = ReportNames(hasNames: true)
    let judged = judge.report(LintRule.allCases, fork, most: RunReport.findingsMax, logName: nil)
    var main = RunReport.Main(
      log: log, .init(hasValues: true, budget: 0), overview, lint: judged.report, hot: lines,
      hotMax: RunReport.linesMax, cascades: found.report, sights: found.sights, names, info: summary(lines),
      lastSeq: lastSeq)
    main.hiddenFindings = judged.hidden
    main.hiddenCascades = found.hidden + found.report.forgotten
    // The page's commands run where the log is, so they need its whole path.
    main.log = path
    base = OverviewBase(overview, lines, lanesMax: overview.lanesMax, run)
    return Chunks(
      report: Array(try PrintedJSON(encoding: main).text.utf8),
      overview: try overview.file(lines, lanesMax: overview.lanesMax, run, names))
  }

  /// The part of the overview that changed since ``chunks()``, as columns; nil if all of it changed, because
  /// bins became wider.
  package func tile() throws -> [UInt8]? { try base?.tile(of: overview) }

  private func summary(_ lines: HotReport) -> LogSummary {
    // The totals are in the log if it was closed.
    if lastSeq == log.lastSeq, let totals = log.reader.totals() { return LogSummary(log, totals) }
    var totals = counter.totals
    totals.projections = lines.projections.reduce(0) { $0 + $1.instances }
    return LogSummary(log, totals)
  }
}

extension LogSource {
  /// The events in a range, one by one and with their values, as columns. Events that the log does not have
  /// are left out.
  package func columns(of seqs: Range<UInt64>) throws -> [UInt8] {
    let first = max(seqs.lowerBound, firstSeq)
    return try RowSlice(
      self, first..<max(first, seqs.upperBound), hasValues: true, ReportNames(hasNames: true)
    ).file
  }

  /// The states of the events in a range, as JSON, a ``StateSlice``; null if that takes more than `bytesMax`.
  /// Events that the log does not have are left out.
  package func states(of seqs: Range<UInt64>, bytesMax: Int) throws -> [UInt8] {
    let first = max(seqs.lowerBound, firstSeq)
    let end = min(seqs.upperBound, lastSeq + 1)
    var file = Array("null".utf8)
    try StateSlice.forEach(in: [first..<max(first, end)], of: self, bytesMax: bytesMax) {
      file = $0.file
      return true
    }
    return file
  }
}

/// What the page knows of an overview, and where that ended. New events lie in its last bins or after them,
/// unless the bins became wider.
private struct OverviewBase {
  private struct Lanes {
    let numbers: [Int]
    let shift: UInt64
    /// The first bin in which more may be counted: that of the last event, or the first after all that there are.
    let first: Int

    init(_ numbers: [Int], _ bins: LaneBins, at number: UInt64) {
      (self.numbers, shift) = (numbers, bins.shift)
      first = bins.index(of: number)
    }

    /// The bins that may have changed when the run has come to a number.
    func changed(_ bins: LaneBins, upTo number: UInt64) -> Range<Int> {
      first..<max(first, min(bins.index(of: number) + 1, bins.binCount))
    }
  }

  private struct Header: Encodable {
    struct Part: Encodable {
      /// The first bin of this part, and the index after the last.
      var from: Int
      var end: Int
    }

    var events: [String: Part]
    var time: [String: Part]
    /// The index of the first number in the column `times`.
    var timesFrom: Int

    enum CodingKeys: String, CodingKey {
      case events, time
      case timesFrom = "times_from"
    }
  }

  private let events: [Lanes]
  private let time: [Lanes]
  private let timeCount: Int
  private let timesWidth: UInt64

  init(_ overview: RunOverview, _ hot: HotReport, lanesMax: Int, _ run: borrowing LogRun) {
    let projections = overview.lanes(hot.projections.prefix(lanesMax).map(\.name), run.projectionGroups)
      .map(\.number)
    let paths = overview.lanes(hot.paths.prefix(lanesMax).map(\.path), run.pathGroups).map(\.number)
    let (event, moment) = Self.position(overview)
    events = [
      Lanes(projections, overview.byEvent.projections, at: event),
      Lanes(paths, overview.byEvent.paths, at: event), Lanes([0], overview.byEvent.writes, at: event),
      Lanes([0], overview.byEvent.marks, at: event), Lanes([0], overview.byEvent.actions, at: event),
    ]
    time = [
      Lanes(projections, overview.byTime.projections, at: moment),
      Lanes(paths, overview.byTime.paths, at: moment), Lanes([0], overview.byTime.writes, at: moment),
      Lanes([0], overview.byTime.marks, at: moment), Lanes([0], overview.byTime.actions, at: moment),
    ]
    timeCount = overview.times.count
    timesWidth = overview.timesWidth
  }

  /// The index of the last event, and the time from the first event to the last.
  private static func position(_ overview: RunOverview) -> (event: UInt64, moment: UInt64) {
    (max(1, overview.eventCount) - 1, overview.lastTime - min(overview.lastTime, overview.firstTime))
  }

  func tile(of overview: RunOverview) throws -> [UInt8]? {
    guard overview.timesWidth == timesWidth else { return nil }
    var columns = ReportColumns()
    var parts: [[String: Header.Part]] = []
    let (event, moment) = Self.position(overview)
    for (name, axis, lanes, number) in [
      ("events", overview.byEvent, events, event), ("time", overview.byTime, time, moment),
    ] {
      var found: [String: Header.Part] = [:]
      for (kind, bins, lanes) in [
        ("projections", axis.projections, lanes[0]), ("paths", axis.paths, lanes[1]),
        ("writes", axis.writes, lanes[2]), ("marks", axis.marks, lanes[3]),
        ("actions", axis.actions, lanes[4]),
      ] {
        guard bins.shift == lanes.shift else { return nil }
        let changed = lanes.changed(bins, upTo: number)
        found[kind] = Header.Part(from: changed.lowerBound, end: changed.upperBound)
        columns.add("\(name).\(kind)", bins, lanes.numbers, changed, hasTimes: kind == "projections")
      }
      parts.append(found)
    }
    let from = max(1, timeCount) - 1
    columns.add("times", Array(overview.times.dropFirst(from)), isGrowing: true)
    return try columns.file(Header(events: parts[0], time: parts[1], timesFrom: from))
  }
}
