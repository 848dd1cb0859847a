/// What is known of the latest events, by their seqs: a ring that the next ones write over.
///
/// It grows up to its capacity as seqs do, so that a short log takes little.
@usableFromInline
package struct RecentRing<Element> {
  /// By the last bits of the seq; the seq is 0 where nothing was noted.
  @usableFromInline var entries: [(seq: UInt64, element: Element)] = []
  @usableFromInline let mask: UInt64

  /// Creates a ring for at least `count` events, and at most twice as many.
  @inlinable package init(keeping count: Int) {
    mask = UInt64(1) << UInt64(Int.bitWidth - (max(count, 2) - 1).leadingZeroBitCount) - 1
  }

  /// What is known of an event; nil where nothing was noted, where that was too long ago, and for seq 0, which none has.
  @inlinable package subscript(seq: UInt64) -> Element? {
    @inline(__always)
    get {
      let index = Int(truncatingIfNeeded: seq & mask)
      guard index < entries.count, entries[index].seq == seq, seq > 0 else { return nil }
      return entries[index].element
    }
  }

  /// Notes what is known of an event, over what was noted of an earlier one.
  @inlinable @inline(__always)
  package mutating func note(_ seq: UInt64, _ element: Element) {
    let index = Int(truncatingIfNeeded: seq & mask)
    if index >= entries.count { grow(beyond: index, element) }
    entries[index] = (seq, element)
  }

  /// Forgets all events.
  @inlinable package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// Fills the room with an element that is at hand; it belongs to no event.
  @inlinable @inline(never)
  mutating func grow(beyond index: Int, _ element: Element) {
    let count = min(max(2 * entries.count, index + 1), Int(mask) + 1)
    entries.append(contentsOf: repeatElement((seq: 0, element: element), count: count - entries.count))
  }
}

extension RecentRing: Sendable where Element: Sendable {}
