import EventLog

/// Finds the evaluations that name a cause which gives no reason for them.
///
/// A reason is: the cause invalidated the projection; an ancestor ran for the same cause; the projection was new;
/// or the cause wrote what the projection reads, if only the same value, which some want to hear of too. Of a
/// projection that reads nothing it is enough that the cause is a write.
final class UnexplainedRuns {
  private let log: LogSource
  private var lookup = CascadeLookup()
  /// Runs whose reason can only be what they read, by the writes of their cause.
  private var listeners: [UInt64: [Cascade.Evaluation]] = [:]
  private var suspects: [Cascade.Evaluation] = []
  /// A run behind the one that finds the cascades, with the state. It goes on where the last suspects ended.
  private var replay: LogRun

  /// So many are looked at together, in one pass behind the first.
  private static let suspectsMax = 50_000

  init(_ log: LogSource) {
    self.log = log
    replay = Self.replay(of: log)
  }

  private static func replay(of log: LogSource) -> LogRun { LogRun(log, [.state, .reads]) }

  /// Takes in a cascade, and returns the evaluations before it that turned out to have no reason.
  func add(_ cascade: Cascade, of run: inout LogRun) throws -> [Cascade.Evaluation] {
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
  func finish(_ run: borrowing LogRun) throws -> [Cascade.Evaluation] {
    let heard = try heard(run)
    defer {
      suspects = []
      listeners = [:]
    }
    return suspects.filter { !heard.contains($0.seq) }
  }

  private func writes(
    of evaluation: Cascade.Evaluation, in cascade: Cascade, _ run: inout LogRun
  ) -> [UInt64] {
    guard let unit = cascade.unit(evaluation.cause) else { return [] }
    if unit.kind.isWrite { return [unit.seq] }
    guard let transaction = cascade.transaction(endedBy: unit.seq) else { return [] }
    return (transaction.begin...transaction.end).filter { run.writtenPath(of: $0) != nil }
  }

  /// The evaluations whose cause wrote what they read.
  private func heard(_ run: borrowing LogRun) throws -> Set<UInt64> {
    guard let first = listeners.keys.min(), let last = listeners.keys.max() else { return [] }
    var heard: Set<UInt64> = []
    if replay.row.seq >= first { replay = Self.replay(of: log) }
    while replay.row.seq < last, try replay.next() {
      guard let hearers = listeners[replay.row.seq], let written = replay.path else { continue }
      let path = replay.tables.path(written)
      var others: [(seq: UInt64, matcher: ReadMatcher)] = []
      for hearer in hearers {
        let projection = replay.id(ofProjection: run.tables.name(hearer.projection))
        if let matcher = replay.registry.matcher(of: projection), !matcher.reads.isEmpty,
          !matcher.reads.contains(path, in: replay.state)
        {
          others.append((hearer.seq, matcher))
        } else {
          // A callback without reads of its own gets the written value, so it has no paths to compare with the write.
          heard.insert(hearer.seq)
        }
      }
      if others.isEmpty { continue }
      // Holding on to the state before costs a copy of what the event changes.
      let before = replay.state
      try replay.carryOut()
      let after = replay.state
      for (seq, matcher) in others where !matcher.matches(path, before: before, after: after).isEmpty {
        heard.insert(seq)
      }
    }
    return heard
  }
}
