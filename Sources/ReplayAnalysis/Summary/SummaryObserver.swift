import EventLog

/// Counts everything in a summary in one pass: besides what `lint` and `cascades` count, the runs of each
/// kind.
struct SummaryObserver: RowObserver {
  private var tally = LintTally(LintThresholds(), in: 0..<UInt64.max)
  private var feed = CascadeFeed(SummaryCascades())
  private var runs = DenseMap<GroupID<ProjectionID>, SessionSummary.ProjectionLine>(
    default: .init(kind: ""))
  private var tracker = SpanTracker(.action) { label in
    label.withoutNumbers.clipped(to: SessionSummary.kindBytesMax)
  }
  private var actions = SpanTotals(.action)
  private var events = 0
  private var writes = 0
  private var firstTime: UInt64?
  private var lastTime: UInt64 = 0

  var needs: RunNeeds { tally.needs.union(feed.needs) }

  mutating func begin(_ run: inout LogRun) throws {
    tally.begin(&run)
    feed.begin(&run)
    tracker.begin(&run)
    if run.log.firstSeq == 1 { firstTime = 0 }
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) throws {
    events += 1
    if firstTime == nil { firstTime = run.row.time }
    lastTime = max(lastTime, run.row.time)
    if run.row.kind.isWrite { writes += 1 }
    if run.row.kind == .evaluate, let projection = run.projection {
      runs[run.group(of: projection)].add(run.row)
    }
    tally.observe(&run)
    try feed.observe(&run)
    tracker.observe(&run)
    if tracker.hasOver { addActions() }
  }

  mutating func finish(_ run: inout LogRun) throws {
    tally.finish(&run)
    try feed.finish(&run)
    tracker.finish()
    addActions()
  }

  private mutating func addActions() {
    for span in tracker.removeOver() { actions.add(span) }
  }

  /// The summary, once the run is over.
  func summary(_ run: borrowing LogRun) -> SessionSummary {
    var summary = SessionSummary(identity: SessionIdentity(run.log.header), state: run.log.damage.state)
    summary.unreadSeq = run.log.damage.unreadSeq
    summary.duration = firstTime.map { lastTime - $0 } ?? 0
    summary.events = events
    summary.writes = writes
    addProjections(to: &summary, run)
    addPaths(to: &summary, run)
    summary.cascades = feed.sink.lines
    summary.maxCascadeTime = feed.sink.longest
    let report = actions.report(by: .time)
    summary.actions = report.lines
    summary.leftOut += report.forgotten
    var judge = LintJudge(tally, run)
    summary.findings = judge.findings(LintRule.allCases, judge.unchangedReads())
    return summary
  }

  private func addProjections(to summary: inout SessionSummary, _ run: borrowing LogRun) {
    for (index, line) in runs.values.enumerated() where line.evaluations > 0 {
      var line = line
      line.kind = run.text(GroupID<ProjectionID>(index)).clipped(to: SessionSummary.kindBytesMax)
      summary.add(line)
      summary.projections.append(line)
    }
    summary.projections.sort {
      $0.time != $1.time ? $0.time > $1.time : ExactString($0.kind) < ExactString($1.kind)
    }
    summary.leaveOut(\.projections)
  }

  private func addPaths(to summary: inout SessionSummary, _ run: borrowing LogRun) {
    var lines = DenseMap<GroupID<PathID>, SessionSummary.PathLine?>(default: nil)
    func line(_ group: GroupID<PathID>, _ run: borrowing LogRun) -> SessionSummary.PathLine {
      lines[group]
        ?? SessionSummary.PathLine(kind: run.text(group).clipped(to: SessionSummary.kindBytesMax))
    }
    for group in tally.written.groups {
      var line = line(group, run)
      line.writes = tally.written[group].sets
      line.sameValue = tally.written[group].sameValue
      lines[group] = line
    }
    for pair in tally.pairs.pairs {
      var line = line(pair.path, run)
      line.invalidations += pair.wakes
      line.evaluations += pair.own.evaluations + pair.dragged.evaluations
      line.wasted += pair.own.equalOutputs + pair.dragged.equalOutputs
      line.wastedTime += pair.own.equalOutputTime
      line.wastedTime += pair.dragged.equalOutputTime
      lines[pair.path] = line
    }
    summary.paths = lines.values.compactMap(\.self).sorted {
      ($1.wastedTime, $1.invalidations, $1.writes, ExactString($0.kind))
        < ($0.wastedTime, $0.invalidations, $0.writes, ExactString($1.kind))
    }
    summary.leaveOut(\.paths)
  }
}

extension SessionSummary {
  /// Removes the last lines beyond ``kindsMax``.
  fileprivate mutating func leaveOut<Line>(_ lines: WritableKeyPath<SessionSummary, [Line]>) {
    let extra = self[keyPath: lines].count - Self.kindsMax
    if extra <= 0 { return }
    self[keyPath: lines].removeLast(extra)
    leftOut += extra
  }
}

extension SessionSummary.ProjectionLine {
  @inline(__always)
  fileprivate mutating func add(_ row: borrowing EventLog.Row) {
    if evaluations == 0 || row.duration > durations.longest { exemplar = row.seq }
    countRun(row.duration, row.changed)
    durations.add(row.duration)
  }
}
