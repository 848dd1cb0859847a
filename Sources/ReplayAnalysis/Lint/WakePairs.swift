import EventLog

/// Which projections were woken by writes to which paths, by group, and what came of it.
struct WakePairs {
  /// Runs, and those of them that drew the same as before.
  struct Work {
    var runs = 0
    var wasted = 0
    var time: UInt64 = 0
    var wastedTime: UInt64 = 0

    mutating func add(_ entry: FlushRuns.Entry) {
      runs += 1
      time.addClamped(entry.duration)
      if entry.changed == false {
        wasted += 1
        wastedTime.addClamped(entry.duration)
      }
    }

    mutating func add(_ other: Work) {
      runs += other.runs
      wasted += other.wasted
      time.addClamped(other.time)
      wastedTime.addClamped(other.wastedTime)
    }
  }

  struct Pair {
    var projection: GroupID<ProjectionID>
    var path: GroupID<PathID>
    /// How often one was woken, by how many writes, and how many by one at most.
    var wakes = 0
    var writes = 0
    var most = 0
    /// Their own runs, and those of projections that ran along with them.
    var own = Work()
    var dragged = Work()
    /// What ran along, and how often for nothing.
    var followers: [(group: GroupID<ProjectionID>, wasted: Int)] = []
    var evidence = Evidence()
    fileprivate var present = 0
  }

  private struct Key: Hashable {
    var projection: GroupID<ProjectionID>
    var path: GroupID<PathID>
  }

  /// In the order in which they were met.
  private(set) var pairs: [Pair] = []
  private var indices: [Key: Int32] = [:]
  /// By the projection: its last pair.
  private var last = ProjectionMap<Int32?>(default: nil)

  private static let followersMax = 8

  /// The index of the pair of a projection's group and a path's. Cost: a hash where a path of another group woke the
  /// projection before.
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

  /// Counts a projection that a write woke.
  mutating func noteWake(_ pair: Int, by seq: UInt64) {
    pairs[pair].wakes += 1
    if pairs[pair].evidence.last != seq {
      pairs[pair].writes += 1
      pairs[pair].present = 0
      pairs[pair].evidence.note(seq)
    }
    pairs[pair].present += 1
    pairs[pair].most = max(pairs[pair].most, pairs[pair].present)
  }

  /// Counts a run of a projection that was woken.
  mutating func noteRun(_ pair: Int, _ entry: FlushRuns.Entry) { pairs[pair].own.add(entry) }

  /// Counts a run of a projection that ran along.
  mutating func noteDragged(_ pair: Int, _ entry: FlushRuns.Entry) {
    pairs[pair].dragged.add(entry)
    let wasted = entry.changed == false ? 1 : 0
    if let known = pairs[pair].followers.firstIndex(where: { $0.group == entry.group }) {
      pairs[pair].followers[known].wasted += wasted
    } else if pairs[pair].followers.count < Self.followersMax {
      pairs[pair].followers.append((entry.group, wasted))
    }
  }
}

/// Pairs whose projection was woken again and again within one cause chain.
struct RewakeChains {
  private struct Chain {
    /// The event that began it; 0 where there is none.
    var root: UInt64 = 0
    var depth = 0
    var pair: Int32 = 0
    var rounds = 0
  }

  struct Found {
    /// How many cause chains there were, and the most rounds in one.
    var chains = 0
    var roundsMost = 0
    var evidence = Evidence()
  }

  /// By the index of the pair.
  private(set) var found: [Int: Found] = [:]
  private var chains = ProjectionMap<Chain>(default: Chain())
  private let rounds: Int

  init(_ thresholds: LintThresholds) { rounds = max(2, thresholds.rounds) }

  /// Takes in that a projection was woken, by an event so many causes behind a root.
  @inline(__always)
  mutating func note(_ projection: ProjectionID, pair: Int, root: UInt64, depth: Int, seq: UInt64) {
    // Most runs have no cause chain: these take no memory.
    if depth == 0, projection.denseIndex >= chains.count { return }
    let last = chains[projection]
    guard last.root == root, last.pair == Int32(pair), depth > last.depth else {
      chains[projection] = Chain(root: root, depth: depth, pair: Int32(pair), rounds: 1)
      return
    }
    chains[projection].depth = depth
    chains[projection].rounds += 1
    let rounds = last.rounds + 1
    if rounds < self.rounds { return }
    if rounds == self.rounds {
      found[pair, default: Found()].chains += 1
      found[pair]?.evidence.note(root)
    }
    let most = found[pair]?.roundsMost ?? 0
    found[pair]?.roundsMost = max(most, rounds)
  }
}

/// Some of the events that show something.
struct Evidence: Codable, Sendable {
  /// The first few.
  var seqs: [UInt64] = []
  var last: UInt64 = 0
  private static let seqsMax = 3

  mutating func note(_ seq: UInt64) {
    if seqs.count < Self.seqsMax { seqs.append(seq) }
    last = seq
  }
}
