import Algorithms

/// How to turn one order of elements into another by removing and inserting as few elements as possible.
///
/// The longest sequence of elements that keep their order stays. The elements between two that stay are replaced by
/// those that belong between them in the new order. Cost: n log n.
struct Rearrangement {
  /// Replaces a range of indices in the order at that time by a range of indices in the new order.
  typealias Splice = (removed: Range<Int>, inserted: Range<Int>)

  /// The ranges between elements that stay, as indices in the old and in the new order, ascending.
  private var gaps: [(before: Range<Int>, after: Range<Int>)] = []
  /// The elements that are removed and inserted again: indices in the new order, ascending.
  private(set) var moved: [Int] = []

  /// The most splices: each shifts the elements behind it, so that more cost too much time for the bytes that they save.
  private static let splicesMax = 512

  /// - Parameters:
  ///   - sources: For every index in the new order the index in the old one; nil for an element that is new.
  ///   - count: The number of elements in the old order.
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

  /// The splices, to be applied one after the other. An element that moves is removed before it is inserted, so that
  /// it is never present twice.
  var splices: [Splice] {
    if gaps.count < 2 { return gaps.map { ($0.before, $0.after) } }
    var moved = moved[...]
    let takesMoved = gaps.map { gap in
      let first = moved.first.map(gap.after.contains) ?? false
      moved = moved.drop { gap.after.contains($0) }
      return first
    }
    // Backwards, while old indices are valid, all that needs no moved elements; then forwards, by new indices, the
    // insertions of moved elements.
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

  /// The rearrangement as one splice, if its splices would cost more than to replace what is between them, too.
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

  /// The longest ascending sequence of new indices whose old indices ascend too.
  private static func longestRise(_ sources: [Int?]) -> [Int] {
    // The new index at which the best sequence of each length ends, and the predecessor of each index in its sequence.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: sources.count)
    for (index, source) in sources.enumerated() {
      guard let source else { continue }
      func isBehind(_ end: Int) -> Bool { sources[end].map { $0 >= source } ?? true }
      // Usually the longest sequence goes on.
      let goesOn = ends.last.map { !isBehind($0) } ?? true
      let length = goesOn ? ends.count : ends.partitioningIndex(where: isBehind)
      if length > 0 { previous[index] = ends[length - 1] }
      if length == ends.count { ends.append(index) } else { ends[length] = index }
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
