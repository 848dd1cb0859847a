import EventLog

/// Finds the evaluations that name a cause which gives no reason for them.
///
/// A reason is: the cause invalidated the projection; an ancestor ran for the same cause; the projection was new;
/// or the cause wrote what the projection reads, if only the same value, which some want to hear of too. Of a
/// projection that reads nothing it is enough that the cause is a write.
struct UnexplainedRuns {
  private let log: LogSource
  private var lookup = CascadeLookup()
  /// Runs whose reason can only be what they read, by the writes of their cause.
  private var listeners: [UInt64: [Cascade.Evaluation]] = [:]
  private var suspects: [Cascade.Evaluation] = []
  private var replay: LedgerReplay

  /// So many are looked at together, in one pass behind the first.
  private static let suspectsMax = 50_000

  init(_ log: LogSource) {
    self.log = log
    replay = LedgerReplay(log)
  }

  /// Takes in a cascade, and returns the evaluations before it that turned out to have no reason.
  mutating func add(_ cascade: Cascade, of run: inout Run) throws -> [Cascade.Evaluation] {
    if !cascade.evaluations.contains(where: { $0.cause > 0 && !$0.isFirst }) { return [] }
    lookup.take(cascade)
    for evaluation in cascade.evaluations
    where evaluation.cause > 0 && !evaluation.isFirst && lookup.invalidation(of: evaluation) == nil
      && lookup.leader(of: evaluation, in: cascade) == nil
    {
      suspects.append(evaluation)
      for write in writes(of: evaluation, in: cascade, &run) {
        listeners[write, default: []].append(evaluation)
      }
    }
    return suspects.count < Self.suspectsMax ? [] : try finish(run)
  }

  /// The evaluations without a reason among those that were taken in since the last time.
  mutating func finish(_ run: borrowing Run) throws -> [Cascade.Evaluation] {
    let heard = try heard(run)
    defer {
      suspects = []
      listeners = [:]
    }
    return suspects.filter { !heard.contains($0.seq) }
  }

  private func writes(
    of evaluation: Cascade.Evaluation, in cascade: Cascade, _ run: inout Run
  ) -> [UInt64] {
    guard let unit = cascade.unit(evaluation.cause) else { return [] }
    if unit.kind.isWrite { return [unit.seq] }
    guard let transaction = cascade.transaction(endedBy: unit.seq) else { return [] }
    return (transaction.begin...transaction.end).filter { run.writtenPath(of: $0) != nil }
  }

  /// The evaluations whose cause wrote what they read.
  private mutating func heard(_ run: borrowing Run) throws -> Set<UInt64> {
    guard let first = listeners.keys.min(), let last = listeners.keys.max() else { return [] }
    var heard: Set<UInt64> = []
    if replay.seq >= first { replay = LedgerReplay(log) }
    while replay.seq < last, replay.hasMore {
      guard let hearers = listeners[replay.row.seq], let path = replay.path else {
        try replay.step()
        continue
      }
      let others = hearers.filter { hearer in
        let matcher = replay.matcher(of: run.tables.names[Int(hearer.projection)])
        // One that reads nothing by itself is called with what was written: there is nothing to hold it against.
        guard let matcher, !matcher.reads.isEmpty, !matcher.reads.contains(path) else {
          heard.insert(hearer.seq)
          return false
        }
        return true
      }
      if others.isEmpty {
        try replay.step()
        continue
      }
      // Holding on to the state before costs a copy of what the event changes.
      let before = replay.state
      try replay.step()
      for hearer in others {
        guard let matcher = replay.matcher(of: run.tables.names[Int(hearer.projection)]) else { continue }
        if !matcher.matches(path, before: before, after: replay.state).isEmpty { heard.insert(hearer.seq) }
      }
    }
    return heard
  }
}
