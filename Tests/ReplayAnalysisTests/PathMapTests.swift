import LogGenerator
import Testing

@testable import ReplayAnalysis

/// A map by path holds what a dictionary holds that every generation empties.
struct PathMapTests {
  @Test func aGenerationForgetsWhatThoseBeforeItSet() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    var map = PathMap<Int>(default: -7)
    var known: [Int: Int] = [:]
    var generation = 0
    for step in 0..<5_000 {
      let path = Int.random(in: 0..<300, using: &random)
      switch Int.random(in: 0..<200, using: &random) {
      case 0:
        generation += 1
        known.removeAll()
      case 1..<80:
        map[path, generation] = step
        known[path] = step
      case 80..<100:
        map[path, generation] += 1
        known[path, default: -7] += 1
      default:
        #expect(map[path, generation] == known[path, default: -7], "path \(path), step \(step), seed \(seed)")
      }
    }
    for path in 0..<400 { #expect(map[path, generation] == known[path, default: -7], "seed \(seed)") }
  }
}
