import EventLog
import Projection

/// Walks from an evaluation back through its causes; every step goes to an earlier event, so it ends.
struct WhyWalk {
  private let run: Run
  private let causality: Causality
  private let transactions: Transactions
  private var steps: [WhyChain.Step] = []
  /// For each write in the chain, the projection whose reads it is held against.
  private var readers: [UInt64: String] = [:]

  init(_ run: Run, _ causality: Causality) {
    self.run = run
    self.causality = causality
    transactions = Transactions(run.events)
  }

  mutating func follow(_ evaluation: Causality.Evaluation) {
    var current = evaluation
    steps.append(.evaluation(current, time: run.event(current.seq)?.time ?? 0))
    var seen: Set<String> = [current.projection]
    while true {
      if let invalidation = causality.invalidation(of: current) { return follow(invalidation) }
      guard let leader = causality.leader(of: current), seen.insert(leader.projection).inserted else { break }
      steps.append(.followed(leader.projection))
      current = leader
      steps.append(.evaluation(current, time: run.event(current.seq)?.time ?? 0))
    }
    guard let cause = current.cause else {
      steps.append(.origin(current.isFirst ? "its first evaluation: nothing woke it" : "nothing woke it"))
      return
    }
    follow(unit: cause, causes: [cause], reader: current.projection)
  }

  mutating func follow(_ invalidation: Invalidation) {
    steps.append(.invalidation(invalidation, time: run.event(invalidation.seq)?.time ?? 0))
    follow(unit: invalidation.seq, causes: invalidation.causes, reader: invalidation.projection)
  }

  /// Goes on from a unit that woke somebody: first the writes in it, then what caused it.
  private mutating func follow(unit: UInt64, causes: [UInt64], reader: String) {
    var unit = unit
    var causes = causes
    while true {
      for cause in causes { addWrite(cause, reader: reader) }
      let events = ([unit] + causes).compactMap { run.event($0) }
      guard let above = events.compactMap(\.cause).max().map({ Causality.unit($0, in: run) }) else {
        if case .mark(let label)? = run.event(unit)?.body { steps.append(.origin("mark \(label)")) }
        return
      }
      if let event = run.event(above), case .evaluate(let name, _, _) = event.body,
        let evaluation = causality.evaluations.first(where: { $0.seq == above && $0.projection == name })
      {
        return follow(evaluation)
      }
      unit = above
      causes = writes(in: above)
    }
  }

  /// The writes of an event, or of the transaction that it ends.
  private func writes(in unit: UInt64) -> [UInt64] {
    guard let event = run.event(unit) else { return [] }
    if event.body.writtenPath != nil { return [unit] }
    guard case .end = event.body, let span = transactions.span(around: unit) else { return [] }
    return (span.begin...span.end).filter { run.event($0)?.body.writtenPath != nil }
  }

  private mutating func addWrite(_ seq: UInt64, reader: String) {
    guard let event = run.event(seq), let path = event.body.writtenPath, readers[seq] == nil else { return }
    let span = transactions.span(around: seq)
    steps.append(
      .write(
        WhyChain.Write(event: event, path: path, transaction: span?.label, isInTransaction: span != nil)))
    readers[seq] = reader
  }

  /// The steps, with old and new values filled in by going through the log once.
  func finished() throws -> [WhyChain.Step] {
    var details: [UInt64: (old: Value?, new: Value?, reads: [Path])] = [:]
    var state = State()
    var ledger = ReadLedger()
    let last = readers.keys.max() ?? 0
    for event in run.events.prefix(while: { $0.seq <= last }) {
      ledger.note(event.body)
      let before = readers[event.seq] == nil ? nil : state
      try Run.explaining(event, of: run.log) { () throws(StateError) in try state.apply(event) }
      guard let before, let reader = readers[event.seq], let path = event.body.writtenPath else { continue }
      let reads = ledger.matcher(of: reader)?.matches(path, before: before, after: state) ?? []
      details[event.seq] = (before.value(at: path), state.value(at: path), reads)
    }
    return steps.map { step in
      guard case .write(var write) = step, let detail = details[write.event.seq] else { return step }
      (write.old, write.new, write.reads) = detail
      return .write(write)
    }
  }
}
