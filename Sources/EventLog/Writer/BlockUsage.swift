/// What the events of one block are about, by staged ids.
struct BlockUsage {
  /// The paths that are set, spliced or removed, each once.
  var writtenPaths: [UInt32] = []
  /// The names of projections, each once.
  var projections: [UInt32] = []
  /// The latest time of an event.
  private(set) var latestTime: UInt64 = 0
  /// How many events there are of each kind, by ``EventCode``.
  private(set) var kindCounts = Array(repeating: 0, count: 16)

  /// Takes in an event of this kind and time.
  @inline(__always)
  mutating func note(_ code: UInt8, _ time: UInt64) {
    kindCounts[Int(code & 0x0F)] += 1
    latestTime = max(latestTime, time)
  }

  mutating func removeAll() {
    writtenPaths.removeAll(keepingCapacity: true)
    projections.removeAll(keepingCapacity: true)
    latestTime = 0
    for index in kindCounts.indices { kindCounts[index] = 0 }
  }
}
