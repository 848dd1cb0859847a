import Algorithms
import EventLog
import Invalidation

/// A cause chain without the details that need the state at the time.
struct WhyDraft {
  var projection: String
  var steps: [WhyStep]
  /// The projection's previous evaluation, if the chain begins with an evaluation.
  var earlier: UInt64?
  /// The events before the run's cause that may have put the projection out of date since that evaluation.
  var superseded: Range<UInt64>?
  /// Whether it lacks the other causes of its run, because finding them would take too long.
  var isPartial = false
}

/// Walks from an evaluation back through its causes, each of which it follows once. Every step leads to an
/// earlier event, so the walk ends; since a log may chain any number of events, it is a loop, and keeps only
/// the ends of what it finds. One walk serves several chains in turn.
struct WhyWalk: ~Copyable {
  private let log: LogSource
  /// The run that found the cascade. It is at its end, and used to look up earlier events.
  private var run: LogRun
  private let limits: WhyLimits
  private var cascade = Cascade()
  private var lookup = CascadeLookup()
  /// The runs around those that the walk begins at.
  var causeless = CauselessRuns()
  /// The indices of the cascade's evaluations by their causes; nil as long as no write asked.
  private var runsByCause: [UInt64: [Int]]?
  let symbolizer = Symbolizer()
  /// The steps of the chain, or of the branch that the walk is inside of.
  private var steps = WhySteps(ends: 0)
  /// The evaluations and the units that the walk was at.
  private var followed: Set<UInt64> = []
  /// The writes that have a step.
  private var written: Set<UInt64> = []
  /// How many branches the walk is inside of, and how many the chain has.
  private var depth = 0
  private var branches = 0
  /// The number of steps that all chains together came by, and the number of those that were kept.
  private(set) var walked = 0
  private(set) var kept = 0

  /// Limits on nested branches and on branches beside each other: more would not be read.
  private static let depthMax = 16
  private static let branchesMax = 50

  /// Where a walk goes on.
  private enum Link {
    case evaluation(Cascade.Evaluation)
    case invalidation(Cascade.Invalidation)
    /// A unit, and those of its writes that invalidated the reader.
    case unit(UInt64, causes: [UInt64], reader: String)
  }

  /// - Parameter log: The whole log, if the run covers only a part of it.
  init(_ run: consuming LogRun, of log: LogSource? = nil, keeping limits: WhyLimits) {
    self.log = log ?? run.log
    self.run = run
    self.limits = limits
  }

  /// Continues with another cascade, to which the next chains belong.
  mutating func enter(_ cascade: Cascade) {
    self.cascade = cascade
    runsByCause = nil
    lookup.fill(from: cascade)
  }

  /// Walks back from an evaluation of the cascade in a run that goes on afterwards.
  mutating func chain(of evaluation: Cascade.Evaluation, in run: inout LogRun) -> WhyDraft {
    swap(&self.run, &run)
    defer { swap(&self.run, &run) }
    return chain(of: .evaluation(evaluation))
  }

  /// Walks back from an evaluation or invalidation of the cascade.
  mutating func chain(of found: WhySubject.Found) -> WhyDraft {
    followed.removeAll(keepingCapacity: true)
    written.removeAll(keepingCapacity: true)
    (depth, branches) = (0, 0)
    switch found {
    case .evaluation(let evaluation):
      return WhyDraft(
        projection: name(evaluation.projection), steps: walk(from: .evaluation(evaluation), limits.ends),
        earlier: evaluation.earlier > 0 ? evaluation.earlier : nil, superseded: evaluation.superseded)
    case .invalidation(let invalidation):
      return WhyDraft(
        projection: name(invalidation.projection), steps: walk(from: .invalidation(invalidation), limits.ends)
      )
    }
  }

  private mutating func walk(from start: Link, _ ends: Int) -> [WhyStep] {
    let outer = steps
    steps = WhySteps(ends: ends)
    var next: Link? = start
    while let link = next { next = follow(link) }
    let found = steps.kept()
    walked += steps.count
    kept += found.count
    steps = outer
    return found
  }

