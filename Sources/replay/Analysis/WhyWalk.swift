import EventLog
import Projection

/// Walks from an evaluation back through its causes; every step goes to an earlier event, so it ends.
struct WhyWalk {
  private let log: LogSource
  private let cascade: Cascade
  private var steps: [WhyChain.Step] = []
  /// For each write in the chain, the projection whose reads it is held against.
  private var readers: [UInt64: String] = [:]

  init(_ log: LogSource, _ cascade: Cascade) {
    self.log = log
    self.cascade = cascade
  }

  mutating func follow(_ evaluation: Cascade.Evaluation) {
    var current = evaluation
    steps.append(.evaluation(current, time: current.time))
    var seen: Set<String> = [current.projection]
    while true {
      if let invalidation = cascade.invalidation(of: current) { return follow(invalidation) }
      guard let leader = cascade.leader(of: current), seen.insert(leader.projection).inserted else { break }
      steps.append(.followed(leader.projection))
      current = leader
      steps.append(.evaluation(current, time: current.time))
    }
    guard let cause = current.cause else {
      steps.append(.origin(current.isFirst ? "its first evaluation: nothing woke it" : "nothing woke it"))
      return
    }
    follow(unit: cause, causes: [cause], reader: current.projection)
  }

  mutating func follow(_ invalidation: Invalidation) {
    steps.append(.invalidation(invalidation, time: log.event(invalidation.seq)?.time ?? 0))
    follow(unit: invalidation.seq, causes: invalidation.causes, reader: invalidation.projection)
  }

  /// Goes on from a unit that woke somebody: first the writes in it, then what caused it.
  private mutating func follow(unit: UInt64, causes: [UInt64], reader: String) {
    var unit = unit
    var causes = causes
    while true {
      for cause in causes { addWrite(cause, in: unit, reader: reader) }
      guard let above = cause(of: unit, causes) else {
        if case .mark(let label)? = cascade.units[unit]?.event.body { steps.append(.origin("mark \(label)")) }
        return
      }
      if case .evaluate? = cascade.units[above]?.event.body,
        let evaluation = cascade.evaluations.first(where: { $0.seq == above })
      {
        return follow(evaluation)
      }
      unit = above
      causes = writes(in: above)
    }
  }

  /// What led to a unit, or else to one of the writes in it.
  private func cause(of unit: UInt64, _ causes: [UInt64]) -> UInt64? {
    let known = cascade.units[unit]?.cause
    return ([known] + causes.map { log.event($0)?.cause.map(standsFor) }).compactMap(\.self).max()
  }

  private func standsFor(_ cause: UInt64) -> UInt64 {
    if let event = log.event(cause), case .invalidate = event.body, let unit = event.cause { return unit }
    return cause
  }

  /// The writes of an event, or of the transaction that it ends.
  private func writes(in unit: UInt64) -> [UInt64] {
    guard let known = cascade.units[unit] else { return [] }
    if known.event.body.writtenPath != nil { return [unit] }
    guard let transaction = known.transaction else { return [] }
    return (transaction.begin...transaction.end).filter { log.event($0)?.body.writtenPath != nil }
  }

  private mutating func addWrite(_ seq: UInt64, in unit: UInt64, reader: String) {
    guard let event = log.event(seq), let path = event.body.writtenPath, readers[seq] == nil else { return }
    let transaction = cascade.units[unit]?.transaction
    steps.append(
      .write(
        WhyChain.Write(
          event: event, path: path, transaction: transaction?.label, isInTransaction: transaction != nil)))
    readers[seq] = reader
  }

  /// The steps, with old and new values filled in by going through the log once.
  func finished() throws -> [WhyChain.Step] {
    var details: [UInt64: (old: Value?, new: Value?, reads: [Path])] = [:]
    let last = readers.keys.max() ?? 0
    var replay = LedgerReplay(log)
    while replay.seq < last, let event = replay.peek() {
      guard let reader = readers[event.seq], let path = event.body.writtenPath else {
        try replay.step()
        continue
      }
      let before = replay.state
      try replay.step()
      let reads = replay.ledger.matcher(of: reader)?.matches(path, before: before, after: replay.state) ?? []
      details[event.seq] = (before.value(at: path), replay.state.value(at: path), reads)
    }
    return steps.map { step in
      guard case .write(var write) = step, let detail = details[write.event.seq] else { return step }
      (write.old, write.new, write.reads) = detail
      return .write(write)
    }
  }
}
