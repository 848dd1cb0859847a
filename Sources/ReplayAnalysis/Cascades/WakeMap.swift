/// Numbers by two others, in an open hash table that forgets everything at no cost.
struct WakeMap {
  private struct Slot {
    var first: UInt64 = 0
    var second: Int32 = 0
    var value: Int32 = 0
    /// In which life of the table it was filled.
    var life: UInt32 = 0
  }

  /// A power of two, at most half full.
  private var slots = [Slot](repeating: Slot(), count: 64)
  private var count = 0
  private var life: UInt32 = 1

  subscript(first: UInt64, second: Int32) -> Int32? {
    get {
      let slot = slots[place(first, second)]
      return slot.life == life ? slot.value : nil
    }
    set {
      guard let newValue else { return }
      let place = place(first, second)
      if slots[place].life != life { count += 1 }
      slots[place] = Slot(first: first, second: second, value: newValue, life: life)
      if 2 * count > slots.count { grow() }
    }
  }

  mutating func removeAll() {
    life &+= 1
    count = 0
    // Once in four billion times, and where one large cascade left a large table.
    if life == 0 || slots.count > 1 << 16 { self = WakeMap() }
  }

  /// Where two numbers are, or would be.
  private func place(_ first: UInt64, _ second: Int32) -> Int {
    let mask = slots.count - 1
    let (high, low) = (first ^ Self.seed ^ UInt64(UInt32(bitPattern: second)) << 32)
      .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    var place = Int(truncatingIfNeeded: (high ^ low) >> 16) & mask
    while slots[place].life == life, slots[place].first != first || slots[place].second != second {
      place = (place + 1) & mask
    }
    return place
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: Slot(), count: 4 * old.count)
    for slot in old where slot.life == life { slots[place(slot.first, slot.second)] = slot }
  }

  private static let seed = UInt64.random(in: .min ... .max)
}
