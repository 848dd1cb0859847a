/// The events that wait for a partner, by what they say: for each signature the first and the last.
///
/// An open hash table. Signatures are hashes already, so their last bits say where to look, and of each a table keeps so
/// much that another is known without a look at the event: of two runs with nothing in common nearly every look finds nothing.
struct WaitingPlaces {
  struct Ends {
    var first: Int32
    var last: Int32
  }

  private struct Slot {
    /// The last bits of the signature.
    var signature: UInt32 = 0
    /// Below 0 where the slot is free.
    var ends = Ends(first: -1, last: -1)
  }

  /// A power of two, at most half full.
  private var slots: [Slot] = []

  /// One without room.
  init() {}

  /// - Parameter capacity: How many may wait; a power of two.
  init(capacity: Int) { slots = Array(repeating: Slot(), count: 2 * capacity) }

  /// Whether it has no room.
  var isEmpty: Bool { slots.isEmpty }

  /// The slot of the signature of which `isIt` says so, or the free one where it belongs.
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

  /// Nil where the slot is free.
  @inline(__always)
  subscript(slot: Int) -> Ends? { slots[slot].ends.first < 0 ? nil : slots[slot].ends }

  @inline(__always)
  mutating func put(_ ends: Ends, of signature: UInt64, in slot: Int) {
    slots[slot] = Slot(signature: UInt32(truncatingIfNeeded: signature), ends: ends)
  }

  /// Frees a slot, and closes the gap: what stands behind it moves up as far as its own place.
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
