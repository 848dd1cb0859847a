/// For each of many ids the runs of blocks that name it.
///
/// What is rare is listed exactly. An id that is common has a few runs only: where it would get more, the two closest
/// become one. So what is named everywhere costs no more than what is rare.
struct RunLists {
  /// Blocks by their place in the segment.
  struct Run: Equatable {
    var start: UInt32
    var end: UInt32
  }

  /// An id that over an eighth of the blocks name has at most so many runs.
  private static let fewRuns = 8
  /// Any other, as long as all have not too many together.
  private static let manyRuns = 256
  private static let totalRuns = 1 << 19
  /// Beyond so many ids no lists are kept at all.
  static let idsMax = 1 << 17

  private var runs = DenseMap<Int, [Run]>(default: [])
  private var total = 0
  /// Whether an id was left out because there were too many.
  private(set) var isIncomplete = false

  /// Takes in that a block names an id. Blocks come in order. Cost: a few ns.
  mutating func add(_ id: Int, block: UInt32) {
    if isIncomplete { return }
    guard id < Self.idsMax else { return giveUp() }
    let count = runs[id].count
    if count > 0, runs[id][count - 1].end >= block {
      runs[id][count - 1].end = block + 1
      return
    }
    runs[id].append(Run(start: block, end: block + 1))
    total += 1
    if count >= Self.fewRuns { limit(id, block) }
  }

  /// The ids that are named, and the runs of each.
  func forEach<E: Error>(_ body: (Int, [Run]) throws(E) -> Void) throws(E) {
    for (id, runs) in runs.values.enumerated() where !runs.isEmpty { try body(id, runs) }
  }

  private mutating func limit(_ id: Int, _ block: UInt32) {
    let named = runs[id].reduce(0) { $0 + $1.end - $1.start }
    let isCommon = named > block / 8 || total > Self.totalRuns
    let most = isCommon ? Self.fewRuns : Self.manyRuns
    while runs[id].count > most { joinClosest(id) }
  }

  private mutating func joinClosest(_ id: Int) {
    var (place, smallest) = (0, UInt32.max)
    for index in 1..<runs[id].count {
      let gap = runs[id][index].start - runs[id][index - 1].end
      // The latest of equal gaps, so that what is joined stays short to move.
      if gap <= smallest { (place, smallest) = (index, gap) }
    }
    runs[id][place - 1].end = runs[id][place].end
    runs[id].remove(at: place)
    total -= 1
  }

  private mutating func giveUp() {
    isIncomplete = true
    runs.removeAll()
  }
}
