import Testing

@testable import EventLog

/// The new numbers of events, beside a dictionary of them.
struct NewSeqsTests {
  @Test func newNumbersAreThoseThatWereGiven() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var seqs = NewSeqs()
    var known: [UInt64: UInt64] = [:]
    var new: UInt64 = 1
    var late: UInt64?
    for old in UInt64(1)...5_000 {
      switch random.next() % 8 {
      case 0: break
      case 1:
        // What was dropped has the number of what led to it.
        known[old] = new
        seqs[old] = new
      case 2: late = old
      default:
        if let begin = late {
          new += 1
          known[begin] = new
          seqs[begin] = new
          late = nil
        }
        new += 1
        known[old] = new
        seqs[old] = new
      }
    }
    for old in UInt64(0)...5_100 { #expect(seqs[old] == known[old], "event \(old), seed \(seed)") }
  }
}
