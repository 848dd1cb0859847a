import HeapModule

/// The nodes that wait to run, earliest created first.
///
/// A node runs at most once a round. One that is woken again after it ran waits for the next round; so a
/// callback that wakes itself is seen as a growing number of rounds. What the queue knows of a node is kept in the
/// node, so that the usual flush, of one node, touches no table.
struct FlushQueue {
  /// After this many rounds a flush is taken for endless.
  static let maximumRounds = 100

  /// After so many calls of receivers in the rounds after the first too: one that sets what it hears of twice doubles
  /// them with each round.
  static let maximumCalls = 10_000

  /// The only one that waits, as in most flushes.
  private var sole: Node?
  private var waiting: Heap<Entry> = []
  private var nextRound: [Node] = []
  private(set) var rounds = 0
  private var calls = 0
  /// The number of the present round among all rounds of all flushes.
  private var round: UInt64

  /// Creates an empty queue, one of many: its rounds have numbers of their own.
  init(number: Int) { round = UInt64(number) << 40 | 1 }

  private struct Entry: Comparable {
    let node: Node

    static func == (a: Entry, b: Entry) -> Bool { a.node.id == b.node.id }
    static func < (a: Entry, b: Entry) -> Bool { a.node.id < b.node.id }
  }

  var isEmpty: Bool { sole == nil && waiting.isEmpty && nextRound.isEmpty }

  mutating func insert(_ node: Node) {
    if node.isQueued { return }
    node.isQueued = true
    if node.lastRound == round {
      nextRound.append(node)
    } else if sole == nil, waiting.isEmpty {
      sole = node
    } else {
      if let first = sole.take() { waiting.insert(Entry(node: first)) }
      waiting.insert(Entry(node: node))
    }
  }

  /// Notes that a node runs, be it in its turn, with its parent or because it was read.
  mutating func noteRun(_ node: Node) { node.lastRound = round }

  /// Takes the next that is out of date. Whoever is not made to run then may still come in this round.
  mutating func next() -> Node? {
    while true {
      if sole == nil, waiting.isEmpty, !nextRound.isEmpty {
        rounds += 1
        round += 1
        waiting = Heap(nextRound.map(Entry.init))
        nextRound.removeAll()
      }
      guard let node = sole.take() ?? waiting.popMin()?.node else { return nil }
      // It ran outside its turn while it waited, and was woken again since.
      if node.lastRound == round, node.isDirty {
        nextRound.append(node)
        continue
      }
      node.isQueued = false
      if node.isDirty { return node }
    }
  }

  /// Notes that a receiver is about to be called so many times; false if the flush is to be taken for endless.
  mutating func noteCalls(_ count: Int) -> Bool {
    if rounds > 0 { calls += count }
    return calls <= Self.maximumCalls
  }

  /// Takes out all that waits.
  mutating func takeAll() -> [Node] {
    let nodes = [sole.take()].compactMap { $0 } + waiting.unordered.map(\.node) + nextRound
    waiting = []
    nextRound = []
    for node in nodes { node.isQueued = false }
    return nodes
  }

  /// Ends the flush: what ran in it may run again. The queue must be empty.
  mutating func endFlush() {
    rounds = 0
    calls = 0
    round += 1
  }
}
