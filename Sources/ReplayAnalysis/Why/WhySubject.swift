import EventLog

/// What `why` explains: the last run of a projection, or its last invalidation if it never ran.
struct WhySubject: ~Copyable {
  enum Found {
    case evaluation(Cascade.Evaluation)
    case invalidation(Cascade.Invalidation)
  }

  let found: Found
  /// The cascade that contains it.
  let cascade: Cascade
  /// For an evaluation: the last event that invalidated the projection since.
  let invalidatedAgain: UInt64?
  /// The runs without a cause in the same flush.
  let causeless: CauselessRuns
  /// The pass that found it, to look up names and earlier events.
  let run: LogRun
}

/// Finds the last run of the projections that match a pattern, up to an event.
///
/// It looks backwards for the run and for the one before it, in the blocks that name the projection. Then it reads the
/// log from the root of the run's cause chain on, or from the cause of the run before, since all that has put the
/// projection out of date since then may be a cause; for a first run, from the projection's creation on.
struct WhySearch {
  private let log: LogSource
  private let pattern: ProjectionPattern
  private let limit: UInt64
  private let progress: AnalysisProgress

  private static let leadersMax = 8

  init(for pattern: ProjectionPattern, upTo limit: UInt64, in log: LogSource, progress: AnalysisProgress) {
    self.log = log
    self.pattern = pattern
    self.limit = limit
    self.progress = progress
  }

  /// The result; nil if no matching projection ran or was invalidated.
  func subject() throws -> WhySubject? {
    // Damage is reported for the whole log.
    let isOfPart = log.damage.isOfPart
    defer { log.damage.isOfPart = isOfPart }
    do { return try subject(upTo: limit) } catch let error as LogError where error.code == .damaged {
      // The state before the run cannot be read. What comes before the damage can be.
      var run = LogRun(log, [])
      while try run.next() {}
      return run.row.seq < limit ? try subject(upTo: run.row.seq) : nil
    }
  }

  private func subject(upTo limit: UInt64) throws -> WhySubject? {
    if let seq = try last(.run(pattern), upTo: limit), let projection = log.projection(runningAt: seq) {
      return try subject(runningAt: seq, projection, upTo: limit)
    }
    guard let seq = try last(.invalidated(pattern), upTo: limit) else { return nil }
    return try subject(invalidatedAt: seq)
  }

  private func subject(
    runningAt seq: UInt64, _ projection: String, upTo limit: UInt64
  ) throws -> WhySubject? {
    let chain = log.causeChain(of: seq)
    let this = ProjectionPattern(exactly: projection)
    var start = min(chain.last ?? seq, try since(seq, of: projection))
    var search = RunCascade(seq, Set(chain))
    var run = try log.part(from: start).play(to: &search, progress: progress)
    // The runs that it belongs to are explained too, each from what came before it. What is read then may show that it
    // belongs to one more.
    for _ in 0..<Self.leadersMax {
      guard let leader = search.firstLeader(in: run) else { break }
      let earlier = try since(leader.seq, of: run.tables.name(leader.projection))
      guard earlier < start else { break }
      start = earlier
      search = RunCascade(seq, Set(chain))
      run = try log.part(from: start).play(to: &search, progress: progress)
    }
    let feed = search.feed
    guard let evaluation = feed.sink.evaluation else { return nil }
    // A late event begins a second cascade with the same root, so take the one that contains the run.
    let cascade = feed.sink.found.first { $0.evaluation(seq) != nil }
    let again = limit > seq ? try last(.invalidated(this), upTo: limit) : nil
    return WhySubject(
      found: .evaluation(evaluation), cascade: cascade ?? Cascade(root: seq),
      invalidatedAgain: again.flatMap { $0 > seq ? $0 : nil }, causeless: search.causeless, run: run)
  }

  /// The event that put a projection out of date before the run that came before this one; for a first run, the
  /// projection's creation.
  private func since(_ seq: UInt64, of projection: String) throws -> UInt64 {
    let this = ProjectionPattern(exactly: projection)
    let earlier = try log.last(.run(this), .created(this), before: seq, progress: progress)
    // Two steps back from a run is the event that invalidated it, also where its cause is a recorded invalidation.
    return earlier.map { log.causeChain(of: $0).prefix(3).last ?? $0 } ?? firstSeq(naming: this)
  }

  private func subject(invalidatedAt seq: UInt64) throws -> WhySubject? {
    let chain = log.causeChain(of: seq)
    var feed = CascadeFeed(CascadeCollector(Set(chain), end: seq + 1))
    let run = try log.part(from: chain.last ?? seq).play(to: &feed, progress: progress)
    for cascade in feed.sink.found {
      let last = cascade.invalidations.last {
        $0.seq == seq && pattern.matches(run.tables.name($0.projection))
      }
      if let last {
        return WhySubject(
          found: .invalidation(last), cascade: cascade, invalidatedAgain: nil, causeless: CauselessRuns(),
          run: run)
      }
    }
    return nil
  }

  /// The beginning of the first block that names a projection: it was created there at the earliest.
  private func firstSeq(naming projection: ProjectionPattern) -> UInt64 {
    log.reader.blocks(naming: projection.matches).first?.firstSeq ?? log.firstSeq
  }

  /// The last event that meets a condition.
  private func last(_ condition: EventCondition, upTo limit: UInt64) throws -> UInt64? {
    try log.last(condition, before: limit + 1, progress: progress)
  }
}

/// Collects the cascade of a run up to the end of its flush: the log has the run of an ancestor that led to it later, since
/// it records a run when it ends.
private struct RunCascade: RowObserver {
  private(set) var feed: CascadeFeed<CascadeCollector>
  private(set) var causeless = CauselessRuns()
  private(set) var end = UInt64.max
  private let seq: UInt64
  private var bounds = FlushBounds()

  init(_ seq: UInt64, _ chain: Set<UInt64>) {
    self.seq = seq
    feed = CascadeFeed(CascadeCollector(chain, run: seq, end: .max))
  }

  var needs: RunNeeds { feed.needs }

  mutating func begin(_ run: inout LogRun) {
    bounds.begin(run)
    feed.begin(&run)
  }

  mutating func observe(_ run: inout LogRun) throws {
    if bounds.isOver(before: run.row), !run.computesDerivedValue {
      if run.row.seq > seq {
        end = 0
        return
      }
      bounds.restart()
      causeless.removeAll()
    }
    bounds.observe(run.row)
    try feed.observe(&run)
    if run.row.kind == .evaluate, let evaluation = feed.sink.last { causeless.append(evaluation) }
  }

  mutating func finish(_ run: inout LogRun) throws { try feed.finish(&run) }

  /// The outermost run that the run belongs to; nil for one with a cause, or that belongs to none.
  func firstLeader(in run: borrowing LogRun) -> Cascade.Evaluation? {
    guard var last = feed.sink.evaluation else { return nil }
    var followed: Set = [last.seq]
    while last.cause == 0, let leader = causeless.leader(of: last, run.registry),
      followed.insert(leader.seq).inserted
    {
      last = leader
    }
    return followed.count > 1 ? last : nil
  }
}
