import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The lookup tables of cascades, compared with dictionaries.
@Suite struct CascadeTableTests {
  @Test func aMapOfTwoNumbersIsADictionaryUntilItForgets() {
    struct Key: Hashable {
      var first: UInt64
      var second: Int
    }
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var map = PairMap<Int>()
    var model: [Key: Int32] = [:]
    for step in 0..<20_000 {
      if Int.random(in: 0..<2000, using: &random) == 0 {
        map.removeAll()
        model = [:]
      }
      let key = Key(
        first: UInt64.random(in: 0..<40, using: &random), second: Int.random(in: 0..<40, using: &random))
      #expect(map[key.first, key.second] == model[key], "seed \(seed), step \(step)")
      if Bool.random(using: &random) {
        map[key.first, key.second] = Int32(step)
        model[key] = Int32(step)
      }
    }
  }

  @Test func rootsWithTheSameLastBitsAreKeptApart() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var slots = RootSlots()
    var model: [UInt64: Int] = [:]
    for step in 0..<20_000 {
      let root = UInt64.random(in: 0..<8, using: &random) << 15 | UInt64.random(in: 0..<4, using: &random)
      #expect(slots[root] == model[root], "seed \(seed), step \(step)")
      if let slot = model[root] {
        slots.remove(slot, of: root)
        model[root] = nil
      } else {
        slots.insert(step, of: root)
        model[root] = step
      }
    }
  }
}
