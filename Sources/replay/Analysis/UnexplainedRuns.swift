import EventLog

/// Finds the evaluations that name a cause which gives no reason for them.
///
/// A reason is: the cause invalidated the projection; an ancestor ran for the same cause; the projection was new;
/// or the cause wrote what the projection reads, if only the same value, which some want to hear of too. Of a
/// projection that reads nothing it is enough that the cause is a write.
struct UnexplainedRuns {
  private let log: LogSource
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
  mutating func add(_ cascade: Cascade) throws -> [Cascade.Evaluation] {
    for evaluation in cascade.evaluations
    where evaluation.cause != nil && !evaluation.isFirst && cascade.invalidation(of: evaluation) == nil
      && cascade.leader(of: evaluation) == nil
    {
      suspects.append(evaluation)
      for write in writes(of: evaluation, in: cascade) { listeners[write, default: []].append(evaluation) }
    }
    return suspects.count < Self.suspectsMax ? [] : try finish()
  }

  /// The evaluations without a reason among those that were taken in since the last time.
  mutating func finish() throws -> [Cascade.Evaluation] {
    let heard = try heard()
    defer {
      suspects = []
      listeners = [:]
    }
    return suspects.filter { !heard.contains($0.seq) }
  }

  private func writes(of evaluation: Cascade.Evaluation, in cascade: Cascade) -> [UInt64] {
    guard let cause = evaluation.cause, let unit = cascade.units[cause] else { return [] }
    if unit.event.body.writtenPath != nil { return [cause] }
    guard let transaction = unit.transaction else { return [] }
    return (transaction.begin...transaction.end).filter { log.event($0)?.body.writtenPath != nil }
  }

  /// The evaluations whose cause wrote what they read.
  private mutating func heard() throws -> Set<UInt64> {
    guard let first = listeners.keys.min(), let last = listeners.keys.max() else { return [] }
    var heard: Set<UInt64> = []
    if replay.seq >= first { replay = LedgerReplay(log) }
    while replay.seq < last, let event = replay.peek() {
      guard let hearers = listeners[event.seq], let path = event.body.writtenPath else {
        try replay.step()
        continue
      }
      let others = hearers.filter { hearer in
        let matcher = replay.ledger.matcher(of: hearer.projection)
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
        guard let matcher = replay.ledger.matcher(of: hearer.projection) else { continue }
        if !matcher.matches(path, before: before, after: replay.state).isEmpty { heard.insert(hearer.seq) }
      }
    }
    return heard
  }
}

/// The state and what every projection reads, as a log is gone through.
struct LedgerReplay {
  /// The seq of the last event that was gone through.
  private(set) var seq: UInt64 = 0
  private(set) var ledger = ReadLedger()
  private var replay: StateReplay
  private var cursor: EventCursor
  private var upcoming: Event?

  var state: State { replay.state }

  init(_ log: LogSource) {
    replay = StateReplay(log)
    for event in log.base?.projections.asEvents() ?? [] { ledger.note(event) }
    cursor = log.cursor()
    upcoming = cursor.next()
  }

  /// The event that the next step goes through.
  func peek() -> Event? { upcoming }

  mutating func step() throws {
    guard let event = upcoming else { return }
    ledger.note(event.body)
    try replay.apply(event)
    seq = event.seq
    upcoming = cursor.next()
  }
}
