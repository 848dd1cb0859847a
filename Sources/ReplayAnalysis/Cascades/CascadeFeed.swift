import EventLog
import Invalidation

/// Sorts the events of a run into cascades, and gives each away when nothing joins it any more.
///
/// Effects follow their causes closely, so a cascade that nothing joined for ``patience`` events is taken for
/// complete. An event that joins it later all the same begins another with the same root.
struct CascadeFeed {
  /// How many events a cascade is kept open after the last that joined it.
  static let patience: UInt64 = 1 << 14

  private var titles = CascadeNames()
  private var open = OpenCascades()
  private var transactions = Transactions()
  /// Whether a projection was created and has not run yet, by the number of its name.
  private var fresh = DenseMap<Int, Bool>(default: false)
  private var swept: UInt64 = 0

  init(_ run: inout Run) {
    for event in run.log.base?.projections.asEvents() ?? [] {
      guard case .projection(let name, let parent, _) = event else { continue }
      open.note(parent: parent.map { run.number(of: $0) }, of: run.number(of: name))
    }
  }

  /// Takes in the last row of a run, and returns the evaluation that it is, if it is one.
  @discardableResult
  mutating func add(_ run: inout Run) -> Cascade.Evaluation? {
    let seq = run.row.seq
    transactions.note(&run, &titles)
    if !run.hits.isEmpty { addHits(&run) }
    switch run.row.kind {
    case .invalidate:
      guard let name = run.name else { break }
      let unit = run.row.cause > 0 ? run.row.cause : seq
      let entry = Cascade.Woken(seq: unit, projection: Int32(name), depth: 0, causes: run.recordedCauses)
      let place = join(run.root(of: unit).seq, unit: unit, &run)
      open.addRecorded(entry, to: place)
    case .evaluate: return addEvaluation(&run)
    default: if let change = run.row.kind.lifeChange { note(change, &run) }
    }
    return nil
  }

  private mutating func note(_ change: EventKind.LifeChange, _ run: inout Run) {
    guard let name = run.name else { return }
    switch change {
    case .begins:
      open.note(parent: run.parent, of: name)
      fresh[name] = true
    case .ends:
      // Its children keep their ancestors in the cascades that they are in.
      open.note(parent: nil, of: name)
      if fresh[name] { fresh[name] = false }
    }
  }

  private mutating func addHits(_ run: inout Run) {
    let seq = run.row.seq
    let root = run.root(of: seq)
    let place = join(root.seq, unit: seq, &run)
    for hit in run.hits {
      open.addInvalidation(
        Cascade.Woken(
          seq: seq, projection: Int32(hit.name), depth: Int32(clamping: root.depth), causes: hit.causes),
        to: place)
    }
  }

  private mutating func addEvaluation(_ run: inout Run) -> Cascade.Evaluation? {
    guard let name = run.name else { return nil }
    let cause = run.row.cause > 0 ? run.unit(run.row.cause) : 0
    let isFirst = fresh[name]
    if isFirst { fresh[name] = false }
    let evaluation = Cascade.Evaluation(
      seq: run.row.seq, time: run.row.time, projection: Int32(name),
      parent: open.parent(of: name), duration: run.row.duration,
      changed: run.row.changed, cause: cause, isFirst: isFirst)
    if cause > 0 {
      let place = join(run.root(of: run.row.seq).seq, unit: cause, &run)
      open.add(evaluation, to: place)
    }
    return evaluation
  }

  /// Gives the cascades that are complete, in the order of their roots; all of them when the run is at its end.
  ///
  /// - Parameter flatly: Asked first about those that are flat, by their places; true where that is all there is to do.
  mutating func complete(
    at seq: UInt64, isEnd: Bool = false,
    flatly: (borrowing OpenCascades, Int, inout CascadeNames) -> Bool = { _, _, _ in false },
    _ body: (Cascade, inout CascadeNames) throws -> Void
  ) rethrows {
    // Looking through all that are open is worth it only now and then.
    guard isEnd || seq >= swept.addingClamped(Self.patience / 4) else { return }
    swept = seq
    let places = open.takeJoined(before: isEnd ? .max : seq < Self.patience ? 0 : seq - Self.patience)
    for place in places {
      let isDone = open.isFlat(place) && flatly(open, place, &titles)
      if !isDone { try body(open.cascade(place), &titles) }
      open.free(place)
    }
  }

  /// The place of the open cascade with a root, which an event of this unit joins.
  private mutating func join(_ root: UInt64, unit: UInt64, _ run: inout Run) -> Int {
    let place = open.place(of: root, joinedAt: run.row.seq)
    if !open.hasUnit(unit, in: place) { addChain(from: unit, to: place, &run) }
    return place
  }

  /// Adds an event that led to others, and those that led to it.
  private mutating func addChain(from first: UInt64, to place: Int, _ run: inout Run) {
    var seq = first
    while !open.hasUnit(seq, in: place), let entry = run.entry(seq) {
      let cause = entry.cause > 0 ? run.unit(entry.cause) : 0
      let transaction = entry.kind == .end ? transactions.transaction(endedBy: seq) : nil
      let title = transaction.map { titles.number($0.title(titles)) } ?? titles.event(seq, entry, run)
      open.add(Cascade.Unit(seq: seq, kind: entry.kind, title: title, cause: cause), transaction, to: place)
      if seq == open.root(place) || cause == 0 { return }
      seq = cause
    }
  }
}

extension LogSource {
  /// Goes through a run, up to those that began before an event, and gives every cascade when it is complete.
  func forEachCascade(
    upTo end: UInt64 = .max, progress: AnalysisProgress,
    flatly: (borrowing OpenCascades, Int, inout CascadeNames, borrowing RunTables) -> Bool = { _, _, _, _ in
      false
    },
    _ body: (Cascade, inout Run, inout CascadeNames) throws -> Void
  ) throws {
    var run = Run(self, progress: progress)
    var feed = CascadeFeed(&run)
    // What began before the end may be joined for a while.
    let (limit, isEndless) = end.addingReportingOverflow(2 * CascadeFeed.patience)
    while try run.next(), isEndless || run.row.seq < limit {
      feed.add(&run)
      try feed.complete(at: run.row.seq) {
        flatly($0, $1, &$2, run.tables)
      } _: {
        try body($0, &run, &$1)
      }
    }
    progress.finish()
    try feed.complete(at: .max, isEnd: true) {
      flatly($0, $1, &$2, run.tables)
    } _: {
      try body($0, &run, &$1)
    }
  }
}
