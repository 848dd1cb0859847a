import EventLog
import Invalidation

/// A cause chain without the details that need the state at the time.
struct WhyDraft {
  var projection: String
  var steps: [WhyStep]
  /// For each write in the chain, the projection whose reads are compared with it.
  var readers: [UInt64: String]
  /// The projection's previous evaluation, if the chain begins with an evaluation.
  var earlier: UInt64?
}

/// Walks from an evaluation back through its causes. Every step leads to an earlier event, so the walk ends.
/// One walk serves several chains in turn.
struct WhyWalk: ~Copyable {
  private let log: LogSource
  /// The run that found the cascade. It is at its end, and used to look up earlier events.
  private var run: LogRun
  private var cascade = Cascade()
  private var lookup = CascadeLookup()
  let symbolizer = Symbolizer()
  private var steps: [WhyStep] = []
  /// As in ``WhyDraft``.
  private var readers: [UInt64: String] = [:]
  /// How many branches the walk is inside of.
  private var depth = 0

  /// Limits on nested branches and on branches beside each other: more would not be read.
  private static let depthMax = 16
  private static let branchesMax = 50

  /// - Parameter log: The whole log, if the run covers only a part of it.
  init(_ run: consuming LogRun, of log: LogSource? = nil) {
    self.log = log ?? run.log
    self.run = run
  }

  /// Continues with another cascade, to which the next chains belong.
  mutating func enter(_ cascade: Cascade) {
    self.cascade = cascade
    lookup.take(cascade)
  }

  /// Walks back from an evaluation or invalidation of the cascade.
  mutating func chain(of found: WhySubject.Found) -> WhyDraft {
    steps = []
    readers = [:]
    var draft = WhyDraft(projection: "", steps: [], readers: [:])
    switch found {
    case .evaluation(let evaluation):
      follow(evaluation)
      draft.projection = name(evaluation.projection)
      draft.earlier = evaluation.earlier > 0 ? evaluation.earlier : nil
    case .invalidation(let invalidation):
      follow(invalidation)
      draft.projection = name(invalidation.projection)
    }
    (draft.steps, draft.readers) = (steps, readers)
    return draft
  }

  private mutating func follow(_ evaluation: Cascade.Evaluation) {
    var current = evaluation
    add(current)
    var seen: Set<ProjectionID> = [current.projection]
    while true {
      if let index = lookup.invalidation(of: current) { return follow(cascade.invalidations[index]) }
      guard let leader = lookup.leader(of: current, in: cascade).map({ cascade.evaluations[$0] }),
        seen.insert(leader.projection).inserted
      else { break }
      steps.append(WhyStep(kind: .followed, parent: name(leader.projection)))
      current = leader
      add(current)
    }
    guard current.cause > 0 else {
      return end(current.isFirst ? "its first evaluation: nothing woke it" : "nothing woke it")
    }
    follow(unit: current.cause, causes: [current.cause], reader: name(current.projection))
  }

  private mutating func add(_ evaluation: Cascade.Evaluation) {
    steps.append(
      WhyStep(
        kind: .evaluation, seq: evaluation.seq, time: evaluation.time,
        projection: name(evaluation.projection),
        duration: evaluation.duration, changed: evaluation.changed,
        input: evaluation.inputChanged.map { $0 ? "changed" : "same" },
        cause: evaluation.cause > 0 ? evaluation.cause : nil))
  }

  private mutating func follow(_ invalidation: Cascade.Invalidation) {
    let reader = name(invalidation.projection)
    steps.append(
      WhyStep(
        kind: .invalidation, seq: invalidation.seq, time: log.event(invalidation.seq)?.time ?? 0,
        projection: reader, causes: invalidation.causes.all, cascade: cascade.root,
        depth: Int(invalidation.depth)))
    follow(unit: invalidation.seq, causes: invalidation.causes.all, reader: reader)
  }

  private func name(_ projection: ProjectionID) -> String { run.tables.name(projection) }

  private mutating func end(_ text: String) { steps.append(WhyStep(kind: .origin, text: text)) }

