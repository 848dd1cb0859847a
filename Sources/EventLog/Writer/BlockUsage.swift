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

  /// Counts the events by their codes.
  mutating func count(_ codes: UnsafeBufferPointer<UInt8>) {
    for code in codes { kindCounts[Int(code & 0x0F)] += 1 }
  }

  mutating func removeAll() {
    writtenPaths.removeAll(keepingCapacity: true)
    projections.removeAll(keepingCapacity: true)
    latestTime = 0
  }
}
