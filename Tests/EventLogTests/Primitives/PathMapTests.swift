import LogGenerator
import Testing

@testable import EventLog

/// A map by path has the same content as a dictionary that is emptied at every epoch.
struct PathMapTests {
  @Test func anEpochForgetsWhatThoseBeforeItSet() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var map = PathMap<Int>(default: -7)
    var known: [PathID: Int] = [:]
    var epoch: UInt32 = 0
    for step in 0..<5_000 {
      let path = PathID(UInt32.random(in: 0..<300, using: &random), epoch: epoch)
      switch Int.random(in: 0..<200, using: &random) {
      case 0:
        epoch += 1
        known.removeAll()
      case 1..<80:
        map[path] = step
        known[path] = step
      case 80..<100:
        map[path] += 1
        known[path, default: -7] += 1
      default:
        #expect(map[path] == known[path, default: -7], "path \(path), step \(step), seed \(seed)")
      }
    }
    for index in 0..<UInt32(400) {
      let path = PathID(index, epoch: epoch)
      #expect(map[path] == known[path, default: -7], "seed \(seed)")
    }
  }
}
