/// Finds the elements of an array by hash: a table of offsets into it, of four bytes each.
///
/// The array keeps the elements and this keeps no copy, where a dictionary would. What is added cannot be removed.
package struct FlatIndex: Sendable {
  /// Offsets at the places of their hashes or behind them, ``free`` between; at least a third is free.
  private var slots: [UInt32] = []
  private var count = 0

  private static let free = UInt32.max

  package init() {}

  /// The offset with this hash of which the test is true, if there is one.
  @inline(__always)
  package func find(_ hash: Int, _ isWanted: (_ offset: Int) -> Bool) -> Int? {
    if slots.isEmpty { return nil }
    var place = hash & (slots.count - 1)
    while slots[place] != Self.free {
      let offset = Int(slots[place])
      if isWanted(offset) { return offset }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds an offset that is not there; `hash` says the hash of each that is, for when the table grows.
  @inline(__always)
  package mutating func add(_ offset: Int, _ hash: Int, rehash: (_ offset: Int) -> Int) {
    if (count + 1) * 3 > slots.count * 2 { grow(rehash) }
    insert(UInt32(offset), hash)
    count += 1
  }

  private mutating func grow(_ hash: (Int) -> Int) {
    let old = slots
    slots = Array(repeating: Self.free, count: max(8, old.count * 2))
    for slot in old where slot != Self.free { insert(slot, hash(Int(slot))) }
  }

  @inline(__always)
  private mutating func insert(_ offset: UInt32, _ hash: Int) {
    var place = hash & (slots.count - 1)
    while slots[place] != Self.free { place = (place + 1) & (slots.count - 1) }
    slots[place] = offset
  }
}