  /// Adds the steps of a link; returns the link that led to it.
  private mutating func follow(_ link: Link) -> Link? {
    switch link {
    case .evaluation(let evaluation): follow(evaluation)
    case .invalidation(let invalidation): follow(invalidation)
    case .unit(let unit, let causes, let reader): follow(unit, causes, reader)
    }
  }

  private mutating func follow(_ evaluation: Cascade.Evaluation) -> Link? {
    guard followed.insert(evaluation.seq).inserted else {
      return end("event \(evaluation.seq) led to it, as above")
    }
    add(evaluation)
    if let index = lookup.invalidation(of: evaluation) { return .invalidation(cascade.invalidations[index]) }
    if let index = lookup.leader(of: evaluation, in: cascade) {
      let leader = cascade.evaluations[index]
      if !followed.contains(leader.seq) {
        steps.append(WhyStep(kind: .followed, parent: name(leader.projection)))
        return .evaluation(leader)
      }
    }
    if evaluation.cause == 0 { return followHost(of: evaluation) }
    return .unit(evaluation.cause, causes: [evaluation.cause], reader: name(evaluation.projection))
  }

  /// Follows a run that no event caused: its parent's, if that ran in the same turn, or else it is the first one, or the host
  /// ran it for a reason of its own.
  private mutating func followHost(of evaluation: Cascade.Evaluation) -> Link? {
    if let leader = causeless.leader(of: evaluation, run.registry), !followed.contains(leader.seq) {
      steps.append(WhyStep(kind: .followed, parent: name(leader.projection)))
      return .evaluation(leader)
    }
    if evaluation.isFirst { return end("its first evaluation") }
    return end(
      evaluation.inputChanged == true
        ? "its host ran it, with another input" : "its host ran it, though nothing that it read had changed")
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

  private mutating func follow(_ invalidation: Cascade.Invalidation) -> Link? {
    let reader = name(invalidation.projection)
    steps.append(
      WhyStep(
        kind: .invalidation, seq: invalidation.seq, time: log.event(invalidation.seq)?.time ?? 0,
        projection: reader, causes: invalidation.causes.all, cascade: cascade.root,
        depth: Int(invalidation.depth)))
    return .unit(invalidation.seq, causes: invalidation.causes.all, reader: reader)
  }

  private func name(_ projection: ProjectionID) -> String { run.tables.name(projection) }

  /// Ends the chain with a sentence.
  private mutating func end(_ text: String) -> Link? {
    steps.append(WhyStep(kind: .origin, text: text))
    return nil
  }

  /// Follows a unit that invalidated a projection: first its writes, then what caused it.
  private mutating func follow(_ unit: UInt64, _ causes: [UInt64], _ reader: String) -> Link? {
    guard followed.insert(unit).inserted else { return end("event \(unit) led to it, as above") }
    if let reason = reasonMissing(unit) { return end(reason) }
    if depth < Self.depthMax, branches < limits.branches, hasSeveralCauses(causes) {
      for write in causes { addBranch(write, in: unit, reader: reader) }
      return nil
    }
    for write in causes { if let step = step(write, in: unit, reader: reader) { steps.append(step) } }
    addLabelled(unit)
    if let above = cause(of: unit, causes) { return link(to: above, reader: reader) }
    return nil
  }

  /// Adds a mark or an action, which an event has as its cause.
  private mutating func addLabelled(_ seq: UInt64) {
    guard let event = log.event(seq) else { return }
    let text: String
    switch event.body {
    case .mark(let label): text = MarkLabel(label).isOfApp ? "mark \(label)" : label
    case .action(let label): text = "action \(label)"
    default: return
    }
    steps.append(WhyStep(kind: .origin, seq: seq, time: event.time, site: event.site, text: text))
  }

  /// The link of an event that caused another.
  private mutating func link(to seq: UInt64, reader: String) -> Link {
    if let evaluation = evaluation(seq) { return .evaluation(evaluation) }
    return .unit(seq, causes: writes(in: seq), reader: reader)
  }

  /// Why nothing is known of an event; nil if it is in the log.
  private func reasonMissing(_ seq: UInt64) -> String? {
    if seq < log.firstSeq {
      return
        "event \(seq) led to it, which lies before this part of the recording; it begins with event \(log.firstSeq)"
    }
    return log.event(seq) == nil ? "event \(seq) led to it, which cannot be read" : nil
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
    guard var step = step(write, in: unit, reader: reader) else { return }
    if let cause = cause(ofWrite: write) {
      depth += 1
      branches += 1
      step.because = walk(from: link(to: cause, reader: reader), limits.branchEnds)
      depth -= 1
    }
    steps.append(step)
  }

  /// The unit that caused a write; nil if there is none.
  private mutating func cause(ofWrite seq: UInt64) -> UInt64? {
    guard let cause = run.entry(seq)?.cause, cause > 0 else { return nil }
    return run.unit(cause)
  }

  private mutating func evaluation(_ seq: UInt64) -> Cascade.Evaluation? {
    if let unit = cascade.unit(seq) { return unit.kind == .evaluate ? cascade.evaluation(seq) : nil }
    // The walk may lead out of what is known of the cascade.
    guard let event = log.event(seq),
      case .evaluate(let name, let duration, let changed, let input, _) = event.body
    else { return nil }
    return Cascade.Evaluation(
      seq: seq, time: event.time, duration: duration, cause: event.cause.map { run.unit($0) } ?? 0,
      projection: run.id(ofProjection: name), parent: nil, changed: changed, inputChanged: input,
      isFirst: false, earlier: 0, since: 0, isWhole: false)
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
    cascade.writes(in: unit, &run, log) ?? (run.writtenPath(of: unit) == nil ? [] : [unit])
  }

  /// The step of a write; nil if there is one already, or the event is no write.
  private mutating func step(_ seq: UInt64, in unit: UInt64, reader: String) -> WhyStep? {
    guard let event = log.event(seq), let path = event.body.writtenPath, written.insert(seq).inserted else {
      return nil
    }
    let transaction = cascade.transaction(endedBy: unit)
    var step = WhyStep(
      kind: .write, seq: seq, time: event.time, cause: event.cause, event: event.body.kind.name,
      path: path.description, sameValue: event.body.sameValue == true ? true : nil, site: event.site,
      transaction: transaction.map { Nullable(wrappedValue: $0.label) },
      transactionSite: transaction.flatMap { log.event($0.begin)?.site },
      origin: event.origin.map { WriteOrigin($0, symbolizer) })
    if case .splice(_, let offset, let delete, let insert, _) = event.body {
      (step.offset, step.delete, step.insert) = (offset, delete, PrintedJSON(insert.json))
    }
    step.reader = reader
    if let cause = event.cause { step.writer = writer(of: event, causedBy: cause) }
    return step
  }

  /// The projection in whose run a write was made: of the next run with the same cause to end, if it had begun by then.
  private mutating func writer(of write: Event, causedBy cause: UInt64) -> String? {
    let runs =
      runsByCause ?? Dictionary(grouping: cascade.evaluations.indices) { cascade.evaluations[$0].cause }
    runsByCause = runs
    guard let sameCause = runs[cause] else { return nil }
    let index = sameCause.partitioningIndex { cascade.evaluations[$0].seq > write.seq }
    guard index < sameCause.count else { return nil }
    let next = cascade.evaluations[sameCause[index]]
    guard next.time - min(next.time, next.duration) <= write.time else { return nil }
    return name(next.projection)
  }
}

extension Cascade.Evaluation {
  /// The events before the cause that may have put the projection out of date since its last run; nil if none did.
  fileprivate var superseded: Range<UInt64>? { since > 0 && since < cause ? since..<cause : nil }
}
