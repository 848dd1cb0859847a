import EventLog
import Invalidation

/// Counts everything that the rules need, in one pass over a run.
struct LintTally: RowObserver {
  let needs: RunNeeds = [.hits, .lookback, .lives]
  let thresholds: LintThresholds
  let seqs: Range<UInt64>
  private var flush = FlushRuns()
  private(set) var written: WrittenPlaces
  private(set) var pairs = WakePairs()
  private(set) var chains: RewakeChains
  private(set) var wholesale: WholesaleChanges
  private(set) var bursts = Bursts()
  private(set) var stale = StaleAnswers()
  private(set) var writers = Writers()
  private(set) var callbackChains = CallbackChains()
  private(set) var rivals = RivalWrites()
  private(set) var idle = IdleActions()
  private(set) var stays: OutOfDateStays
  private(set) var shifted: ShiftedRows
  private(set) var madeAgain = MadeAgain()
  private(set) var joint = JointPaths()
  private(set) var callbacks = Callbacks()
  private(set) var pace = Pace()
  private(set) var callbackSites = CallbackSites()
  private(set) var remade = RemadeRows()
  private(set) var repeated = RepeatedSets()
  private(set) var loops: TimedLoops
  /// All runs, each in one line.
  private(set) var account: AccountTally
  private(set) var bodies = BodyTimes()
  /// All runs.
  private(set) var runs = LintReport.Price.zero
  /// The last write of the app itself, and the last event before the end of the session, which ends what lives.
  private(set) var lastWrite: UInt64 = 0
  private(set) var lastEvent: UInt64 = 0
  /// The last burst of writes, and the number that an object would have got before it.
  private var lastBurst: UInt32 = 0
  private var lastObjects: UInt64 = 0
  /// What the session reported about its own use, in marks.
  private(set) var diagnostics: [(seq: UInt64, reported: ReportedDiagnostic)] = []
  private(set) var readers = DenseMap<GroupID<ProjectionID>, Readers>(default: Readers())
  /// The runs of each projection though nothing was known to ask for them: by a host.
  private(set) var unasked = DenseMap<GroupID<ProjectionID>, Unasked>(default: Unasked())
  /// The groups of the paths that each projection's instances read.
  private(set) var reads = DenseMap<GroupID<ProjectionID>, Set<GroupID<PathID>>>(default: [])
  /// The pair that invalidated each projection since it last ran.
  private var wokenBy = ProjectionMap<Int32?>(default: nil)
  /// The invalidating pair of each entry of the flush.
  private var wakers: [Int32?] = []
  private var isCounting = false
  /// For a path that begins with an object's id: the group of the name that it had at its first read, or
  /// `.max` if there was none. Objects in lists move all the time, and finding their names again took half of
  /// the pass.
  private var readGroups = PathMap<UInt32>(default: .max)

  private static let readsMax = 64
  private static let causesMax = 16
  private static let diagnosticsMax = 64

  /// - Parameter seqs: The events that are counted. Earlier ones are processed too, for the projections that
  ///   live or are invalidated at the beginning.
  init(_ thresholds: LintThresholds, in seqs: Range<UInt64>) {
    self.thresholds = thresholds
    self.seqs = seqs
    written = WrittenPlaces(thresholds)
    chains = RewakeChains(thresholds)
    wholesale = WholesaleChanges(thresholds)
    shifted = ShiftedRows(thresholds)
    loops = TimedLoops(thresholds)
    account = AccountTally(in: seqs)
    stays = OutOfDateStays(thresholds)
  }

  var end: UInt64 { seqs.upperBound }

  mutating func begin(_ run: inout LogRun) {
    flush.begin(run)
    account.begin(&run)
    stays.begin(&run)
    isCounting = seqs.lowerBound <= run.log.firstSeq
  }

