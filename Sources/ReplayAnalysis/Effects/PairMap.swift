import EventLog

/// An open hash table from a number and a key to a number. Clearing it takes constant time.
struct PairMap<Key: DenseKey> {
  private struct Slot {
    var first: UInt64 = 0
    var second: UInt32 = 0
    var value: Int32 = 0
    /// The life of the table in which the slot was filled; slots of earlier lives count as free.
    var life: UInt32 = 0
  }

  /// A power of two, at most half full.
  private var slots = [Slot](repeating: Slot(), count: 64)
  private var count = 0
  private var life: UInt32 = 1

  subscript(first: UInt64, key: Key) -> Int32? {
    get {
      let slot = slots[index(first, Self.number(of: key))]
      return slot.life == life ? slot.value : nil
    }
    set {
      guard let newValue else { return }
      let second = Self.number(of: key)
      let index = index(first, second)
      if slots[index].life != life { count += 1 }
      slots[index] = Slot(first: first, second: second, value: newValue, life: life)
      if 2 * count > slots.count { grow() }
    }
  }

  mutating func removeAll() {
    life &+= 1
    count = 0
    // The counter of lives wraps once in four billion times. A table that one large cascade made large is
    // released.
    if life == 0 || slots.count > 1 << 16 { self = PairMap() }
  }

  @inline(__always)
  private static func number(of key: Key) -> UInt32 { UInt32(truncatingIfNeeded: key.denseIndex) }

  /// The slot that holds this pair, or the free slot where it belongs.
  private func index(_ first: UInt64, _ second: UInt32) -> Int {
    let mask = slots.count - 1
    let (high, low) = (first ^ pairMapSeed ^ UInt64(second) << 32)
      .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    var index = Int(truncatingIfNeeded: (high ^ low) >> 16) & mask
    while slots[index].life == life, slots[index].first != first || slots[index].second != second {
      index = (index + 1) & mask
    }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: 4 * old.count)
    for slot in old where slot.life == life { slots[index(slot.first, slot.second)] = slot }
  }
}

/// Differs in each process, so that a log cannot be made to cause collisions.
private let pairMapSeed = UInt64.random(in: .min ... .max)
