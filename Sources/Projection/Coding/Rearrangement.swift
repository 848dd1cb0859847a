import Algorithms

/// Transforms one order of elements into another by removing and inserting as few elements as possible.
///
/// The longest sequence of elements that keep their order stays. Between each two elements that stay, the
/// others are replaced by those that belong there in the new order. Cost: n log n.
struct Rearrangement {
  /// The replacement of a range of indices in the order at that time by a range of indices in the new order.
  typealias Splice = (removed: Range<Int>, inserted: Range<Int>)

  /// The ranges between elements that stay, as indices in the old and in the new order, ascending.
  private var gaps: [(before: Range<Int>, after: Range<Int>)] = []
  /// The elements that are removed and inserted again: indices in the new order, ascending.
  private(set) var moved: [Int] = []

  /// The most splices. Each one shifts the elements after it, so that more of them cost more time than the
  /// saved bytes are worth.
  private static let splicesMax = 512

  /// - Parameters:
  ///   - sources: For every index in the new order, the index in the old order; nil for a new element.
  ///   - count: The number of elements in the old order.
  init(_ sources: [Int?], from count: Int) {
    var (before, after) = (0, 0)
    for stay in Self.longestRise(sources) {
      guard let source = sources[stay] else { continue }
      appendGap(before..<source, after..<stay, sources)
      (before, after) = (source + 1, stay + 1)
    }
    appendGap(before..<count, after..<sources.count, sources)
  }

  private mutating func appendGap(_ before: Range<Int>, _ after: Range<Int>, _ sources: [Int?]) {
    if before.isEmpty && after.isEmpty { return }
    gaps.append((before, after))
    moved += after.filter { sources[$0] != nil }
  }

  /// Whether nothing is moved, removed or inserted.
  var isEmpty: Bool { gaps.isEmpty }

  /// The splices, to be applied one after the other. A moved element is removed before it is inserted, so
  /// that it is never present twice.
  var splices: [Splice] {
    if gaps.count < 2 { return gaps.map { ($0.before, $0.after) } }
    var moved = moved[...]
    let takesMoved = gaps.map { gap in
      let first = moved.first.map(gap.after.contains) ?? false
      moved = moved.drop { gap.after.contains($0) }
      return first
    }
    // First, backwards while old indices are valid, all splices that insert no moved elements; then, forwards
    // by new indices, the insertions of moved elements.
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

  /// Combines all splices into one, if they would cost more than replacing everything between them, too.
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

  /// The longest ascending sequence of new indices whose old indices also ascend.
  private static func longestRise(_ sources: [Int?]) -> [Int] {
    // For each length, the new index at which the best sequence ends; and for each index, its predecessor in
    // the sequence.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: sources.count)
    for (index, source) in sources.enumerated() {
      guard let source else { continue }
      func isBehind(_ end: Int) -> Bool { sources[end].map { $0 >= source } ?? true }
      // Usually the element extends the longest sequence.
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