  @inline(__always)
  mutating func observe(_ run: inout LogRun) {
    let flushes = account.flushNumber
    account.observe(&run)
    if account.flushNumber != flushes { remade.settle(account, in: seqs, &run) }
    if flush.isOver(before: run.row) { settle(&run) }
    if !isCounting { isCounting = run.row.seq >= seqs.lowerBound }
    callbackChains.observe(&run)
    let isEvaluation = flush.observe(&run)
    bodies.observe(&run)
    if run.row.kind.lifeChange != .ends { lastEvent = run.row.seq }
    stays.observe(&run, isCounting: isCounting)
    if isCounting {
      idle.observe(&run)
      pace.apply(run.row)
    }
    if let path = run.path, isCounting, !run.isRelease {
      let group = run.group(of: path)
      written.apply(run.row, path, of: group, run.contradiction)
      wholesale.apply(run.row, of: group)
      shifted.apply(run.row, of: group)
      remade.apply(run, path, of: group)
      repeated.apply(&run, path, of: group, in: written.transaction(around: run.row))
      loops.apply(&run, path, of: group, account.action)
      if run.isOwn(run.row.cause) {
        bursts.apply(run.row, path, of: group)
        stale.apply(path, of: group, &run)
        rivals.forget(path)
        lastWrite = run.row.seq
      }
    } else if run.row.kind == .begin || run.row.kind == .end {
      if run.row.kind == .end { repeated.end(run.row.seq, of: written.transaction(around: run.row)) }
      written.nest(run.row)
      bursts.apply(run.row, nil, of: nil)
    } else {
      bursts.follow(run.row)
    }
    if bursts.number != lastBurst { (lastBurst, lastObjects) = (bursts.number, run.objectsBefore) }
    if run.row.kind == .begin || run.row.kind == .action { repeated.begin(run) }
    if !run.hits.isEmpty {
      addHits(&run)
      if run.row.isSameValue, isCounting, let path = run.path {
        written.countSameValue(of: run.group(of: path))
      }
    }
    if run.row.kind == .mark { addDiagnostic(run) }
    if isEvaluation, let projection = run.projection {
      callbacks.countRun(of: projection, &run)
      let waker = wokenBy[projection]
      wakers.append(waker)
      wokenBy[projection] = nil
      if let entry = flush.entries.last {
        bodies.addRun(entry, run, isCounted: isCounting)
        countRun(entry, wokenBy: waker, &run)
      }
    } else if run.row.kind == .reads || run.row.kind == .projection {
      addReader(&run)
    } else if run.row.kind.lifeChange == .ends, let projection = run.projection {
      madeAgain.markEnd(run.group(of: projection))
      if let waker = wokenBy[projection], isCounting { pairs.countEnd(Int(waker), 1) }
      callbackSites.end(projection)
    }
  }

  mutating func finish(_ run: inout LogRun) {
    account.finish(&run)
    remade.settle(account, in: seqs, &run)
    settle(&run)
    written.finish()
    stale.finish()
    idle.finish()
    callbackSites.finish(&run)
    repeated.finish()
    loops.finish()
    stays.finish(&run)
  }

  private mutating func countRun(_ entry: FlushRuns.Entry, wokenBy waker: Int32?, _ run: inout LogRun) {
    var path = waker.map { pairs.pairs[Int($0)].path }
    if path == nil, entry.cause > 0 { path = run.writtenPath(of: entry.cause).map { run.group(of: $0) } }
    callbackChains.countRun(entry, for: path, at: run.row.time)
    if !isCounting { return }
    callbackSites.countRun(entry, in: bursts.number)
    readers[entry.group].hasRun = true
    madeAgain.countRun(
      of: entry.projection, entry.group, cause: run.row.cause, isFirst: entry.isFirst)
    // What callbacks write is no burst of the app.
    if !entry.isFirst, entry.wasInvalidated, let cause = run.entry(entry.invalidatedBy)?.cause,
      run.isOwn(cause)
    {
      bursts.countRun(entry)
    }
  }

  private mutating func addHits(_ run: inout LogRun) {
    let seq = run.row.seq
    let own = run.path.map { run.group(of: $0) }
    for hit in run.hits {
      guard run.registry[hit.projection].hasRun else {
        callbacks.markEarly(hit.projection, &run)
        continue
      }
      let path = hit.causes.only == seq ? own : nil
      guard let path = path ?? writtenGroup(of: hit.causes, &run) else { continue }
      let (root, depth) = run.root(of: hit.unit)
      let pair = pairs.index(of: hit.projection, in: run.group(of: hit.projection), wokenBy: path)
      wokenBy[hit.projection] = Int32(pair)
      callbackChains.apply(hit.projection, by: hit.unit, path)
      guard isCounting else { continue }
      pairs.countInvalidation(pair, by: seq)
      chains.apply(hit.projection, pair: pair, by: hit.unit, root: root, depth: depth, at: run.row.time)
      joint.apply(hit.projection, in: pairs.pairs[pair].projection, by: path, in: bursts.number)
      if hit.causes.only == nil {
        joint.apply(in: pairs.pairs[pair].projection, by: path, and: writtenGroups(of: hit.causes, &run))
      }
    }
  }

  private mutating func addDiagnostic(_ run: borrowing LogRun) {
    guard isCounting, diagnostics.count < Self.diagnosticsMax,
      let reported = run.label.flatMap({ ReportedDiagnostic(label: $0) })
    else { return }
    diagnostics.append((run.row.seq, reported))
  }

  /// The group of the path that the first of these causes wrote.
  private func writtenGroup(of causes: Causes, _ run: inout LogRun) -> GroupID<PathID>? {
    guard let cause = causes.all.first, let path = run.writtenPath(of: cause) else { return nil }
    return run.group(of: path)
  }

  /// The groups of the paths that further causes wrote, of the first few.
  private func writtenGroups(of causes: Causes, _ run: inout LogRun) -> [GroupID<PathID>] {
    var groups: [GroupID<PathID>] = []
    for cause in causes.all.prefix(Self.causesMax).dropFirst() {
      guard let path = run.writtenPath(of: cause) else { continue }
      let group = run.group(of: path)
      if !groups.contains(group) { groups.append(group) }
    }
    return groups
  }

