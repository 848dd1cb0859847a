import EventLog
import Invalidation

/// Receives the cascades of a run.
protocol CascadeSink {
  /// The first event whose cascade the sink does not need.
  var end: UInt64 { get }
  /// Whether the sink needs the cascades of a root; others are not collected.
  func wants(_ root: UInt64) -> Bool
  /// Whether the sink asks which invalidations were superseded. If not, the runs that tell are not kept.
  var asksForSuperseded: Bool { get }
  /// Receives an evaluation when it is read. The cascade that contains it follows later.
  mutating func receive(_ evaluation: Cascade.Evaluation, _ run: inout LogRun)
  /// Receives a complete flat cascade by its slot. Returns false, and does nothing, if the sink needs the
  /// whole ``Cascade``.
  mutating func receiveFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool
  /// Receives a complete cascade, whose memory is reused afterwards.
  mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) throws
  /// Called when there are no more cascades.
  mutating func finish(_ run: inout LogRun) throws
}

extension CascadeSink {
  var end: UInt64 { .max }
  @inline(__always) func wants(_ root: UInt64) -> Bool { true }
  @inline(__always) var asksForSuperseded: Bool { true }
  mutating func receive(_ evaluation: Cascade.Evaluation, _ run: inout LogRun) {}
  mutating func receiveFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool { false }
  mutating func finish(_ run: inout LogRun) throws {}
}

/// Groups the events of a run into cascades, and passes each cascade to a sink when it is complete, in the
/// order of their roots.
///
/// Effects follow their causes closely. So a cascade counts as complete when nothing has joined it for some
/// ten thousand events. An event that would join it later begins another cascade with the same root.
struct CascadeFeed<Sink: CascadeSink>: RowObserver {
  var sink: Sink
  private(set) var titles = CascadeTitles()
  private var open = OpenCascades()
  private var transactions = Transactions()
  private var swept: UInt64 = 0
  /// How many bytes the open cascades may take.
  private var bytesMax = Int.max
  private var causation = Causation()

  init(_ sink: Sink) { self.sink = sink }

  var needs: RunNeeds { [.hits, .lookback, .lives] }

  /// Cascades that began before the sink's end may still be joined for a while.
  var end: UInt64 { sink.end + 2 * OpenCascades.patience }

  mutating func begin(_ run: inout LogRun) {
    bytesMax = run.log.limits?.cascadeBytes ?? .max
    causation = Causation(from: run.log.firstSeq)
    for projection in run.registry.living {
      open.apply(parent: run.registry[projection].parent, of: projection)
    }
  }

  mutating func observe(_ run: inout LogRun) throws {
    transactions.apply(&run, &titles)
    if !run.hits.isEmpty { addHits(&run) }
    switch run.row.kind {
    case .invalidate: addRecorded(&run)
    case .evaluate: addEvaluation(&run)
    default: if let change = run.row.kind.lifeChange { apply(change, &run) }
    }
    // Looking through all open cascades is slow, so this happens only every few thousand events.
    let seq = run.row.seq
    if seq >= swept + OpenCascades.patience / 4 {
      swept = seq
      try sweep(before: seq < OpenCascades.patience ? 0 : seq - OpenCascades.patience, &run)
    }
    if open.bytesHeld > bytesMax { try makeRoom(&run) }
  }

  /// Passes on cascades earlier than usual, because the open ones take too much memory.
  private mutating func makeRoom(_ run: inout LogRun) throws {
    let seq = run.row.seq
    var patience = OpenCascades.patience
    while open.bytesHeld > bytesMax / 2, patience > 0 {
      patience /= 4
      try sweep(before: seq - min(patience, seq), &run)
    }
    guard open.bytesHeld / 2 > bytesMax else { return }
    throw run.overLimit("its cascade would take over \(bytesMax >> 19) MiB")
  }

  mutating func finish(_ run: inout LogRun) throws {
    try sweep(before: .max, &run)
    try sink.finish(&run)
  }

  /// The open cascade with this root in its present form, valid until the next row; nil if there is none.
  mutating func cascade(of root: UInt64) -> Cascade? { open.cascade(of: root) }