  /// Follows a unit that invalidated a projection: first its writes, then what caused it.
  private mutating func follow(unit: UInt64, causes: [UInt64], reader: String) {
    var unit = unit
    var causes = causes
    while true {
      if isMissing(unit) { return }
      if depth < Self.depthMax, hasSeveralCauses(causes) {
        for write in causes { addBranch(write, in: unit, reader: reader) }
        return
      }
      for write in causes { addWrite(write, in: unit, reader: reader) }
      guard let above = cause(of: unit, causes) else {
        if case .mark(let label)? = log.event(unit)?.body { end("mark \(label)") }
        return
      }
      if let evaluation = evaluation(above) { return follow(evaluation) }
      unit = above
      causes = writes(in: above)
    }
  }

  /// Ends the chain, and returns true, if an event is not in the log.
  private mutating func isMissing(_ seq: UInt64) -> Bool {
    if seq < log.firstSeq {
      end(
        "event \(seq) led to it, which lies before this part of the recording; it begins with event \(log.firstSeq)"
      )
      return true
    }
    if log.event(seq) == nil {
      end("event \(seq) led to it, which cannot be read")
      return true
    }
    return false
  }

  /// Whether writes of one unit have different causes.
  private mutating func hasSeveralCauses(_ writes: [UInt64]) -> Bool {
    guard writes.count > 1, writes.count <= Self.branchesMax else { return false }
    let first = cause(ofWrite: writes[0])
    for write in writes where cause(ofWrite: write) != first { return true }
    return false
  }

  /// Adds a write with a chain of its own that led to it.
  private mutating func addBranch(_ write: UInt64, in unit: UInt64, reader: String) {
    let count = steps.count
    addWrite(write, in: unit, reader: reader)
    guard steps.count > count, let cause = cause(ofWrite: write) else { return }
    let before = steps
    steps = []
    depth += 1
    if let evaluation = evaluation(cause) {
      follow(evaluation)
    } else {
      follow(unit: cause, causes: writes(in: cause), reader: reader)
    }
    depth -= 1
    let branch = steps
    steps = before
    steps[count].because = branch
  }

  /// The unit that caused a write; nil if there is none.
  private mutating func cause(ofWrite seq: UInt64) -> UInt64? {
    guard let cause = run.entry(seq)?.cause, cause > 0 else { return nil }
    return run.unit(cause)
  }

  private func evaluation(_ seq: UInt64) -> Cascade.Evaluation? {
    guard cascade.unit(seq)?.kind == .evaluate else { return nil }
    return cascade.evaluations.first { $0.seq == seq }
  }

  /// The unit that caused a unit, or else one of the writes in it.
  private mutating func cause(of unit: UInt64, _ causes: [UInt64]) -> UInt64? {
    var latest = cascade.unit(unit)?.cause ?? 0
    for seq in causes {
      if let cause = cause(ofWrite: seq) { latest = max(latest, cause) }
    }
    return latest > 0 ? latest : nil
  }

  /// The writes of a unit: itself, or those in the transaction that it ends.
  private mutating func writes(in unit: UInt64) -> [UInt64] {
    // For a unit of another cascade only its own write is known.
    guard let known = cascade.unit(unit) else { return run.writtenPath(of: unit) == nil ? [] : [unit] }
    if known.kind.isWrite { return [unit] }
    guard let transaction = cascade.transaction(endedBy: unit) else { return [] }
    return (transaction.begin...transaction.end).filter { run.writtenPath(of: $0) != nil }
  }

  private mutating func addWrite(_ seq: UInt64, in unit: UInt64, reader: String) {
    guard let event = log.event(seq), let path = event.body.writtenPath, readers[seq] == nil else { return }
    let transaction = cascade.transaction(endedBy: unit)
    var step = WhyStep(
      kind: .write, seq: seq, time: event.time, cause: event.cause, event: event.body.kind.name,
      path: path.description, sameValue: event.body.sameValue == true ? true : nil, site: event.site,
      transaction: transaction.map { Nullable(wrappedValue: $0.label) },
      origin: event.origin.map { WriteOrigin($0, symbolizer) })
    if case .splice(_, let offset, let delete, let insert, _) = event.body {
      (step.offset, step.delete, step.insert) = (offset, delete, PrintedJSON(insert.json))
    }
    steps.append(step)
    readers[seq] = reader
  }
}
