/// Finds the items of an array by hash, with a table of their indices in open addressing, four bytes a slot.
///
/// The owner keeps the array, and its items are not copied, as a dictionary would copy its keys. Inlined
/// closures give access to the items.
///
///     items   [ c | a | b ]                      the array
///     slots   [ - | 1 | 0 | - | 2 | - | - | - ]  each item's index, in its hash's slot or the next free one
@usableFromInline
package struct HashIndex: Sendable {
  /// Indices of items, or ``free``. The count is a power of two, and at most half of the slots are used.
  @usableFromInline var slots: [UInt32] = []
  @usableFromInline var count = 0

  @inlinable static var free: UInt32 { .max }

  /// Creates an empty index.
  @inlinable package init() {}

  /// The index of the item with this hash for which the closure returns true; nil if there is none. Cost:
  /// usually one or two slots are read.
  @inlinable @inline(__always)
  package func find(_ hash: Int, where isWanted: (_ index: Int) -> Bool) -> Int? {
    if slots.isEmpty { return nil }
    let mask = slots.count - 1
    var slot = hash & mask
    while slots[slot] != Self.free {
      let index = Int(slots[slot])
      if isWanted(index) { return index }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds the index of a new item. If the table grows, `rehash` returns the hash of each item in it.
  @inlinable @inline(__always)
  package mutating func add(_ index: Int, _ hash: Int, rehash: (_ index: Int) -> Int) {
    if 2 * (count + 1) > slots.count { grow(rehash) }
    put(UInt32(index), hash)
    count += 1
  }

  /// Removes the index of an item with this hash; `rehash` returns the hash of each other item. Cost: as for
  /// ``find``, and a hash for each of the few items that follow it without a gap.
  @inlinable
  package mutating func remove(_ index: Int, _ hash: Int, rehash: (_ index: Int) -> Int) {
    if slots.isEmpty { return }
    let mask = slots.count - 1
    var hole = hash & mask
    while slots[hole] != UInt32(index) {
      if slots[hole] == Self.free { return }
      hole = (hole + 1) & mask
    }
    // A search goes from the slot of the item's hash to the first free slot, so no free slot may appear
    // between them.
    var slot = (hole + 1) & mask
    while slots[slot] != Self.free {
      let first = rehash(Int(slots[slot])) & mask
      if (slot - first) & mask >= (slot - hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    slots[hole] = Self.free
    count -= 1
  }

  /// Removes all items, and keeps the storage unless it is large.
  package mutating func removeAll() {
    count = 0
    if slots.count > 1 << 14 {
      slots = []
    } else {
      slots.withUnsafeMutableBufferPointer { $0.update(repeating: Self.free) }
    }
  }

  @inlinable mutating func grow(_ hash: (Int) -> Int) {
    let old = slots
    slots = Array(repeating: Self.free, count: max(16, 2 * old.count))
    for index in old where index != Self.free { put(index, hash(Int(index))) }
  }

  @inlinable @inline(__always)
  mutating func put(_ index: UInt32, _ hash: Int) {
    let mask = slots.count - 1
    var slot = hash & mask
    while slots[slot] != Self.free { slot = (slot + 1) & mask }
    slots[slot] = index
  }
}
