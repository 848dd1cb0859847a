import EventLog
import Invalidation

/// Counts all that the rules ask for, in one pass over a run.
struct LintTally: RowObserver {
  /// What is known of the instances of one projection.
  struct Readers {
    /// The groups of paths that they read.
    var reads: Set<GroupID<PathID>> = []
    var hasParent = false
    /// The event that created the first, and the group of its parent.
    var created: UInt64 = 0
    var parent: GroupID<ProjectionID>?
    /// Their runs, without the first of each.
    var work = WakePairs.Work()
    var evidence = Evidence()
  }

  let needs: RunNeeds = [.hits, .lookback, .lives]
  let thresholds: LintThresholds
  private let seqs: Range<UInt64>
  private var flush = FlushRuns()
  private(set) var written: WrittenPlaces
  private(set) var pairs = WakePairs()
  private(set) var chains: RewakeChains
  private(set) var wholesale: WholesaleChanges
  /// What the session reported of its own use, as it is in marks.
  private(set) var diagnostics: [(seq: UInt64, reported: ReportedDiagnostic)] = []
  private(set) var readers = DenseMap<GroupID<ProjectionID>, Readers>(default: Readers())
  /// The pair that woke a projection since it last ran.
  private var wokenBy = ProjectionMap<Int32?>(default: nil)
  /// By entry of the flush.
  private var wakers: [Int32?] = []
  private var isCounting = false
  /// By a path that begins with the number of an object: the group of the name that it had when something read it first;
  /// the largest number where it had none. Objects of lists move all the time, and to find their names again took
  /// half of the pass.
  private var readGroups = PathMap<UInt32>(default: .max)

  private static let readsMax = 64
  private static let diagnosticsMax = 64

  /// - Parameter seqs: The events that count. Those before them are gone through, too, for what lives and waits.
  init(_ thresholds: LintThresholds, in seqs: Range<UInt64>) {
    self.thresholds = thresholds
    self.seqs = seqs
    written = WrittenPlaces(thresholds)
    chains = RewakeChains(thresholds)
    wholesale = WholesaleChanges(thresholds)
  }

  var end: UInt64 { seqs.upperBound }

  mutating func begin(_ run: inout LogRun) {
    flush.begin(run)
    isCounting = seqs.lowerBound <= run.log.firstSeq
  }

  @inline(__always)
  mutating func take(_ run: inout LogRun) {
    if flush.isOver(before: run.row) { settle(run.registry) }
    if !isCounting { isCounting = run.row.seq >= seqs.lowerBound }
    let isEvaluation = flush.take(&run)
    if let path = run.path, isCounting {
      let group = run.group(of: path)
      written.note(run.row, path, of: group)
      wholesale.note(run.row, of: group)
    }
    if !run.hits.isEmpty {
      addHits(&run)
      if run.row.isSameValue, isCounting, let path = run.path {
        written.noteSameWake(of: run.group(of: path))
      }
    }
    if run.row.kind == .mark { addDiagnostic(run) }
    if isEvaluation, let projection = run.projection {
      wakers.append(wokenBy[projection])
      wokenBy[projection] = nil
    } else if run.row.kind == .reads || run.row.kind == .projection {
      addReader(&run)
    }
  }

  mutating func finish(_ run: inout LogRun) { settle(run.registry) }

  private mutating func addHits(_ run: inout LogRun) {
    let seq = run.row.seq
    let (root, depth) = run.root(of: seq)
    let own = run.path.map { run.group(of: $0) }
    for hit in run.hits where run.registry[hit.projection].hasRun {
      let path = hit.causes.only == seq ? own : nil
      guard let path = path ?? writtenGroup(of: hit.causes, &run) else { continue }
      let pair = pairs.index(of: hit.projection, in: run.group(of: hit.projection), wokenBy: path)
      wokenBy[hit.projection] = Int32(pair)
      guard isCounting else { continue }
      pairs.noteWake(pair, by: seq)
      chains.note(hit.projection, pair: pair, root: root, depth: depth, seq: seq)
    }
  }

  private mutating func addDiagnostic(_ run: borrowing LogRun) {
    guard isCounting, diagnostics.count < Self.diagnosticsMax,
      let reported = run.label.flatMap({ ReportedDiagnostic(label: $0) })
    else { return }
    diagnostics.append((run.row.seq, reported))
  }

  /// The group of the path that the first of some causes wrote.
  private func writtenGroup(of causes: Causes, _ run: inout LogRun) -> GroupID<PathID>? {
    guard let cause = causes.all.first, let path = run.writtenPath(of: cause) else { return nil }
    return run.group(of: path)
  }

  private mutating func addReader(_ run: inout LogRun) {
    guard let projection = run.projection else { return }
    let group = run.group(of: projection)
    if run.row.kind == .projection {
      let parent = run.parent
      readers[group].hasParent = parent != nil
      if readers[group].created == 0 {
        readers[group].created = run.row.seq
        readers[group].parent = parent.map { run.group(of: $0) }
      }
      return
    }
    for path in run.readPaths where readers[group].reads.count < Self.readsMax {
      readers[group].reads.insert(self.group(ofRead: path, &run))
    }
  }

  /// What a path that is read is counted under. An object that has moved since counts where it was found first.
  private mutating func group(ofRead path: PathID, _ run: inout LogRun) -> GroupID<PathID> {
    let known = readGroups[path]
    if known != .max { return GroupID(Int(known)) }
    let name = run.name(ofRead: path)
    let group = run.group(of: name)
    // What has no other name is found fast, or may get one yet.
    if name != path { readGroups[path] = group.index }
    return group
  }

  /// Ends a flush.
  private mutating func settle(_ registry: borrowing ProjectionRegistry) {
    if !flush.entries.isEmpty {
      flush.nest(registry)
      if isCounting { addRuns() }
    }
    wholesale.settle(flush)
    flush.removeAll()
    wakers.removeAll(keepingCapacity: true)
  }

  private mutating func addRuns() {
    for (index, entry) in flush.entries.enumerated() where !entry.isFirst {
      readers[entry.group].work.add(entry)
      if entry.changed == false { readers[entry.group].evidence.note(entry.seq) }
      if let waker = wakers[index] {
        pairs.noteRun(Int(waker), entry)
      } else if let leader = leader(of: index) {
        pairs.noteDragged(leader, entry)
      }
    }
  }

  /// The pair that made the run happen within which this one was.
  private func leader(of entry: Int) -> Int? {
    var next = flush.entries[entry].within
    // More steps than projections lie within one another: the runs are a cycle.
    for _ in 0..<64 {
      guard let index = next else { return nil }
      if let waker = wakers[index] { return Int(waker) }
      next = flush.entries[index].within
    }
    return nil
  }
}
