import EventLog

/// Tells which rows of a run belong to a selected action, directly or by way of what it led to. Needs `.lookback`.
struct SelectedActions {
  private let pattern: ProjectionPattern
  private var tracker = SpanTracker(.action)
  /// Whether the events of each action belong to a selected one.
  private var answers: [UInt64: Bool] = [:]
  /// Whether any was met.
  private var hasAny = false

  private static let answersMax = 1 << 16

  /// Nil if the selection has no actions.
  init?(_ selection: Selection) {
    guard let pattern = selection.action else { return nil }
    self.pattern = pattern
  }

  /// Whether an action with this label is one.
  mutating func matches(_ label: String) -> Bool {
    let isMeant = pattern.matches(label)
    if isMeant { hasAny = true }
    return isMeant
  }

  /// Takes in the current row, and returns whether it belongs to one.
  mutating func observe(_ run: inout LogRun) -> Bool {
    tracker.observe(&run)
    if tracker.hasOver { _ = tracker.removeOver() }
    return tracker.current > 0 && answer(tracker.current, &run)
  }

  /// Whether an event before the current row belongs to one.
  mutating func contains(_ seq: UInt64, _ run: inout LogRun) -> Bool {
    let action = tracker.owner(of: seq, &run)
    return action > 0 && answer(action, &run)
  }

  private mutating func answer(_ action: UInt64, _ run: inout LogRun) -> Bool {
    var chain: [UInt64] = []
    var next = action
    var isMeant = false
    while next > 0, chain.count < SpanTracker.nestedMax {
      if let known = answers[next] {
        isMeant = known
        break
      }
      chain.append(next)
      let (label, outer): (String, UInt64)
      if let span = tracker.unfinished(next) {
        (label, outer) = (span.label, span.outer)
      } else {
        guard let event = run.log.event(next), case .action(let text) = event.body else { break }
        (label, outer) = (text, tracker.owner(of: event.cause ?? 0, &run))
      }
      if matches(label) {
        isMeant = true
        break
      }
      next = outer
    }
    if answers.count >= Self.answersMax { answers.removeAll(keepingCapacity: true) }
    for seq in chain { answers[seq] = isMeant }
    return isMeant
  }

  /// Throws if no action matched a label without a wildcard; the error suggests the nearest.
  func check(_ log: LogSource) throws {
    if hasAny { return }
    var labels: Set<String> = []
    var run = LogRun(log, [])
    while try run.next(), labels.count < 4_096 {
      if run.row.kind == .action, let label = run.label { labels.insert(label) }
    }
    if labels.contains(where: { pattern.matches($0) }) { return }
    throw AnalysisError(
      log, .noAction(pattern.text, nearest: Suggestion.nearest(to: pattern.text, among: labels.sorted())))
  }
}

/// Tells which events of a log belong to the actions of a selection, asked in the order of the log.
package struct EventsOfActions: ~Copyable {
  private var actions: SelectedActions
  private var run: LogRun
  private var isMeant = false

  /// Nil if the selection has no actions.
  package init?(_ log: LogSource, _ selection: Selection) throws {
    guard let actions = SelectedActions(selection) else { return nil }
    try actions.check(log)
    self.actions = actions
    run = LogRun(log, .lookback)
  }

  /// Whether an event belongs to one. Cost: reads on as far as the event.
  package mutating func contain(_ seq: UInt64) throws -> Bool {
    while run.row.seq < seq, try run.next() { isMeant = actions.observe(&run) }
    return run.row.seq == seq && isMeant
  }
}
