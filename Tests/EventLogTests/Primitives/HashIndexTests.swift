import LogGenerator
import Testing

@testable import EventLog

/// An index of an array finds the same items as a dictionary of them.
struct HashIndexTests {
  @Test(arguments: [0, 1, 4, 64]) func itemsAreFoundAlsoWhereHashesCollide(hashBits: Int) {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    func hash(_ item: UInt64) -> Int {
      let mixed = item &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: hashBits == 0 ? 0 : mixed >> UInt64(64 - hashBits))
    }
    var items: [UInt64] = []
    var index = HashIndex()
    for round in 0..<3 {
      var known: [UInt64: Int] = [:]
      for _ in 0..<2_000 {
        let item = UInt64.random(in: 0..<300, using: &random)
        let found = index.find(hash(item)) { items[$0] == item }
        #expect(found == known[item], "item \(item), round \(round), seed \(seed)")
        guard found == nil else { continue }
        known[item] = items.count
        items.append(item)
        index.add(items.count - 1, hash(item)) { hash(items[$0]) }
      }
      items.removeAll()
      index.removeAll()
      #expect(index.find(hash(1)) { _ in true } == nil)
    }
  }

  @Test(arguments: [0, 1, 4, 64]) func itemsThatAreRemovedAreNotFoundAndAllOthersAre(hashBits: Int) {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    func hash(_ item: Int) -> Int {
      let mixed = UInt64(item) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: hashBits == 0 ? 0 : mixed >> UInt64(64 - hashBits))
    }
    var known: Set<Int> = []
    var index = HashIndex()
    for _ in 0..<4_000 {
      // An item is its own index.
      let item = Int.random(in: 0..<200, using: &random)
      let found = index.find(hash(item)) { $0 == item }
      #expect(found == (known.contains(item) ? item : nil), "item \(item), seed \(seed)")
      if Bool.random(using: &random) {
        index.remove(item, hash(item)) { hash($0) }
        known.remove(item)
      } else if known.insert(item).inserted {
        index.add(item, hash(item)) { hash($0) }
      }
    }
    for item in 0..<200 {
      let found = index.find(hash(item)) { $0 == item }
      #expect(found == (known.contains(item) ? item : nil), "item \(item), seed \(seed)")
    }
  }

  @Test func anIndexThatGrewLargeStartsOver() {
    var items = Array(0..<20_000)
    var index = HashIndex()
    for item in items { index.add(item, item) { items[$0] } }
    #expect(items.allSatisfy { item in index.find(item) { items[$0] == item } == item })
    items = [7]
    index.removeAll()
    index.add(0, 7) { items[$0] }
    #expect(index.find(7) { items[$0] == 7 } == 0)
    #expect(index.find(8) { items[$0] == 8 } == nil)
  }
}
