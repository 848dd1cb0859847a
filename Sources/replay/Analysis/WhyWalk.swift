import EventLog
import Projection

/// Walks from an evaluation back through its causes; every step goes to an earlier event, so it ends.
struct WhyWalk {
  private let log: LogSource
  private var run: Run
  private let cascade: Cascade
  private var lookup = CascadeLookup()
  let symbolizer = Symbolizer()
  private var steps: [WhyChain.Step] = []
  /// For each write in the chain, the projection whose reads it is held against.
  private var readers: [UInt64: String] = [:]

  init(_ run: Run, _ cascade: Cascade) {
    log = run.log
    self.run = run
    self.cascade = cascade
    lookup.take(cascade)
  }

  mutating func follow(_ evaluation: Cascade.Evaluation) {
    var current = evaluation
    add(current)
    var seen: Set<Int32> = [current.projection]
    while true {
      if let place = lookup.invalidation(of: current) { return follow(cascade.invalidations[place]) }
      guard let leader = lookup.leader(of: current, in: cascade).map({ cascade.evaluations[$0] }),
        seen.insert(leader.projection).inserted
      else { break }
      steps.append(.followed(name(leader.projection)))
      current = leader
      add(current)
    }
    guard current.cause > 0 else {
      steps.append(.origin(current.isFirst ? "its first evaluation: nothing woke it" : "nothing woke it"))
      return
    }
    follow(unit: current.cause, causes: [current.cause], reader: name(current.projection))
  }

  private mutating func add(_ evaluation: Cascade.Evaluation) {
    steps.append(
      .evaluation(
        WhyChain.Evaluation(
          seq: evaluation.seq, time: evaluation.time, projection: name(evaluation.projection),
          duration: evaluation.duration, changed: evaluation.changed,
          cause: evaluation.cause > 0 ? evaluation.cause : nil)))
  }

  mutating func follow(_ woken: Cascade.Woken) {
    let invalidation = Invalidation(
      seq: woken.seq, projection: name(woken.projection), causes: woken.causes.all, cascade: cascade.root,
      depth: Int(woken.depth))
    steps.append(.invalidation(invalidation, time: log.event(woken.seq)?.time ?? 0))
    follow(unit: woken.seq, causes: invalidation.causes, reader: invalidation.projection)
  }

  private func name(_ projection: Int32) -> String { run.tables.names[Int(projection)] }

  /// Goes on from a unit that woke somebody: first the writes in it, then what caused it.
  private mutating func follow(unit: UInt64, causes: [UInt64], reader: String) {
    var unit = unit
    var causes = causes
    while true {
      for cause in causes { addWrite(cause, in: unit, reader: reader) }
      guard let above = cause(of: unit, causes) else {
        if case .mark(let label)? = log.event(unit)?.body { steps.append(.origin("mark \(label)")) }
        return
      }
      if cascade.unit(above)?.kind == .evaluate,
        let evaluation = cascade.evaluations.first(where: { $0.seq == above })
      {
        return follow(evaluation)
      }
      unit = above
      causes = writes(in: above)
    }
  }

  /// What led to a unit, or else to one of the writes in it.
  private mutating func cause(of unit: UInt64, _ causes: [UInt64]) -> UInt64? {
    var latest = cascade.unit(unit)?.cause ?? 0
    for seq in causes {
      if let cause = run.entry(seq)?.cause, cause > 0 { latest = max(latest, run.unit(cause)) }
    }
    return latest > 0 ? latest : nil
  }

  /// The writes of an event, or of the transaction that it ends.
  private mutating func writes(in unit: UInt64) -> [UInt64] {
    guard let known = cascade.unit(unit) else { return [] }
    if known.kind.isWrite { return [unit] }
    guard let transaction = cascade.transaction(endedBy: unit) else { return [] }
    return (transaction.begin...transaction.end).filter { run.writtenPath(of: $0) != nil }
  }

  private mutating func addWrite(_ seq: UInt64, in unit: UInt64, reader: String) {
    guard let event = log.event(seq), let path = event.body.writtenPath, readers[seq] == nil else { return }
    let transaction = cascade.transaction(endedBy: unit)
    steps.append(
      .write(
        WhyChain.Write(
          event: event, path: path, transaction: transaction?.label, isInTransaction: transaction != nil,
          origin: event.origin.map { WriteOrigin($0, symbolizer) })))
    readers[seq] = reader
  }

  /// The steps, with old and new values filled in by going through the log once.
  func finished() throws -> [WhyChain.Step] {
    var details: [UInt64: (old: Value?, new: Value?, reads: [Path])] = [:]
    let last = readers.keys.max() ?? 0
    var replay = LedgerReplay(log)
    while replay.seq < last, replay.hasMore {
      let seq = replay.row.seq
      guard let reader = readers[seq], let path = replay.path else {
        try replay.step()
        continue
      }
      let before = replay.state
      try replay.step()
      let after = replay.state
      let reads = replay.matcher(of: reader)?.matches(path, before: before, after: after) ?? []
      details[seq] = (before.value(at: path), after.value(at: path), reads)
    }
    return steps.map { step in
      guard case .write(var write) = step, let detail = details[write.event.seq] else { return step }
      (write.old, write.new, write.reads) = detail
      return .write(write)
    }
  }
}
