import EventLog

/// Who was woken by the same kind of place again and again within one chain of causes.
struct RewakeChains {
  private struct Chain {
    var root: UInt64 = 0
    var depth = 0
    var pair: Int32 = -1
    var rounds = 0
  }

  struct Found {
    /// How many chains there were, and the most rounds in one.
    var chains = 0
    var roundsMost = 0
    var evidence = Evidence()
  }

  /// By the number of the pair.
  private(set) var found: [Int: Found] = [:]
  /// By the name of the projection.
  private var chains = DenseMap<Int, Chain>(default: Chain())
  private let rounds: Int

  init(_ thresholds: LintThresholds) { rounds = max(2, thresholds.rounds) }

  /// Takes in that a projection was woken, by an event so many causes behind a root.
  @inline(__always)
  mutating func note(_ name: Int, pair: Int, root: UInt64, depth: Int, seq: UInt64) {
    // Most runs have no cause chain: these take no memory.
    if depth == 0, name >= chains.values.count { return }
    let last = chains[name]
    guard last.root == root, last.pair == Int32(pair), depth > last.depth else {
      chains[name] = Chain(root: root, depth: depth, pair: Int32(pair), rounds: 1)
      return
    }
    chains[name].depth = depth
    chains[name].rounds += 1
    if chains[name].rounds < rounds { return }
    if chains[name].rounds == rounds {
      found[pair, default: Found()].chains += 1
      found[pair]?.evidence.note(root)
    }
    let most = found[pair]?.roundsMost ?? 0
    found[pair]?.roundsMost = max(most, chains[name].rounds)
  }
}
