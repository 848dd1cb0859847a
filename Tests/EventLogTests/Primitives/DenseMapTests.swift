import LogGenerator
import Testing

@testable import EventLog

/// Maps by dense keys have the same content as dictionaries.
struct DenseMapTests {
  @Test func keysHaveTheirValueOrTheDefault() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var map = DenseMap<Int, String>(default: "none")
    var known: [Int: String] = [:]
    for step in 0..<3_000 {
      let key = Int.random(in: 0..<500, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0:
        map.removeAll(keepingCapacity: step % 2 == 0)
        known.removeAll()
      case 1..<50:
        map[key] = "\(step)"
        known[key] = "\(step)"
      case 50..<60:
        map[key] += "+"
        known[key, default: "none"] += "+"
      default: #expect(map[key] == known[key, default: "none"], "key \(key), step \(step), seed \(seed)")
      }
    }
    for key in 0..<600 { #expect(map[key] == known[key, default: "none"], "key \(key), seed \(seed)") }
    for (key, value) in map.values.enumerated() {
      #expect(value == known[key, default: "none"], "key \(key), seed \(seed)")
    }
  }

  @Test func valuesOfEarlierEpochsAreGone() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var map = EpochMap<Int, UInt32>()
    var known: [Int: UInt32] = [:]
    for step in 0..<5_000 {
      let key = Int.random(in: 0..<300, using: &random)
      switch Int.random(in: 0..<200, using: &random) {
      case 0:
        map.removeAll()
        known.removeAll()
      case 1..<100:
        map.set(key, UInt32(step))
        known[key] = UInt32(step)
      default:
        #expect(map[key] == known[key], "key \(key), step \(step), seed \(seed)")
        #expect(map.contains(key) == (known[key] != nil), "key \(key), step \(step), seed \(seed)")
      }
    }
    for key in 0..<400 { #expect(map[key] == known[key], "key \(key), seed \(seed)") }
  }

  @Test func epochsThatStartOverBringNothingBack() {
    var map = EpochMap<Int, String>()
    map.set(3, "first")
    map.epoch = .max
    map.set(4, "last")
    #expect(map[3] == nil && map[4] == "last")
    map.removeAll()
    #expect((0..<10).allSatisfy { map[$0] == nil && !map.contains($0) })
  }
}
