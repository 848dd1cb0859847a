/// How one order of elements becomes another with as few of them taken out and put back as possible.
///
/// Elements that keep their order stay, the longest such sequence; all others are taken out, and put in where
/// they belong. Cost: n log n.
struct Rearrangement {
  /// What is taken out: offsets before, in runs, front to back.
  private(set) var removals: [Range<Int>] = []
  /// What is put in: offsets after, in runs, front to back.
  private(set) var insertions: [Range<Int>] = []
  /// The elements that are taken out and put in again: offsets after, in order.
  private(set) var moved: [Int] = []

  /// More runs than this cost more time than they save bytes: each moves what stands behind it.
  static let runsMax = 512

  /// - Parameters:
  ///   - sources: For every offset after, the offset before; nil for an element that is new.
  ///   - count: How many elements there were before.
  init(_ sources: [Int?], from count: Int) {
    let staying = Self.longestRise(sources)
    var nextStay = staying.makeIterator()
    var stay = nextStay.next()
    var isKept = [Bool](repeating: false, count: count)
    for (offset, source) in sources.enumerated() {
      if offset == stay, let source {
        isKept[source] = true
        stay = nextStay.next()
      } else {
        insertions.extend(with: offset)
        if source != nil { moved.append(offset) }
      }
    }
    for offset in 0..<count where !isKept[offset] { removals.extend(with: offset) }
  }

  /// Whether nothing moves, comes or goes.
  var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

  /// Whether it is one run in the place of another.
  var isOneSplice: Bool {
    removals.count == 1 && insertions.count == 1 && removals[0].lowerBound == insertions[0].lowerBound
  }

  /// One run in place of all, where the many would cost more than what lies between them.
  ///
  /// - Parameter count: How many elements there are after.
  func simplified(from before: Int, to count: Int) -> Rearrangement {
    let runs = removals.count + insertions.count
    guard runs > 1, !isOneSplice else { return self }
    let prefix = min(removals.first?.lowerBound ?? before, insertions.first?.lowerBound ?? count)
    let suffix = min(
      before - (removals.last?.upperBound ?? 0), count - (insertions.last?.upperBound ?? 0))
    let inserted = insertions.reduce(0) { $0 + $1.count }
    let between = count - suffix - prefix
    if runs == 2, 2 * inserted <= max(between, 2) { return self }
    if runs <= Self.runsMax, inserted + runs < max(between, runs) { return self }
    var whole = self
    whole.removals = [prefix..<max(prefix, before - suffix)]
    whole.insertions = [prefix..<max(prefix, count - suffix)]
    return whole
  }

  /// The offsets after of the longest sequence whose offsets before rise.
  private static func longestRise(_ sources: [Int?]) -> [Int] {
    // The offset after at which the best sequence of each length ends, and what comes before each in its own.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: sources.count)
    for (offset, source) in sources.enumerated() {
      guard let source else { continue }
      var low = 0
      var high = ends.count
      // Mostly the sequence goes on.
      if let last = ends.last, let end = sources[last], end < source { low = high }
      while low < high {
        let middle = (low + high) / 2
        if let end = sources[ends[middle]], end < source { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[offset] = ends[low - 1] }
      if low == ends.count { ends.append(offset) } else { ends[low] = offset }
    }
    var rise: [Int] = []
    var next = ends.last ?? -1
    while next >= 0 {
      rise.append(next)
      next = previous[next]
    }
    return rise.reversed()
  }
}

extension [Range<Int>] {
  /// Adds an offset behind all that are there.
  fileprivate mutating func extend(with offset: Int) {
    if let last, last.upperBound == offset {
      self[count - 1] = last.lowerBound..<(offset + 1)
    } else {
      append(offset..<(offset + 1))
    }
  }
}
