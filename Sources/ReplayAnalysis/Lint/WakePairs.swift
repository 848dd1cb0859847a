import EventLog

/// Counts which projections were invalidated by writes to which paths, by group, and the runs that followed.
struct WakePairs {
  struct Pair {
    var projection: GroupID<ProjectionID>
    var path: GroupID<PathID>
    /// Further paths that change in the same writes, and are judged together with it; see ``JointPaths``.
    var joint: [GroupID<PathID>] = []
    /// The number of invalidations, of writes that caused them, and the most invalidations by one write.
    var wakes = 0
    var writes = 0
    var most = 0
    /// How many of the invalidated projections ended before they ran.
    var ended = 0
    /// The runs of the invalidated projections, and those of projections that ran along with them.
    var own = LintSums()
    var dragged = LintSums()
    /// How many of the invalidated projections' runs made or ended children, and how many only handed some another input and
    /// had the same output.
    var making = 0
    var handing = 0
    /// The groups that ran along.
    var followers: [Follower] = []
    var evidence = Evidence()
    fileprivate var present = 0

    var paths: [GroupID<PathID>] { [path] + joint }

    /// Adds another path of the same projection, whose writes and runs are counted with this one's.
    mutating func merge(_ other: Pair) {
      joint += other.paths.filter { !paths.contains($0) }
      wakes += other.wakes
      ended += other.ended
      writes += other.writes
      most = max(most, other.most)
      own.add(other.own)
      dragged.add(other.dragged)
      making += other.making
      handing += other.handing
      for follower in other.followers {
        if let index = followers.firstIndex(where: { $0.group == follower.group }) {
          followers[index].merge(follower)
        } else {
          followers.append(follower)
        }
      }
    }
  }

  /// A group that ran along with an invalidated projection.
  struct Follower {
    var group: GroupID<ProjectionID>
    /// Its runs that were for nothing.
    var wasted = 0
    /// How many of these had another input than before.
    var otherInputs = 0
    /// Its runs that were not.
    var changed = 0
    /// Its runs, whatever they drew, that had another input than before, and those for which no input is known.
    var handed = 0
    var withoutInput = 0

    fileprivate mutating func merge(_ other: Follower) {
      wasted += other.wasted
      otherInputs += other.otherInputs
      changed += other.changed
      handed += other.handed
      withoutInput += other.withoutInput
    }
  }

  private struct Key: Hashable {
    var projection: GroupID<ProjectionID>
    var path: GroupID<PathID>
  }

  /// In the order in which they were first seen.
  private(set) var pairs: [Pair] = []
  private var indices: [Key: Int32] = [:]
  /// The last pair of each projection.
  private var last = ProjectionMap<Int32?>(default: nil)

  private static let followersMax = 8

  /// The index of the pair of a projection's group and a path's group; added if there is none. Cost:
  /// constant; a hash if the projection was last invalidated by a path of another group.
  mutating func index(
    of projection: ProjectionID, in group: GroupID<ProjectionID>, wokenBy path: GroupID<PathID>
  ) -> Int {
    if let known = last[projection], pairs[Int(known)].path == path { return Int(known) }
    let key = Key(projection: group, path: path)
    let index = indices[key] ?? Int32(pairs.count)
    if Int(index) == pairs.count {
      pairs.append(Pair(projection: group, path: path))
      indices[key] = index
    }
    last[projection] = index
    return Int(index)
  }

  mutating func countInvalidation(_ pair: Int, by seq: UInt64) {
    pairs[pair].wakes += 1
    if pairs[pair].evidence.last != seq {
      pairs[pair].writes += 1
      pairs[pair].present = 0
      pairs[pair].evidence.append(seq)
    }
    pairs[pair].present += 1
    pairs[pair].most = max(pairs[pair].most, pairs[pair].present)
  }

  /// Counts a run of a projection that was invalidated.
  mutating func countRun(_ pair: Int, _ entry: FlushRuns.Entry) {
    pairs[pair].own.add(entry)
    if entry.makesOthers {
      pairs[pair].making += 1
    } else if entry.handsOther, entry.changed == false {
      pairs[pair].handing += 1
    }
  }

