import EventLog

/// Chooses runs whose cause chains are wanted, and receives these.
protocol ChainVisitor {
  /// Whether the chain of a run is wanted; what came before the run may be set in it. Called when the run is read.
  mutating func wants(_ evaluation: inout Cascade.Evaluation, _ run: inout LogRun) -> Bool
  mutating func receive(_ draft: WhyDraft, of seq: UInt64) throws
}

/// How much many chains may cost together, since each may be as long as the log.
struct WalkBudget {
  /// The steps that the walks may come by, and those that they may keep.
  var walked: Int
  var kept: Int
  /// The items of cascades that may be looked through, each at the end of every flush in which it has runs.
  var items = 1 << 24

  var isSpent: Bool { min(walked, kept, items) <= 0 }
}

/// Walks back from many runs in one pass, from each when its flush is over: what its cascade has by then is what
/// `why` knows of it.
struct FlushWalk<Visitor: ChainVisitor>: ~Copyable, RowObserver {
  var visitor: Visitor
  private(set) var end = UInt64.max
  private var feed = CascadeFeed(LastRun())
  private var bounds = FlushBounds()
  private var walk: WhyWalk
  /// The wanted runs of the flush, with the roots of their cascades; 0 for a run without a cause.
  private var pending: [(root: UInt64, evaluation: Cascade.Evaluation)] = []
  private let seqEnd: UInt64
  /// What is left for the runs that follow. Those for which nothing is left have no chains.
  private(set) var left: WalkBudget

  /// - Parameter seqEnd: The first event that is not wanted; the flush around it is read on.
  init(_ visitor: Visitor, in log: LogSource, before seqEnd: UInt64, within budget: WalkBudget) {
    self.visitor = visitor
    self.seqEnd = seqEnd
    left = budget
    walk = WhyWalk(LogRun(log, []), of: log, keeping: .page)
  }

  var needs: RunNeeds { feed.needs }

  mutating func begin(_ run: inout LogRun) {
    bounds.begin(run)
    feed.begin(&run)
  }

  mutating func observe(_ run: inout LogRun) throws {
    if bounds.isOver(before: run.row), !run.computesDerivedValue {
      try follow(&run)
      bounds.restart()
      if run.row.seq >= seqEnd {
        end = 0
        return
      }
    }
    bounds.observe(run.row)
    try feed.observe(&run)
    if run.row.kind == .evaluate, var evaluation = feed.sink.run {
      walk.causeless.append(evaluation)
      if run.row.seq < seqEnd, visitor.wants(&evaluation, &run) {
        pending.append((evaluation.cause > 0 ? run.root(of: evaluation.cause).seq : 0, evaluation))
      }
    }
    // A flush that does not end is not worth reading the rest of the log.
    if run.row.seq >= seqEnd + OpenCascades.patience {
      pending = []
      end = 0
    }
  }

  mutating func finish(_ run: inout LogRun) throws { try follow(&run) }

  private mutating func follow(_ run: inout LogRun) throws {
    pending.sort { ($0.root, $0.evaluation.seq) < ($1.root, $1.evaluation.seq) }
    var entered: Cascade?
    for (root, evaluation) in pending where !left.isSpent {
      if entered?.root != root {
        guard let cascade = root > 0 ? feed.cascade(of: root) : Cascade() else { continue }
        left.items -= cascade.itemCount
        walk.enter(cascade)
        entered = cascade
      }
      // A cascade that was passed on in the meantime may have gone on without this run.
      guard root == 0 || entered?.evaluation(evaluation.seq) != nil else { continue }
      let (walked, kept) = (walk.walked, walk.kept)
      let draft = walk.chain(of: evaluation, in: &run)
      left.walked -= walk.walked - walked
      left.kept -= walk.kept - kept
      try visitor.receive(draft, of: evaluation.seq)
    }
    pending.removeAll(keepingCapacity: true)
    walk.causeless.removeAll()
  }
}

/// Keeps the run that was read last; of the cascades only the open ones are needed.
private struct LastRun: CascadeSink {
  private(set) var run: Cascade.Evaluation?

  var asksForSuperseded: Bool { false }

  mutating func receive(_ evaluation: Cascade.Evaluation, _ run: inout LogRun) { self.run = evaluation }

  mutating func receiveFlat(
    _ slot: Int, of open: borrowing OpenCascades, _ titles: inout CascadeTitles, _ run: inout LogRun
  ) -> Bool { true }

  mutating func receive(_ cascade: Cascade, _ titles: inout CascadeTitles, _ run: inout LogRun) {}
}