  /// Passes on the cascades that no event from `seq` on has joined.
  private mutating func sweep(before seq: UInt64, _ run: inout LogRun) throws {
    for slot in open.removeJoined(before: seq) {
      let isDone = open.isFlat(slot) && sink.receiveFlat(slot, of: open, &titles, &run)
      if !isDone { try sink.receive(open.cascade(slot), &titles, &run) }
      open.free(slot)
    }
  }

  private mutating func apply(_ change: EventKind.LifeChange, _ run: inout LogRun) {
    guard let projection = run.projection else { return }
    causation.apply(change, of: projection, isMove: run.isMove)
    // The children of an ended projection keep it as an ancestor in the cascades that they are part of.
    open.apply(parent: change == .begins ? run.parent : nil, of: projection)
  }

  private mutating func addHits(_ run: inout LogRun) {
    for hit in run.hits {
      for (unit, causes) in run.units(of: hit) {
        causation.invalidate(hit.projection, by: unit)
        let root = run.root(of: unit)
        guard sink.wants(root.seq), unit == hit.unit || sink.asksForSuperseded else { continue }
        open.addInvalidation(
          Cascade.Invalidation(
            seq: unit, projection: hit.projection, depth: Int32(clamping: root.depth), causes: causes),
          to: join(root.seq, unit: unit, &run))
      }
    }
  }

  private mutating func addRecorded(_ run: inout LogRun) {
    guard let projection = run.projection else { return }
    let unit = run.recordedUnit()
    let root = run.root(of: unit).seq
    guard sink.wants(root) else { return }
    let slot = join(root, unit: unit, &run)
    open.addRecorded(
      Cascade.Invalidation(seq: unit, projection: projection, depth: 0, causes: run.recordedCauses), to: slot)
  }

  private mutating func addEvaluation(_ run: inout LogRun) {
    guard let projection = run.projection else { return }
    let cause = run.row.cause > 0 ? run.unit(run.row.cause) : 0
    let life = run.registry[projection]
    let isFirst = life.isAlive && !life.hasRun
    let before = causation.run(projection, cause: cause, isFirst: isFirst, at: run.row.seq)
    if cause > 0, sink.asksForSuperseded { open.apply(run: projection, cause: cause, at: run.row.seq) }
    let evaluation = Cascade.Evaluation(
      seq: run.row.seq, time: run.row.time, duration: run.row.duration, cause: cause,
      projection: projection, parent: open.parent(of: projection), changed: run.row.changed,
      inputChanged: run.row.inputChanged, isFirst: isFirst,
      earlier: before.earlier, since: before.since, isWhole: before.isWhole)
    if cause > 0 {
      let root = run.root(of: run.row.seq).seq
      if sink.wants(root) { open.add(evaluation, to: join(root, unit: cause, &run)) }
    }
    sink.receive(evaluation, &run)
  }

  /// The slot of the open cascade with this root. Adds the unit, which an event of the cascade names as its
  /// cause, if it is missing.
  private mutating func join(_ root: UInt64, unit: UInt64, _ run: inout LogRun) -> Int {
    let slot = open.slot(of: root, joinedAt: run.row.seq)
    if !open.hasUnit(unit, in: slot) { addCauses(of: unit, to: slot, &run) }
    return slot
  }

  /// Adds an event that caused others, and the chain of its own causes up to the root.
  private mutating func addCauses(of first: UInt64, to slot: Int, _ run: inout LogRun) {
    var seq = first
    while !open.hasUnit(seq, in: slot), let entry = run.entry(seq) {
      let cause = entry.cause > 0 ? run.unit(entry.cause) : 0
      let transaction = entry.kind == .end ? transactions.transaction(endedBy: seq) : nil
      let title = transaction.map { titles.title($0.title(titles)) } ?? titles.event(seq, entry, &run)
      open.add(Cascade.Unit(seq: seq, kind: entry.kind, title: title, cause: cause), transaction, to: slot)
      if seq == open.root(slot) || cause == 0 { return }
      seq = cause
    }
  }
}
