import EventLog

/// Finds evaluations whose recorded cause does not explain them.
///
/// A cause explains an evaluation if it invalidated the projection, if an ancestor ran for the same cause or was
/// invalidated by it (its run ends later, perhaps after the end of the log), if the projection was new, or if the
/// cause wrote what the projection reads, or read in that run. The last holds for equal values too, since some callbacks
/// are called for every set. For a projection that reads nothing, any write is enough. An action and a mark claim
/// nothing: a host ran the projection within the action, or for a reason of its own. A cause before a log that begins
/// late cannot be judged.
final class UnexplainedRuns {
  private let log: LogSource
  private var lookup = CascadeLookup()
  /// The evaluations that only a read can explain, by each write of their cause.
  private var listeners: [UInt64: [Cascade.Evaluation]] = [:]
  private var suspects: [Cascade.Evaluation] = []
  /// A second run that follows the first with the state. It continues where the last group of suspects ended.
  private var replay: LogRun

  /// How many suspects are checked together, in one further pass over their part of the log.
  private static let suspectsMax = 50_000

  init(_ log: LogSource) {
    self.log = log
    replay = Self.replay(of: log)
  }

  private static func replay(of log: LogSource) -> LogRun { LogRun(log, [.state, .reads]) }

  /// Adds a cascade. Returns the evaluations of this and earlier cascades that turned out to have no reason.
  func add(
    _ cascade: Cascade, in units: WholeUnits, of run: inout LogRun
  ) throws -> [Cascade.Evaluation] {
    if !cascade.evaluations.contains(where: { $0.cause > 0 && !$0.isFirst }) { return [] }
    lookup.fill(from: cascade)
    for evaluation in cascade.evaluations
    where evaluation.cause > 0 && !evaluation.isFirst && units.contains(evaluation.cause)
      && lookup.invalidation(of: evaluation) == nil && !lookup.hasReasonAbove(evaluation, in: cascade)
      && cascade.unit(evaluation.cause)?.kind.isOfHost != true
    {
      suspects.append(evaluation)
      for write in cascade.writes(in: evaluation.cause, &run, log) ?? [] {
        listeners[write, default: []].append(evaluation)
      }
    }
    return suspects.count < Self.suspectsMax ? [] : try finish(run)
  }

  /// The evaluations without a reason among those added since the last call.
  func finish(_ run: borrowing LogRun) throws -> [Cascade.Evaluation] {
    let heard = try heard(run)
    defer {
      suspects = []
      listeners = [:]
    }
    return suspects.filter { !heard.contains($0.seq) }
  }

  /// The seqs of the evaluations whose cause wrote what they read.
  private func heard(_ run: borrowing LogRun) throws -> Set<UInt64> {
    guard let first = listeners.keys.min(), let last = listeners.keys.max() else { return [] }
    var heard: Set<UInt64> = []
    // What was written before a callback read it for the first time, by itself perhaps: it is compared with what the
    // callback had read when that run ended.
    var early: [UInt64: [Path]] = [:]
    var end = last
    if replay.row.seq >= first { replay = Self.replay(of: log) }
    while replay.row.seq < end, try replay.next() {
      if let paths = early[replay.row.seq], isRead(paths) { heard.insert(replay.row.seq) }
      guard let hearers = listeners[replay.row.seq], let written = replay.path else { continue }
      let path = replay.tables.path(written)
      var others: [(seq: UInt64, positions: Range<Int>)] = []
      var reads = TouchedReads(before: replay.state)
      for hearer in hearers {
        let projection = replay.id(ofProjection: run.tables.name(hearer.projection))
        if let reader = replay.registry.reader(projection), !reader.reads.isEmpty,
          !reader.reads.contains(replay.state.bound(path))
        {
          others.append((hearer.seq, reads.add(reader)))
        } else {
          // A callback without reads gets the written value, so there are no paths to compare.
          heard.insert(hearer.seq)
        }
      }
      if others.isEmpty { continue }
      let touched = Set(try replay.positions(touchedIn: &reads))
      for (seq, positions) in others {
        if touched.isDisjoint(with: positions) {
          early[seq, default: []].append(path)
          end = max(end, seq)
        } else {
          heard.insert(seq)
        }
      }
    }
    return heard
  }

  /// Whether the projection of the replayed row reads one of these paths.
  private func isRead(_ paths: [Path]) -> Bool {
    guard let reads = replay.projection.flatMap({ replay.registry.reads(of: $0) }) else { return false }
    let state = replay.state
    return paths.contains { reads.contains(state.bound($0)) }
  }
}

extension EventKind {
  /// Whether an event of the kind may be the cause of a run that nothing else led to.
  fileprivate var isOfHost: Bool { self == .action || self == .mark }
}
