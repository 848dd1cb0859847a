import LogGenerator
import Testing

@testable import EventLog

/// A ring holds the same values for the latest events as a dictionary of all events.
struct RecentRingTests {
  @Test(arguments: [1, 100, 1_024]) func theLatestEventsAreKnown(kept: Int) {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var ring = RecentRing<UInt64>(keeping: kept)
    var known: [UInt64: UInt64] = [:]
    var seq: UInt64 = 0
    for _ in 0..<5_000 {
      // Some events are not noted, and some are noted again.
      seq += UInt64.random(in: 0...2, using: &random)
      if seq > 0 {
        known[seq] = random.next()
        ring.append(seq, known[seq] ?? 0)
      }
      let asked = UInt64.random(in: 0...seq + 10, using: &random)
      if asked + UInt64(kept) > seq { #expect(ring[asked] == known[asked], "event \(asked), seed \(seed)") }
      if let found = ring[asked] { #expect(found == known[asked], "event \(asked), seed \(seed)") }
    }
    ring.removeAll()
    #expect((0...seq).allSatisfy { ring[$0] == nil }, "seed \(seed)")
    ring.append(seq, 7)
    #expect((0...seq).filter { ring[$0] != nil } == [seq], "seed \(seed)")
  }
}
