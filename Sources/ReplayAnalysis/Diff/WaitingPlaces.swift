/// The events that wait for a partner. For each signature it holds the first and the last event;
/// ``DiffWindow`` links those between them.
///
/// An open hash table. A signature is a hash already, so its low bits are the index. Each slot also keeps 32
/// bits of the signature: most lookups fail when two runs have little in common, and these bits reject a
/// wrong slot without reading the event.
struct WaitingPlaces {
  struct Ends {
    var first: Int32
    var last: Int32
  }

  private struct Slot {
    /// The low bits of the signature.
    var signature: UInt32 = 0
    /// The first is negative if the slot is free.
    var ends = Ends(first: -1, last: -1)
  }

  /// A power of two, at most half full.
  private var slots: [Slot] = []

  /// Creates a table without slots.
  init() {}

  /// - Parameter capacity: How many events may wait; a power of two.
  init(capacity: Int) { slots = Array(repeating: Slot(), count: 2 * capacity) }

  /// Whether the table has no slots.
  var isEmpty: Bool { slots.isEmpty }

  /// The slot of a signature, or the free slot where it belongs. `isIt` compares the whole signature of an
  /// event.
  @inline(__always)
  func slot(of signature: UInt64, _ isIt: (Int32) -> Bool) -> Int {
    let mask = slots.count - 1
    let low = UInt32(truncatingIfNeeded: signature)
    var slot = Int(low) & mask
    while slots[slot].ends.first >= 0 {
      if slots[slot].signature == low, isIt(slots[slot].ends.first) { return slot }
      slot = (slot + 1) & mask
    }
    return slot
  }

  /// The entry in a slot; nil if the slot is free.
  @inline(__always)
  subscript(slot: Int) -> Ends? { slots[slot].ends.first < 0 ? nil : slots[slot].ends }

  @inline(__always)
  mutating func put(_ ends: Ends, of signature: UInt64, in slot: Int) {
    slots[slot] = Slot(signature: UInt32(truncatingIfNeeded: signature), ends: ends)
  }

  /// Frees a slot. Later entries move up to close the gap, but none before its own index.
  mutating func free(_ slot: Int) {
    let mask = slots.count - 1
    var (gap, next) = (slot, (slot + 1) & mask)
    while slots[next].ends.first >= 0 {
      let home = Int(slots[next].signature) & mask
      if (next - home) & mask >= (next - gap) & mask {
        slots[gap] = slots[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    slots[gap].ends.first = -1
  }
}
