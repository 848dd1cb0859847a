/// Data about the latest events, by seq: a ring buffer in which later events overwrite earlier ones.
///
/// It grows with the seqs up to its capacity, so that a short log takes little memory.
@usableFromInline
package struct RecentRing<Element> {
  /// Entries by the lowest bits of the seq; an unused entry has the seq 0.
  @usableFromInline var entries: [(seq: UInt64, element: Element)] = []
  @usableFromInline let mask: UInt64

  /// Creates a ring for at least `count` events, and at most twice as many.
  @inlinable package init(keeping count: Int) {
    mask = UInt64(1) << UInt64(Int.bitWidth - (max(count, 2) - 1).leadingZeroBitCount) - 1
  }

  /// The data of an event. Nil if there is none, if it was overwritten, and for seq 0, which no event has.
  @inlinable package subscript(seq: UInt64) -> Element? {
    @inline(__always)
    get {
      let index = Int(truncatingIfNeeded: seq & mask)
      guard index < entries.count, entries[index].seq == seq, seq > 0 else { return nil }
      return entries[index].element
    }
  }

  /// Stores the data of an event, which overwrites that of an earlier event.
  @inlinable @inline(__always)
  package mutating func append(_ seq: UInt64, _ element: Element) {
    let index = Int(truncatingIfNeeded: seq & mask)
    if index >= entries.count { grow(beyond: index, element) }
    entries[index] = (seq, element)
  }

  /// Removes all data.
  @inlinable package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// Grows the storage by some thousand entries that belong to no event. The array's spare capacity stays
  /// untouched, so it takes no memory yet.
  @inlinable @inline(never)
  mutating func grow(beyond index: Int, _ element: Element) {
    let count = min(index + 4096, Int(mask) + 1)
    entries.append(contentsOf: repeatElement((seq: 0, element: element), count: count - entries.count))
  }
}

extension RecentRing: Sendable where Element: Sendable {}
