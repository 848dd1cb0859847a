import EventLog

/// Counts all that the rules ask for, in one pass over a run.
struct LintTally {
  /// What is known of the instances of one projection.
  struct Readers {
    /// The kinds of places that they read.
    var reads: Set<Int32> = []
    var tracking = Tracking.element
    var hasParent = false
    /// The event that created the first, and the group of its parent; -1 where there is none.
    var created: UInt64 = 0
    var parent: Int32 = -1
    /// Their runs, without the first of each.
    var work = WakePairs.Work()
    var evidence = Evidence()
  }

  private(set) var flush: FlushRuns
  private(set) var places = PathGroups()
  private(set) var written: WrittenPlaces
  private(set) var pairs = WakePairs()
  private(set) var chains: RewakeChains
  private(set) var wholesale: WholesaleChanges
  /// By the group of the projection.
  private(set) var readers: [Readers] = []
  /// By name: the pair that woke it since it last ran.
  private var wokenBy = DenseMap<Int, Int32?>(default: nil)
  /// By entry of the flush.
  private var wakers: [Int32?] = []
  private let first: UInt64
  private var isCounting: Bool

  private static let readsMax = 64

  init(_ thresholds: LintThresholds, from first: UInt64, _ run: inout Run) {
    flush = FlushRuns(&run)
    written = WrittenPlaces(thresholds)
    chains = RewakeChains(thresholds)
    wholesale = WholesaleChanges(thresholds)
    self.first = first
    isCounting = first <= run.log.firstSeq
  }

  /// Takes in the last row of a run.
  @inline(__always)
  mutating func add(_ run: inout Run) {
    if flush.isOver(before: run.row) { settle() }
    if !isCounting { isCounting = run.row.seq >= first }
    let isEvaluation = flush.take(&run)
    if let path = run.path, isCounting { addWrite(path, run.row, run.tables) }
    if !run.hits.isEmpty { addHits(&run) }
    if isEvaluation, let name = run.name {
      wakers.append(wokenBy[name])
      wokenBy[name] = nil
    } else if run.row.kind == .reads || run.row.kind == .projection {
      addReader(&run)
    }
  }

  @inline(__always)
  private mutating func addWrite(_ path: Int, _ row: EventLog.Row, _ tables: borrowing RunTables) {
    let group = places.group(of: path, tables)
    written.note(row, path: path, group: group, tables)
    wholesale.note(row, group: group)
  }

  private mutating func addHits(_ run: inout Run) {
    let seq = run.row.seq
    let (root, depth) = run.root(of: seq)
    let own = run.path.map { places.group(of: $0, run.tables) }
    for hit in run.hits where flush.lives[hit.name].hasRun {
      var place = hit.causes.only == seq ? own : nil
      if place == nil, let cause = hit.causes.all.first, let path = run.writtenPath(of: cause) {
        place = places.group(of: path, run.tables)
      }
      guard let place else { continue }
      let pair = pairs.number(hit.name, flush.lives[hit.name].group, Int32(place))
      wokenBy[hit.name] = Int32(pair)
      guard isCounting else { continue }
      pairs.noteWake(pair, by: seq)
      chains.note(hit.name, pair: pair, root: root, depth: depth, seq: seq)
    }
  }

  private mutating func addReader(_ run: inout Run) {
    guard let name = run.name else { return }
    let group = flush.lives.group(of: name, run.tables)
    reserve(group)
    if run.row.kind == .projection {
      readers[group].tracking = run.row.tracking
      readers[group].hasParent = run.parent != nil
      if readers[group].created == 0 {
        readers[group].created = run.row.seq
        readers[group].parent = run.parent.map { flush.lives[$0].group } ?? -1
      }
      return
    }
    for path in run.readPaths where readers[group].reads.count < Self.readsMax {
      readers[group].reads.insert(Int32(places.group(of: path, run.tables)))
    }
  }

  /// Ends a flush.
  mutating func settle() {
    if !flush.entries.isEmpty {
      flush.nest()
      if isCounting { addRuns() }
    }
    wholesale.settle(flush)
    flush.removeAll()
    wakers.removeAll(keepingCapacity: true)
  }

  private mutating func addRuns() {
    for (place, entry) in flush.entries.enumerated() where !entry.isFirst {
      reserve(Int(entry.group))
      readers[Int(entry.group)].work.add(entry)
      if entry.changed == false { readers[Int(entry.group)].evidence.note(entry.seq) }
      if let waker = wakers[place] {
        pairs.noteRun(Int(waker), entry)
      } else if let leader = leader(of: place) {
        pairs.noteDragged(leader, entry)
      }
    }
  }

  /// The pair that made the run happen within which this one was.
  private func leader(of place: Int) -> Int? {
    var next = Int(flush.entries[place].within)
    // More steps than projections lie within one another: the runs are a cycle.
    for _ in 0..<64 where next >= 0 {
      if let waker = wakers[next] { return Int(waker) }
      next = Int(flush.entries[next].within)
    }
    return nil
  }

  private mutating func reserve(_ group: Int) {
    while group >= readers.count { readers.append(Readers()) }
  }
}
