import EventLog

/// The evaluations that name a cause which gives no reason for them.
///
/// A reason is: the cause invalidated the projection; an ancestor ran for the same cause; the projection was new;
/// or the cause wrote what the projection reads, if only the same value, which some want to hear of too. Of a
/// projection that reads nothing it is enough that the cause is a write.
enum UnexplainedRuns {
  static func find(_ causality: Causality, in run: Run) throws -> [Causality.Evaluation] {
    let suspects = causality.evaluations.filter { evaluation in
      evaluation.cause != nil && !evaluation.isFirst && causality.invalidation(of: evaluation) == nil
        && causality.leader(of: evaluation) == nil
    }
    if suspects.isEmpty { return [] }
    let heard = try heard(suspects, in: run)
    return suspects.filter { !heard.contains($0.seq) }
  }

  /// The evaluations whose cause wrote what they read.
  private static func heard(_ suspects: [Causality.Evaluation], in run: Run) throws -> Set<UInt64> {
    let transactions = Transactions(run.events)
    var listeners: [UInt64: [Causality.Evaluation]] = [:]
    for suspect in suspects {
      guard let cause = suspect.cause, let event = run.event(cause) else { continue }
      var writes = cause...cause
      if case .end = event.body, let span = transactions.span(around: cause) {
        writes = span.begin...span.end
      }
      for write in writes where run.event(write)?.body.writtenPath != nil {
        listeners[write, default: []].append(suspect)
      }
    }
    var heard: Set<UInt64> = []
    var state = State()
    var ledger = ReadLedger()
    for event in run.events {
      ledger.note(event.body)
      let before = listeners[event.seq] == nil ? nil : state
      try Run.explaining(event, of: run.log) { () throws(StateError) in try state.apply(event) }
      guard let before, let path = event.body.writtenPath else { continue }
      for listener in listeners[event.seq] ?? [] {
        // One that reads nothing by itself is called with what was written: there is nothing to hold it against.
        let matcher = ledger.matcher(of: listener.projection)
        guard let matcher, !matcher.reads.isEmpty else {
          heard.insert(listener.seq)
          continue
        }
        if !matcher.matches(path, before: before, after: state).isEmpty { heard.insert(listener.seq) }
      }
    }
    return heard
  }
}
