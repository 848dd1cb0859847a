import EventLog

/// What the stretches of a run led to, by their labels: its actions, transactions, or marks.
package struct SpanReport: Codable, Sendable {
  /// All stretches with one label together. What an action led to counts for those around it too, and once for each label: the
  /// sums have it once where actions within each other have the same one.
  package struct Line: Codable, Sendable, RunCounts {
    package var label: String
    package var count = 0
    /// How the actions ended; the rest had not by the end of the run.
    package var returned = 0
    package var threw = 0
    package var cancelled = 0
    package var writes = 0
    package var evaluations = 0
    /// Evaluations whose output was the same as before.
    package var wasted = 0
    /// The time in evaluations, and in the wasted ones, in nanoseconds.
    package var time: UInt64 = 0
    package var wastedTime: UInt64 = 0
    /// How often they put a projection out of date that ran only after a later action had done so too, and for that.
    package var superseded = 0
    /// The time in the evaluations of one stretch, and the time from its beginning to the end of the last run that it led to.
    package var work = Spread()
    package var settled = Spread()
    /// The most evaluations of one stretch, and that stretch.
    package var most = 0
    package var mostSeq: UInt64 = 0
    /// The first and the last stretch.
    package var first: UInt64 = 0
    package var last: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case label, count, returned, threw, cancelled, writes, evaluations, wasted, superseded, work, settled
      case time = "time_ns"
      case wastedTime = "wasted_time_ns"
      case most = "most_evaluations"
      case mostSeq = "most_evaluations_seq"
      case first = "first_seq"
      case last = "last_seq"
    }
  }

  /// How durations are spread, in nanoseconds. The quantiles are to within 0.8 %.
  package struct Spread: Codable, Sendable {
    package var p50: UInt64 = 0
    package var p95: UInt64 = 0
    package var longest: UInt64 = 0
    /// The stretch with the longest; the first of equals.
    package var longestSeq: UInt64 = 0

    enum CodingKeys: String, CodingKey {
      case p50 = "p50_ns"
      case p95 = "p95_ns"
      case longest = "longest_ns"
      case longestSeq = "longest_seq"
    }
  }

  package var kind: SpanKind
  package var lines: [Line]
  /// The number of labels that were left out because there were too many.
  package var forgotten = 0
}

extension SpanReport {
  /// - Throws: `AnalysisError` when the selection names nothing that is in the log.
  package init(
    _ kind: SpanKind, _ log: LogSource, _ selection: Selection, by order: HotReport.Order = .evaluations,
    progress: AnalysisProgress = .hidden
  ) throws {
    var counter = SpanCounter(kind, selection)
    _ = try log.play(to: &counter, progress: progress)
    self = counter.totals.report(by: order)
  }
}

/// Counts the stretches of a run that begin in a selection: of these the selected writes and runs.
struct SpanCounter: RowObserver {
  let needs: RunNeeds = .lookback
  private var tracker: SpanTracker
  private var names: SelectedNames
  private var actions: SelectedActions?
  private(set) var totals: SpanTotals

  init(_ kind: SpanKind, _ selection: Selection) {
    tracker = SpanTracker(kind, beginningIn: selection.seqs)
    names = SelectedNames(selection)
    actions = SelectedActions(selection)
    totals = SpanTotals(kind)
  }

  mutating func begin(_ run: inout LogRun) throws { tracker.begin(&run) }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    let write = run.path.map { names.passes(path: $0, run.tables) } ?? false
    let runs = run.projection.map { names.passes(projection: $0, run.tables) } ?? false
    let isMeant = actions?.observe(&run) ?? true
    tracker.observe(&run, counting: (write && isMeant, runs && isMeant))
    if tracker.hasOver { count() }
  }

  mutating func finish(_ run: inout LogRun) throws {
    tracker.finish()
    count()
    try names.check(run.log)
    try actions?.check(run.log)
  }

  private mutating func count() {
    for span in tracker.removeOver() {
      // Of other actions nothing was counted.
      if actions != nil, span.work.writes == 0, span.work.evaluations == 0 { continue }
      totals.add(span)
    }
  }
}

/// Adds up stretches by their labels.
struct SpanTotals {
  fileprivate struct Entry {
    var line: SpanReport.Line
    var work = DurationHistogram()
    var settled = DurationHistogram()
  }

  let kind: SpanKind
  private var entries: [ExactString: Entry] = [:]
  private var forgotten: Set<ExactString> = []

  /// More labels than an app has.
  private static let labelsMax = 4_096

  init(_ kind: SpanKind) { self.kind = kind }

  mutating func add(_ span: Span) {
    let label = ExactString(span.label)
    if entries[label] == nil, entries.count >= Self.labelsMax {
      if forgotten.count < Self.labelsMax { forgotten.insert(label) }
      return
    }
    entries[label, default: Entry(line: SpanReport.Line(label: span.label))].add(span)
  }

  /// The lines, those with the most work first.
  func report(by order: HotReport.Order = .evaluations) -> SpanReport {
    let lines = entries.values.map(\.finished).sorted { a, b in
      order.precedes(a, b)
        ?? ((b.evaluations, b.time, b.writes, ExactString(a.label))
          < (a.evaluations, a.time, a.writes, ExactString(b.label)))
    }
    return SpanReport(kind: kind, lines: lines, forgotten: forgotten.count)
  }
}

extension SpanTotals.Entry {
  fileprivate mutating func add(_ span: Span) {
    if !span.isContinued {
      line.count += 1
      line.first = line.first == 0 ? span.seq : min(line.first, span.seq)
      line.last = max(line.last, span.seq)
      work.add(span.work.time)
      if let settled = span.settled { self.settled.add(settled) }
    }
    switch span.outcome {
    case .returned: line.returned += 1
    case .threw: line.threw += 1
    case .cancelled: line.cancelled += 1
    case nil: break
    }
    line.writes += span.ownWork.writes
    line.add(span.ownWork)
    line.superseded += span.ownWork.superseded
    line.work.raise(to: span.work.time, at: span.seq)
    if let settled = span.settled { line.settled.raise(to: settled, at: span.seq) }
    if span.work.evaluations > line.most || line.mostSeq == 0 {
      (line.most, line.mostSeq) = (span.work.evaluations, span.seq)
    }
  }

  /// The line with its quantiles.
  fileprivate var finished: SpanReport.Line {
    var line = line
    (line.work.p50, line.work.p95) = (work.quantile(percent: 50), work.quantile(percent: 95))
    (line.settled.p50, line.settled.p95) = (settled.quantile(percent: 50), settled.quantile(percent: 95))
    // One duration is known exactly.
    if work.count == 1 { (line.work.p50, line.work.p95) = (line.work.longest, line.work.longest) }
    if settled.count == 1 {
      (line.settled.p50, line.settled.p95) = (line.settled.longest, line.settled.longest)
    }
    return line
  }
}

extension SpanReport.Spread {
  fileprivate mutating func raise(to duration: UInt64, at seq: UInt64) {
    guard longestSeq == 0 || duration > longest || duration == longest && seq < longestSeq else { return }
    (longest, longestSeq) = (duration, seq)
  }
}