  /// Counts a run of a projection that ran along.
  mutating func countDragged(_ pair: Int, _ entry: FlushRuns.Entry) {
    pairs[pair].dragged.add(entry)
    var known = pairs[pair].followers.firstIndex { $0.group == entry.group }
    if known == nil, pairs[pair].followers.count < Self.followersMax {
      pairs[pair].followers.append(Follower(group: entry.group))
      known = pairs[pair].followers.count - 1
    }
    guard let known else { return }
    if entry.isForNothing == true {
      pairs[pair].followers[known].wasted += 1
      if entry.inputChanged == true { pairs[pair].followers[known].otherInputs += 1 }
    } else if entry.isForNothing == false {
      pairs[pair].followers[known].changed += 1
    }
    if entry.inputChanged == true { pairs[pair].followers[known].handed += 1 }
    if entry.inputChanged == nil { pairs[pair].followers[known].withoutInput += 1 }
  }

  /// Counts that a projection ended before it ran for what had invalidated it, or, by -1, that it only moved.
  mutating func countEnd(_ pair: Int, _ count: Int) { pairs[pair].ended += count }
}

/// Finds pairs whose projection was invalidated repeatedly within one cause chain, each time at once.
///
/// What a task does after a while is no round, since it may count down or try again: ``TimedLoops`` finds what goes on and on.
struct RewakeChains {
  private struct Chain {
    /// The root of the cause chain; 0 if there is none.
    var root: UInt64 = 0
    var depth = 0
    var pair: Int32 = 0
    var rounds = 0
    var time: UInt64 = 0
  }

  /// An invalidation by an event that is `depth` steps from the root of its cause chain.
  private struct Step {
    var projection: ProjectionID
    var pair: Int32
    var root: UInt64
    var depth: Int
    var unit: UInt64
    var time: UInt64
  }

  struct Found {
    /// The number of cause chains, and the most rounds in one.
    var chains = 0
    var roundsMost = 0
    var evidence = Evidence()
  }

  /// The findings, by the index of the pair.
  private(set) var found: [Int: Found] = [:]
  private var chains = ProjectionMap<Chain>(default: Chain())
  /// Those of the flush.
  private var steps: [Step] = []
  private let rounds: Int
  private static let stepsMax = 1 << 17

  init(_ thresholds: LintThresholds) { rounds = max(2, thresholds.rounds) }

  /// Looks at an invalidation by a unit that is `depth` steps from the root of its cause chain.
  @inline(__always)
  mutating func apply(
    _ projection: ProjectionID, pair: Int, by unit: UInt64, root: UInt64, depth: Int, at time: UInt64
  ) {
    // Most runs have no cause chain; they use no memory here.
    if depth == 0, projection.denseIndex >= chains.count { return }
    if steps.count >= Self.stepsMax { return }
    steps.append(
      Step(projection: projection, pair: Int32(pair), root: root, depth: depth, unit: unit, time: time))
  }

  /// Whether there was none in the flush.
  var isSettled: Bool { steps.isEmpty }

  /// Ends a flush, after which it is known what tasks wrote.
  mutating func settle(isOfTask: (UInt64) -> Bool) {
    for step in steps { count(step, isOfTask) }
    steps.removeAll(keepingCapacity: true)
  }

  private mutating func count(_ step: Step, _ isOfTask: (UInt64) -> Bool) {
    let last = chains[step.projection]
    let isSoon = step.time.since(last.time).map { $0 <= Consequences.frame } ?? true
    guard last.root == step.root, last.pair == step.pair, step.depth > last.depth,
      isSoon || !isOfTask(step.unit)
    else {
      chains[step.projection] = Chain(
        root: step.root, depth: step.depth, pair: step.pair, rounds: 1, time: step.time)
      return
    }
    let rounds = last.rounds + 1
    (chains[step.projection].depth, chains[step.projection].rounds) = (step.depth, rounds)
    chains[step.projection].time = step.time
    if rounds < self.rounds { return }
    let pair = Int(step.pair)
    if rounds == self.rounds {
      found[pair, default: Found()].chains += 1
      found[pair]?.evidence.append(step.root)
    }
    let most = found[pair]?.roundsMost ?? 0
    found[pair]?.roundsMost = max(most, rounds)
  }
}

/// Some of the events that show a pattern.
struct Evidence: Codable, Sendable {
  /// The first few of these events.
  var seqs: [UInt64] = []
  var last: UInt64 = 0
  private static let seqsMax = 3

  mutating func append(_ seq: UInt64) {
    if seqs.count < Self.seqsMax { seqs.append(seq) }
    last = seq
  }
}
