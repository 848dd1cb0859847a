import EventLog

/// Finds paths that are set again and again because they were set, with time in between: a task or a callback sets what it was
/// told of.
///
/// Sets to an equal value run nobody, and what tells an app of them is not in the log. So they count where they follow each
/// other faster than any display, long after what led to them. Others count where each has the one before among its causes.
struct TimedLoops {
  struct Found {
    /// The longest loop.
    fileprivate(set) var longest: Chain
    /// All sets in loops, and in shorter chains of such a path, which something else broke off.
    fileprivate(set) var sets = 0
    fileprivate(set) var work = LintSums()
    fileprivate(set) var evidence = Evidence()
  }

  /// Sets of one path that have one event behind them all.
  struct Chain {
    /// The action of the sets, or the first event of their causes; 0 if they have none.
    var origin: UInt64 = 0
    /// When the action ended, or else when the first set was made.
    var began: UInt64 = 0
    var first: UInt64 = 0
    var last: UInt64 = 0
    var firstTime: UInt64 = 0
    var lastTime: UInt64 = 0
    var sets = 0
    /// Those to what the path was, just then or before its last change, and those with the one before among their causes.
    var returning = 0
    var deeper = 0
    fileprivate var depth = 0
    fileprivate var values = (0, 0)
    fileprivate var work = LintSums()

    /// The mean time from one set to the next, in nanoseconds.
    var interval: UInt64 { sets > 1 ? (lastTime - firstTime) / UInt64(sets - 1) : .max }

    /// How long it went on once what had led to it was over.
    var length: UInt64 { lastTime > began ? lastTime - began : 0 }

    /// Whether each set follows from the one before.
    var isCaused: Bool { 5 * deeper >= 4 * (sets - 1) }

    /// The least number of sets, where each follows from the one before: twice as many as of rounds at once, since a few in
    /// a row may end by themselves.
    static func causedMin(_ thresholds: LintThresholds) -> Int { 2 * max(2, thresholds.rounds) }

    func isLoop(_ thresholds: LintThresholds) -> Bool {
      if length < AccountReasons.longAgo { return false }
      if isCaused { return sets >= Self.causedMin(thresholds) && interval <= TimedLoops.intervalMax }
      return sets >= max(3, thresholds.count) && 5 * returning >= 4 * sets && interval <= TimedLoops.frame
    }
  }

  private(set) var found: [GroupID<PathID>: Found] = [:]
  /// The shorter chains of each path, in which each set follows from the one before.
  private var short: [GroupID<PathID>: (sets: Int, work: LintSums)] = [:]
  private let thresholds: LintThresholds
  private var chains = PathMap<Chain>(default: Chain())
  /// Paths with a chain that may be found, for the end.
  private var long: [PathID: GroupID<PathID>] = [:]
  /// The paths of recent sets that another one led to.
  private var paths = RecentRing<PathID>(keeping: 1 << 14)

  /// The longest time between two sets of a chain, and the longest on average: what comes once a second may count the seconds.
  private static let gap: UInt64 = 1_000_000_000
  fileprivate static let intervalMax: UInt64 = 500_000_000
  /// A frame of the fastest displays.
  fileprivate static let frame: UInt64 = 8_000_000
  private static let longMax = 1 << 12

  init(_ thresholds: LintThresholds) { self.thresholds = thresholds }

  /// Looks at a write, the current row of a run.
  @inline(__always)
  mutating func apply(
    _ run: inout LogRun, _ path: PathID, of group: GroupID<PathID>, _ action: (seq: UInt64, ended: UInt64?)
  ) {
    guard run.row.kind == .set else { return }
    let (seq, time) = (run.row.seq, run.row.time)
    let (root, depth) = run.row.cause > 0 ? run.root(of: seq) : (0, 0)
    let origin = action.seq > 0 ? action.seq : root
    let isSoon = time.since(chains[path].lastTime).map { $0 <= Self.gap } ?? false
    if isSoon, depth == 1, chains[path].sets == 1, chains[path].origin == 0 {
      // It follows from a set of the app itself, with which the chain began.
      chains[path].origin = origin
    }
    if chains[path].sets == 0 || chains[path].origin != origin || !isSoon {
      end(path, of: group)
      chains[path] = Chain(origin: origin, began: action.ended ?? time, first: seq, firstTime: time)
    }
    let value = run.row.value.isScalar ? run.row.value.hashValue : Int(truncatingIfNeeded: seq)
    append(seq, time, depth, value, isSame: run.row.isSameValue, to: &chains[path])
    if let ended = action.ended, chains[path].sets == 2 {
      chains[path].began = max(ended, chains[path].firstTime)
    }
    if chains[path].sets > 1, depth > 0 { paths.append(seq, path) }
    let least = min(Chain.causedMin(thresholds), max(3, thresholds.count))
    if chains[path].sets == least, long.count < Self.longMax { long[path] = group }
  }

  private func append(
    _ seq: UInt64, _ time: UInt64, _ depth: Int, _ value: Int, isSame: Bool, to chain: inout Chain
  ) {
    if isSame || chain.sets > 1 && value == chain.values.1 { chain.returning += 1 }
    if depth > chain.depth, chain.sets > 0 { chain.deeper += 1 }
    chain.depth = depth
    if !isSame { chain.values = (value, chain.values.0) }
    chain.sets += 1
    (chain.last, chain.lastTime) = (seq, max(time, chain.lastTime))
  }

  /// Counts a run, and the event for which it ran.
  @inline(__always)
  mutating func countRun(_ entry: FlushRuns.Entry, for seq: UInt64) {
    if let path = paths[seq], chains[path].sets > 0 { chains[path].work.add(entry) }
  }

  private mutating func end(_ path: PathID, of group: GroupID<PathID>) {
    let chain = chains[path]
    if chain.sets < 2 { return }
    guard chain.isLoop(thresholds) else {
      if chain.isCaused, short.count < Self.longMax || short[group] != nil { addShort(chain, of: group) }
      return
    }
    var known = found[group] ?? Found(longest: chain)
    if chain.length > known.longest.length { known.longest = chain }
    known.sets += chain.sets
    known.work.add(chain.work)
    known.evidence.append(chain.first)
    known.evidence.append(chain.last)
    found[group] = known
  }

  private mutating func addShort(_ chain: Chain, of group: GroupID<PathID>) {
    var known = short[group] ?? (0, LintSums())
    known.sets += chain.sets
    known.work.add(chain.work)
    short[group] = known
  }

  /// Counts the chains that went on until the end.
  mutating func finish() {
    for (path, group) in long.sorted(by: { ($0.value, $0.key.index) < ($1.value, $1.key.index) }) {
      end(path, of: group)
    }
    long = [:]
    for (group, chains) in short where found[group] != nil {
      found[group]?.sets += chains.sets
      found[group]?.work.add(chains.work)
    }
    short = [:]
  }
}
