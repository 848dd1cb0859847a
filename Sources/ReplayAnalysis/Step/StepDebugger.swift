import EventLog

/// A position in a run that can be moved forwards and backwards, and what is known there. It prints nothing.
package final class StepDebugger {
  package struct Stop {
    package var number: Int
    package var condition: StopCondition
  }

  /// Where to move the position.
  package enum Target {
    case moment(Moment)
    case start, end
  }

  package let log: LogSource
  private let windows: StepWindows
  private let progress: AnalysisProgress
  private let isInterrupted: () -> Bool
  /// The event after which the position is; the one before the first event at the beginning.
  package private(set) var seq: UInt64
  package private(set) var stops: [Stop] = []
  private var stopCount = 0
  private var lastSearch: StopCondition?
  /// The projections that the search which led to the current event looked for, and the event's seq.
  private var stoppedFor: (seq: UInt64, projections: [ProjectionPattern])?
  private var known: (seq: UInt64, state: State)?

  /// - Parameter isInterrupted: Called now and then during a search; a search stops if it returns true.
  package init(
    _ log: LogSource, progress: AnalysisProgress = .hidden, isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.log = log
    windows = StepWindows(log)
    self.progress = progress
    self.isInterrupted = isInterrupted
    seq = log.firstSeq - 1
  }

  var firstSeq: UInt64 { log.firstSeq }
  package var lastSeq: UInt64 { log.lastSeq }

  /// The state after the current event.
  package func state() throws -> State {
    if let known, known.seq == seq { return known.state }
    let state = try log.state(at: seq)
    known = (seq, state)
    return state
  }

  /// The current event; nil before the first.
  package func point() throws -> StepPoint? {
    seq < firstSeq ? nil : try StepPoint(seq, of: log, in: windows.window(around: seq))
  }

  // MARK: Going elsewhere

  package func forward(_ count: UInt64) throws(StepError) {
    if seq >= lastSeq { throw StepError("this is the last event") }
    seq += min(count, lastSeq - seq)
  }

  package func back(_ count: UInt64) throws(StepError) {
    if seq < firstSeq { throw StepError("this is the beginning") }
    seq -= min(count, seq - (firstSeq - 1))
  }

  package func go(to target: Target) throws {
    switch target {
    case .start: seq = firstSeq - 1
    case .end: seq = lastSeq
    case .moment(let moment): seq = try moment.seq(in: log)
    }
  }

  /// Moves to the nearest event that meets a condition; nil repeats the last search.
  package func find(_ condition: StopCondition?, backwards: Bool) throws {
    guard let condition = condition ?? lastSearch else {
      throw StepError("look for what? a projection, a path, or mark")
    }
    lastSearch = condition
    guard let found = try find([condition], backwards: backwards) else {
      let side = backwards ? "before" : "after"
      throw StepError("no \(condition) \(side) event \(seq)" + suggestion(for: condition))
    }
    stop(at: found.seq, for: [condition])
  }

  /// Moves to the nearest breakpoint, or to the end or the beginning, and returns the breakpoints that are
  /// met there.
  package func goOn(backwards: Bool) throws -> [Stop] {
    if let found = try find(stops.map(\.condition), backwards: backwards) {
      let met = found.conditions.map { stops[$0] }
      stop(at: found.seq, for: met.map(\.condition))
      return met
    }
    seq = backwards ? firstSeq - 1 : lastSeq
    return []
  }

  private func stop(at seq: UInt64, for conditions: [StopCondition]) {
    self.seq = seq
    stoppedFor = (seq, conditions.compactMap(\.projection))
  }

  private func find(_ conditions: [StopCondition], backwards: Bool) throws -> EventSearch.Found? {
    try log.retried {
      let search = search(for: conditions)
      return try backwards ? search.previous(before: seq) : search.next(after: seq)
    }
  }

  func search(for conditions: [StopCondition]) -> EventSearch {
    EventSearch(log, for: conditions, progress: progress, isInterrupted: isInterrupted)
  }

  // MARK: Where to stop

  package func add(_ condition: StopCondition) -> Stop {
    stopCount += 1
    stops.append(Stop(number: stopCount, condition: condition))
    return stops[stops.count - 1]
  }

  package func delete(_ number: Int?) throws(StepError) {
    guard let number else { return stops.removeAll() }
    guard let index = stops.firstIndex(where: { $0.number == number }) else {
      throw StepError("there is no stop \(number); breaks lists them")
    }
    stops.remove(at: index)
  }

  // MARK: What is known here

  /// The names of the projections that live at this position.
  package func projections() throws -> [String] {
    try log.fold(at: seq).projectionEvents().compactMap {
      if case .projection(let name, _, _) = $0 { name } else { nil }
    }
  }

  private func suggestion(for condition: StopCondition) -> String {
    guard let pattern = condition.projection, !pattern.text.contains("*") else { return "" }
    // At the beginning no projection lives yet. The first million events have most names, and are read
    // quickly.
    let names = LogNames(log, eventsMax: 1_000_000).projections
    if names.contains(where: pattern.matches) { return "" }
    return Suggestion.text(
      for: pattern.text, among: (names + names.map(\.projectionGroup)).sorted())
  }
}

