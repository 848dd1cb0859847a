import EventLog

/// A place in a run that can be moved forwards and backwards, and what is known there. It prints nothing.
package final class StepDebugger {
  package struct Stop {
    package var number: Int
    package var condition: StopCondition
  }

  /// Where to go.
  package enum Target {
    case moment(Moment)
    case start, end
  }

  package let log: LogSource
  let windows: StepWindows
  let progress: AnalysisProgress
  private let isInterrupted: () -> Bool
  /// The event after which this is; the one before the first at the beginning.
  package private(set) var seq: UInt64
  package private(set) var stops: [Stop] = []
  private var stopCount = 0
  private var lastSearch: StopCondition?
  private var known: (seq: UInt64, state: State)?

  /// - Parameter isInterrupted: Is asked while it searches whether to give up.
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

  /// The state here.
  package func state() throws -> State {
    if let known, known.seq == seq { return known.state }
    let state = try StateReplay.state(of: log, at: seq)
    known = (seq, state)
    return state
  }

  /// The event here; nil before the first.
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

  /// Goes to the nearest event that meets a condition; nil is that of the last search.
  package func find(_ condition: StopCondition?, backwards: Bool) throws {
    guard let condition = condition ?? lastSearch else {
      throw StepError("look for what? a projection, a path, or mark")
    }
    lastSearch = condition
    guard let found = try find([condition], backwards: backwards) else {
      let side = backwards ? "before" : "after"
      throw StepError("no \(condition) \(side) event \(seq)" + suggestion(for: condition))
    }
    seq = found.seq
  }

  /// Goes to the nearest stop, or to the end or the beginning, and returns the stops that are there.
  package func goOn(backwards: Bool) throws -> [Stop] {
    if let found = try find(stops.map(\.condition), backwards: backwards) {
      seq = found.seq
      return found.conditions.map { stops[$0] }
    }
    seq = backwards ? firstSeq - 1 : lastSeq
    return []
  }

  private func find(_ conditions: [StopCondition], backwards: Bool) throws -> StepSearch.Found? {
    try log.retried {
      let search = search(for: conditions)
      return try backwards ? search.previous(before: seq) : search.next(after: seq)
    }
  }

  func search(for conditions: [StopCondition]) -> StepSearch {
    StepSearch(log, for: conditions, progress: progress, isInterrupted: isInterrupted)
  }

  // MARK: Where to stop

  package func add(_ condition: StopCondition) -> Stop {
    stopCount += 1
    stops.append(Stop(number: stopCount, condition: condition))
    return stops[stops.count - 1]
  }

  package func delete(_ number: Int?) throws(StepError) {
    guard let number else { return stops.removeAll() }
    guard let place = stops.firstIndex(where: { $0.number == number }) else {
      throw StepError("there is no stop \(number); breaks lists them")
    }
    stops.remove(at: place)
  }

  // MARK: What is known here

  /// The names of the projections that live here.
  package func projections() throws -> [String] {
    try log.reader.fold(at: seq).projections.asEvents().compactMap {
      if case .projection(let name, _, _) = $0 { name } else { nil }
    }
  }

  private func suggestion(for condition: StopCondition) -> String {
    guard let pattern = condition.projection, !pattern.text.contains("*") else { return "" }
    // At the beginning nothing lives yet. The first million events name what most people look for, at once.
    let names = LogNames(log, eventsMax: 1_000_000).projections
    if names.contains(where: pattern.matches) { return "" }
    return Suggestion.text(
      for: pattern.text, among: (names + names.map(\.projectionGroup)).sorted())
  }
}
