import LogGenerator
import Testing

@testable import ReplayAnalysis

/// The tables in which cascades find what they have, held against dictionaries.
@Suite struct PlaceTableTests {
  @Test func aMapOfTwoNumbersIsADictionaryUntilItForgets() {
    struct Key: Hashable {
      var first: UInt64
      var second: Int32
    }
    let seed = UInt64.random(in: 0...UInt64.max >> 1)
    var random = SplitMix64(seed: seed)
    var map = WakeMap()
    var model: [Key: Int32] = [:]
    for step in 0..<20_000 {
      if Int.random(in: 0..<2000, using: &random) == 0 {
        map.removeAll()
        model = [:]
      }
      let key = Key(
        first: UInt64.random(in: 0..<40, using: &random), second: Int32.random(in: -1..<40, using: &random))
      #expect(map[key.first, key.second] == model[key], "seed \(seed), step \(step)")
      if Bool.random(using: &random) {
        map[key.first, key.second] = Int32(step)
        model[key] = Int32(step)
      }
    }
  }

  @Test func rootsWithTheSameLastBitsAreKeptApart() {
    let seed = UInt64.random(in: 0...UInt64.max >> 1)
    var random = SplitMix64(seed: seed)
    var places = RootPlaces()
    var model: [UInt64: Int] = [:]
    for step in 0..<20_000 {
      let root = UInt64.random(in: 0..<8, using: &random) << 15 | UInt64.random(in: 0..<4, using: &random)
      #expect(places[root] == model[root], "seed \(seed), step \(step)")
      if let place = model[root] {
        places.remove(place, of: root)
        model[root] = nil
      } else {
        places.insert(step, of: root)
        model[root] = step
      }
    }
  }
}