extension StepDebugger {
  /// Why a projection ran: because of the current event, if that invalidated it, else its last run up to
  /// here. Without a name, the projection of the current event, else the one that a search looked for, else
  /// the first that the event invalidated.
  package func why(_ name: String?) throws -> WhyChain {
    let (projection, run) = try subject(name)
    return try WhyChain(of: projection, at: .seq(run), in: log, progress: progress)
  }

  /// Why a projection did not run for the last write up to here.
  package func whyNot(_ name: String) throws -> WhyNot {
    try WhyNot(name, at: .seq(seq), in: log, progress: progress)
  }

  /// Everything that the root of the current event's cause chain led to.
  package func cascade() throws -> CascadeReport {
    let root = try root(of: seq)
    let part = try log.part(from: root)
    let only = try Selection(from: .seq(root), to: .seq(root), in: part)
    return try CascadeReport(part, only, progress: progress)
  }

  /// The projection to explain, and its run or the event that invalidated it.
  private func subject(_ name: String?) throws -> (projection: String, seq: UInt64) {
    guard let point = try point() else { throw StepError("nothing has happened yet") }
    if let name {
      let pattern = ProjectionPattern(name)
      if let woken = point.woken.first(where: { pattern.matches($0.projection) }) {
        return try run(of: woken.projection)
      }
      if let own = point.projection, pattern.matches(own), case .evaluate = point.event.body {
        return (own, seq)
      }
      let found = try log.retried {
        try search(for: [.woke(pattern)]).previous(before: seq)
      }
      guard let found else {
        throw StepError("\(name) was neither woken nor evaluated up to event \(seq)")
      }
      return (name, found.seq)
    }
    if let own = point.projection { return (own, seq) }
    // Of several projections that the event invalidated, prefer the one that a search looked for.
    let wanted = stoppedFor?.seq == seq ? stoppedFor?.projections ?? [] : []
    let first = point.woken.first { woken in wanted.contains { $0.matches(woken.projection) } }
    guard let first = first ?? point.woken.first else {
      throw StepError("event \(seq) woke nobody; name a projection, as why Row")
    }
    return try run(of: first.projection)
  }

  /// The run of a projection that the current event led to, alone or with later events; the current event itself if
  /// no such run follows soon.
  private func run(of projection: String) throws -> (projection: String, seq: UInt64) {
    let part = try log.part(from: seq + 1, hasState: false)
    var run = LogRun(part, [])
    let wanted = run.keptID(ofProjection: projection)
    while try run.next(), run.row.seq < seq + OpenCascades.patience {
      guard run.row.kind == .evaluate, run.row.seq > seq, run.projection == wanted else { continue }
      // A run with an earlier cause began before the current event, and is no result of it.
      let cause = run.row.cause
      if cause == 0 { return (projection, seq) }
      if try cause >= seq || root(of: run.row.seq) == root(of: seq) { return (projection, run.row.seq) }
    }
    return (projection, seq)
  }

  /// The root of an event's cause chain. A write in a transaction counts as part of the transaction's end.
  private func root(of seq: UInt64) throws -> UInt64 {
    let found = log.root(of: seq)
    if found.depth > 0 { return found.seq }
    let strand = log.event(seq)?.origin?.strand ?? 0
    guard let span = try windows.window(around: seq).transaction(around: seq, on: strand) else {
      return seq
    }
    return span.end ?? end(of: span)
  }

  /// The seq at which a transaction ends; the last event if it never does.
  private func end(of span: StepWindow.Span) -> UInt64 {
    log.retried {
      var (depth, next) = (0, span.begin)
      while let block = log.block(from: next) {
        for event in log.events(from: next)
        where event.seq >= span.begin && event.origin?.strand ?? 0 == span.strand {
          if case .begin = event.body { depth += 1 }
          if case .end = event.body { depth -= 1 }
          if depth == 0 { return event.seq }
        }
        next = block.endSeq
      }
      return lastSeq
    }
  }
}
