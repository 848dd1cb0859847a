/// How one order of elements becomes another with as few of them taken out and put in as possible.
///
/// Elements that keep their order stay, the longest such sequence. Of the others, between two that stay, those before make
/// room for those after. Cost: n log n.
struct Rearrangement {
  /// What is done at once: some elements, by their indices at that time, are replaced by some, by their indices at the
  /// end.
  typealias Splice = (removed: Range<Int>, inserted: Range<Int>)

  /// What lies between elements that stay: indices before, and indices after, in order.
  private var gaps: [(before: Range<Int>, after: Range<Int>)] = []
  /// The elements that are taken out and put in again: indices after, in order.
  private(set) var moved: [Int] = []

  /// More splices than this cost more time than they save bytes: each shifts what stands behind it.
  static let splicesMax = 512

  /// - Parameters:
  ///   - sources: For every index after, the index before; nil for an element that is new.
  ///   - count: How many elements there were before.
  init(_ sources: [Int?], from count: Int) {
    var (before, after) = (0, 0)
    for stay in Self.longestRise(sources) {
      guard let source = sources[stay] else { continue }
      noteGap(before..<source, after..<stay, sources)
      (before, after) = (source + 1, stay + 1)
    }
    noteGap(before..<count, after..<sources.count, sources)
  }

  private mutating func noteGap(_ before: Range<Int>, _ after: Range<Int>, _ sources: [Int?]) {
    if before.isEmpty && after.isEmpty { return }
    gaps.append((before, after))
    moved += after.filter { sources[$0] != nil }
  }

  /// Whether nothing moves, comes or goes.
  var isEmpty: Bool { gaps.isEmpty }

  /// The splices, one after the other. An element that moves is taken out before it is put in, so that it is never there
  /// twice.
  var splices: [Splice] {
    if gaps.count < 2 { return gaps.map { ($0.before, $0.after) } }
    var moved = moved[...]
    let takesMoved = gaps.map { gap in
      let first = moved.first.map(gap.after.contains) ?? false
      moved = moved.drop { gap.after.contains($0) }
      return first
    }
    // From the back, so that the indices before are still true; then from the front, where those after are.
    var splices: [Splice] = []
    for (gap, takesMoved) in zip(gaps, takesMoved).reversed() {
      let inserted = takesMoved ? gap.after.lowerBound..<gap.after.lowerBound : gap.after
      if !gap.before.isEmpty || !inserted.isEmpty { splices.append((gap.before, inserted)) }
    }
    for (gap, takesMoved) in zip(gaps, takesMoved) where takesMoved {
      splices.append((gap.after.lowerBound..<gap.after.lowerBound, gap.after))
    }
    return splices
  }

  /// One splice in place of all, where the many would cost more than what lies between them.
  func simplified() -> Rearrangement {
    let count = splices.count
    guard count > 1, let first = gaps.first, let last = gaps.last else { return self }
    let whole = (
      before: first.before.lowerBound..<last.before.upperBound,
      after: first.after.lowerBound..<last.after.upperBound
    )
    let inserted = gaps.reduce(0) { $0 + $1.after.count }
    if count == 2, 2 * inserted <= max(whole.after.count, 2) { return self }
    if count <= Self.splicesMax, inserted + count < max(whole.after.count, count) { return self }
    var one = self
    one.gaps = [whole]
    return one
  }

  /// The indices after of the longest sequence whose indices before rise.
  private static func longestRise(_ sources: [Int?]) -> [Int] {
    // The index after at which the best sequence of each length ends, and what comes before each in its own.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: sources.count)
    for (index, source) in sources.enumerated() {
      guard let source else { continue }
      var low = 0
      var high = ends.count
      // Mostly the sequence goes on.
      if let last = ends.last, let end = sources[last], end < source { low = high }
      while low < high {
        let middle = (low + high) / 2
        if let end = sources[ends[middle]], end < source { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
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
