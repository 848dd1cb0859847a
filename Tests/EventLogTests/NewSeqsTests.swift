import LogGenerator
import Testing

@testable import EventLog

/// The new numbers of events, compared with a dictionary of them.
struct NewSeqsTests {
  @Test func newNumbersAreThoseThatWereGiven() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var seqs = NewSeqs()
    var known: [UInt64: UInt64] = [:]
    var new: UInt64 = 1
    var late: UInt64?
    for old in UInt64(1)...5_000 {
      switch random.next() % 8 {
      case 0: break
      case 1:
        // A dropped event maps to the seq of its cause.
        known[old] = new
        seqs.drop(old, for: new)
      case 2: late = old
      default:
        // The beginning of a transaction is kept if an event in it is kept.
        for old in [late, old].compactMap(\.self) {
          new += 1
          known[old] = new
          seqs.keep(old, as: new)
        }
        late = nil
      }
    }
    for old in UInt64(0)...5_100 { #expect(seqs[old] == known[old], "event \(old), seed \(seed)") }
  }
}
