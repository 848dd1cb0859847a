/// Ids of one block by staged id; forgetting them all costs nothing.
struct LocalIDs {
  private var entries: [(block: UInt32, id: UInt32)] = []
  private var block: UInt32 = 1

  @inline(__always)
  subscript(staged: Int) -> Int? {
    get {
      guard staged < entries.count, entries[staged].block == block else { return nil }
      return Int(entries[staged].id)
    }
    set {
      if staged >= entries.count { grow(to: staged + 1) }
      if let newValue { entries[staged] = (block, UInt32(newValue)) }
    }
  }

  private mutating func grow(to count: Int) {
    let count = max(count, 2 * entries.count)
    entries.append(contentsOf: repeatElement((block: 0, id: 0), count: count - entries.count))
  }

  mutating func removeAll() {
    block &+= 1
    // Once in four billion blocks the numbers start over.
    if block == 0 {
      entries.removeAll()
      block = 1
    }
  }
}
