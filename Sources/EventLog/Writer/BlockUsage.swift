/// What the events of one block are about, by staged ids.
struct BlockUsage {
  /// The paths that are set, spliced or removed, each once.
  var writtenPaths: [UInt32] = []
  /// The names of projections, each once.
  var projections: [UInt32] = []
  /// The latest time of an event.
  var latestTime: UInt64 = 0
  /// How many events there are of each kind, by ``EventCode``.
  private(set) var kindCounts = Array(repeating: 0, count: 16)
  /// How many transactions the events open less those that they close, and the least that this is behind any event.
  private var (opened, openedLeast) = (0, 0)

  /// Counts the events by their codes.
  mutating func count(_ codes: UnsafeBufferPointer<UInt8>) {
    for code in codes { kindCounts[Int(code & 0x0F)] += 1 }
    opened = kindCounts[Int(EventCode.begin)] - kindCounts[Int(EventCode.end)]
    guard kindCounts[Int(EventCode.end)] > 0 else { return }
    var sum = 0
    for code in codes {
      if code & 0x0F == EventCode.begin { sum += 1 }
      if code & 0x0F == EventCode.end { sum -= 1 }
      openedLeast = min(openedLeast, sum)
    }
  }

  /// How many transactions are open behind the events, where so many are before them. An `end` that closes none does
  /// nothing.
  func openTransactions(after open: Int) -> Int { max(open, -openedLeast) + opened }

  mutating func removeAll() {
    writtenPaths.removeAll(keepingCapacity: true)
    projections.removeAll(keepingCapacity: true)
    latestTime = 0
  }
}