  private mutating func addReader(_ run: inout LogRun) {
    guard let projection = run.projection else { return }
    let group = run.group(of: projection)
    if run.row.kind == .projection {
      let parent = run.parent
      readers[group].hasParent = parent != nil
      readers[group].tracking = run.row.tracking
      if run.isMove {
        if let waker = wokenBy[projection], isCounting { pairs.countEnd(Int(waker), -1) }
      } else {
        wokenBy[projection] = nil
        madeAgain.markBirth(
          of: projection, group, at: run.row.seq, cause: run.row.cause, after: lastWrite)
        if isCounting {
          callbackSites.begin(projection, group, after: lastWrite, objects: lastObjects, run)
        }
      }
      if readers[group].created == 0 {
        readers[group].created = run.row.seq
        readers[group].parent = parent.map { run.group(of: $0) }
      }
      return
    }
    callbackSites.markReads(of: projection, run)
    readers[group].pathsMost = max(readers[group].pathsMost, run.readPaths.count)
    if !run.row.isChangeOfReads { bodies.forgetReads(of: projection) }
    for path in run.readPaths {
      let read = self.group(ofRead: path, &run)
      bodies.countRead(read, by: projection, 1)
      if reads[group].count < Self.readsMax { reads[group].insert(read) }
    }
    for path in run.droppedPaths { bodies.countRead(self.group(ofRead: path, &run), by: projection, -1) }
  }

  /// The group of a path that is read. An object that has moved since keeps its first group.
  private mutating func group(ofRead path: PathID, _ run: inout LogRun) -> GroupID<PathID> {
    let known = readGroups[path]
    if known != .max { return GroupID(Int(known)) }
    let name = run.name(ofRead: path)
    let group = run.group(of: name)
    // A path without another name is looked up fast, and may still get a name.
    if name != path { readGroups[path] = group.index }
    return group
  }

  /// Ends a flush.
  private mutating func settle(_ run: inout LogRun) {
    if !flush.entries.isEmpty {
      flush.nest(run.registry)
      flush.judge(by: account.settled.lazy.map { ($0.run.seq, $0.line.isForNothing($0.run)) })
      if isCounting { addRuns() }
    }
    callbackChains.settle(flush.entries, isCounting: isCounting, run)
    if !chains.isSettled { chains.settle { [callbackChains] in callbackChains.isOfTask($0) } }
    if isCounting, !callbackChains.writes.isEmpty { addConsequences(&run) }
    callbackChains.removeAll()
    wholesale.settle(flush)
    shifted.settle(flush)
    madeAgain.removeAll()
    flush.removeAll()
    wakers.removeAll(keepingCapacity: true)
  }

  /// Counts the writes of a flush that follow from others.
  private mutating func addConsequences(_ run: inout LogRun) {
    for write in callbackChains.writes {
      writers.count(write)
      rivals.apply(write, callbackSites, &run)
      stale.apply(write, &run)
    }
    rivals.settle(flush.entries)
  }

  private mutating func addRuns() {
    runs.runs += flush.entries.count
    for entry in flush.entries { runs.time += entry.duration }
    for (index, entry) in flush.entries.enumerated() {
      if entry.isFirst {
        readers[entry.group].firsts.add(entry)
        continue
      }
      readers[entry.group].work.add(entry)
      readers[entry.group].growth.add(entry.duration)
      if let waker = wakers[index] {
        pairs.countRun(Int(waker), entry)
      } else if let leader = outer(index, where: { wakers[$0] != nil }), let waker = wakers[leader] {
        pairs.countDragged(Int(waker), entry)
      } else if !hasReason(index), outer(index, where: { hasReason($0) }) == nil {
        unasked[entry.group].work.add(entry)
        unasked[entry.group].evidence.append(entry.seq)
      }
      guard
        let reason = entry.wasInvalidated ? index : outer(index, where: { flush.entries[$0].wasInvalidated })
      else { continue }
      repeated.countRun(entry, for: flush.entries[reason].invalidatedBy)
      loops.countRun(entry, for: flush.entries[reason].invalidatedBy)
    }
  }

  /// The nearest enclosing run of which something is true.
  private func outer(_ entry: Int, where isTrue: (Int) -> Bool) -> Int? {
    var next = flush.entries[entry].within
    // More steps than runs are ever nested: the runs form a cycle.
    for _ in 0..<64 {
      guard let index = next else { return nil }
      if isTrue(index) { return index }
      next = flush.entries[index].within
    }
    return nil
  }

  /// Whether something that is known asked for a run.
  private func hasReason(_ entry: Int) -> Bool {
    let entry = flush.entries[entry]
    return entry.wasInvalidated || entry.isFirst || entry.inputChanged == true
  }
}
