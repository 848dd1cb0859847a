import HeapModule

/// The nodes that wait to run, earliest created first.
///
/// A node runs at most once a round. One that is woken again after it ran waits for the next round; so a
/// callback that wakes itself is seen as a growing number of rounds.
struct FlushQueue {
  /// After this many rounds a flush is taken for endless.
  static let maximumRounds = 100

  private var waiting: Heap<Node.ID> = []
  private var isWaiting: Set<Node.ID> = []
  private var hasRun: Set<Node.ID> = []
  private var nextRound: Set<Node.ID> = []
  private(set) var rounds = 0

  var isEmpty: Bool { waiting.isEmpty && nextRound.isEmpty }

  mutating func insert(_ id: Node.ID) {
    if hasRun.contains(id) {
      nextRound.insert(id)
    } else if isWaiting.insert(id).inserted {
      waiting.insert(id)
    }
  }

  /// Notes that a node ran outside the queue's turn, with its parent or because it was read.
  mutating func noteRun(_ id: Node.ID) { hasRun.insert(id) }

  mutating func next() -> Node.ID? {
    if waiting.isEmpty, !nextRound.isEmpty {
      rounds += 1
      hasRun.removeAll()
      isWaiting = nextRound
      waiting = Heap(nextRound)
      nextRound.removeAll()
    }
    guard let id = waiting.popMin() else { return nil }
    isWaiting.remove(id)
    hasRun.insert(id)
    return id
  }

  mutating func reset() { self = FlushQueue() }
}
