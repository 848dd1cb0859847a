/// For each of many ids the runs of blocks that name it.
///
/// An id has at most a few runs: where it would get more, the two closest become one. So what is named everywhere costs no
/// more than what is rare, and what is rare is listed exactly.
struct RunLists {
  /// Blocks by their place in the segment.
  struct Run {
    var start: UInt32
    var end: UInt32
  }

  private static let runsMax = 8
  /// Beyond so many ids no lists are kept at all.
  static let idsMax = 1 << 17

  private var runs: [Run] = []
  private var counts: [UInt8] = []
  /// Whether an id was left out because there were too many.
  private(set) var isIncomplete = false

  /// Takes in that a block names an id. Blocks come in order. Cost: a few ns.
  mutating func add(_ id: Int, block: UInt32) {
    guard id < Self.idsMax else { return giveUp() }
    if id >= counts.count { reach(id) }
    let base = id * Self.runsMax
    let count = Int(counts[id])
    if count > 0, runs[base + count - 1].end >= block {
      runs[base + count - 1].end = block + 1
    } else if count < Self.runsMax {
      runs[base + count] = Run(start: block, end: block + 1)
      counts[id] += 1
    } else {
      join(base, Run(start: block, end: block + 1))
    }
  }

  /// The ids that are named, and the runs of each.
  func forEach<E: Error>(_ body: (Int, ArraySlice<Run>) throws(E) -> Void) throws(E) {
    for (id, count) in counts.enumerated() where count > 0 {
      let base = id * Self.runsMax
      try body(id, runs[base..<base + Int(count)])
    }
  }

  private mutating func reach(_ id: Int) {
    if isIncomplete { return }
    let more = max(id + 1, min(2 * counts.count, Self.idsMax)) - counts.count
    counts.append(contentsOf: repeatElement(0, count: more))
    runs.append(contentsOf: repeatElement(Run(start: 0, end: 0), count: more * Self.runsMax))
  }

  /// Makes room for one more run where the gap between two is smallest.
  private mutating func join(_ base: Int, _ new: Run) {
    let last = base + Self.runsMax - 1
    var (place, smallest) = (last, new.start - runs[last].end)
    for index in base..<last where runs[index + 1].start - runs[index].end < smallest {
      (place, smallest) = (index, runs[index + 1].start - runs[index].end)
    }
    if place == last {
      runs[last].end = new.end
      return
    }
    runs[place].end = runs[place + 1].end
    for index in place + 1..<last { runs[index] = runs[index + 1] }
    runs[last] = new
  }

  private mutating func giveUp() {
    isIncomplete = true
    runs = []
    counts = []
  }
}
