/// The transactions that are open: those of each strand, and those of the session, which collects what all strands write.
///
/// A transaction belongs to the code that opened it. What other code writes meanwhile is on another strand, and so outside.
package struct OpenTransactions: Hashable, Sendable {
  /// The strand of the transactions that the session itself opens. Events of all strands belong to these.
  package static let session = 1
  /// The numbers of strands are below this one. A reader searches those that have transactions open.
  package static let strandsMax = 256

  private struct Entry: Hashable {
    let strand: Int
    var depth: Int
  }

  /// The strands with open transactions, in the order in which they opened the first. Nearly always at most one.
  private var entries: [Entry] = []
  /// The number of all of them.
  package private(set) var count = 0

  package init() {}

  /// Those that were open before the first event of a part of a log, which no longer tells whose they were.
  package init(before count: Int) {
    self.count = count
    if count > 0 { entries = [Entry(strand: 0, depth: count)] }
  }

  /// The number of those that a strand has opened itself.
  package func depth(of strand: Int) -> Int { entries.first { $0.strand == strand }?.depth ?? 0 }

  /// The number of those to which an event of a strand belongs.
  @inline(__always)
  package func depth(around strand: Int) -> Int { count == 0 ? 0 : found(around: strand) }

  private func found(around strand: Int) -> Int {
    depth(of: strand) + (strand == Self.session ? 0 : depth(of: Self.session))
  }

  /// Takes in a `begin` or an `end`. Other events change nothing.
  @inline(__always)
  package mutating func apply(_ kind: EventKind, on strand: Int) {
    if kind == .begin { begin(on: strand) } else if kind == .end { _ = end(on: strand) }
  }

  package mutating func begin(on strand: Int) {
    count += 1
    if let index = entries.firstIndex(where: { $0.strand == strand }) {
      entries[index].depth += 1
    } else {
      entries.append(Entry(strand: strand, depth: 1))
    }
  }

  /// Closes the innermost transaction of a strand; where it has none, one of strand 0, to which those belong that were open
  /// before the log. Returns the strand that it was of; nil if there was none, and nothing was done.
  package mutating func end(on strand: Int) -> Int? {
    guard
      let index = entries.firstIndex(where: { $0.strand == strand })
        ?? entries.firstIndex(where: { $0.strand == 0 })
    else { return nil }
    let closed = entries[index].strand
    count -= 1
    entries[index].depth -= 1
    if entries[index].depth == 0 { entries.remove(at: index) }
    return closed
  }

  /// The strands that have transactions open, in the order in which they opened the first.
  package var strands: [Int] { entries.map(\.strand) }
}
