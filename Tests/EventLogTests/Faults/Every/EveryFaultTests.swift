import Foundation
import LogGenerator
import Testing

@testable import EventLog

/// A log cut off at every byte, and with every bit flipped: all of these with `make torture-bits`, otherwise
/// some.
@Suite struct EveryFaultTests {
  @Test func aLogCutOffAtSomeBytesKeepsItsWholeBlocks() throws {
    let seed = testSeed()
    let log = try BulkLog(seed: seed)
    var random = SplitMix64(seed: seed)
    for cut in [0, log.bytes.count] { try log.tryCut(at: cut) }
    for _ in 0..<30 { try log.tryCut(at: Int.random(in: 0..<log.bytes.count, using: &random)) }
  }

  @Test func aLogWithSomeBitsFlippedLosesAtMostOneBlock() throws {
    let seed = testSeed()
    let log = try BulkLog(seed: seed)
    var random = SplitMix64(seed: seed)
    for _ in 0..<30 { try log.tryFlip(bit: Int.random(in: 0..<log.bytes.count * 8, using: &random)) }
  }

  /// The frame between two segments is skipped by its size, which no checksum covers.
  @Test func aWrongSizeOfASkippedFrameHidesNoBlock() throws {
    let log = try BulkLog(seed: 1)
    let gaps = zip(log.blocks, log.blocks.dropFirst()).filter { $0.endOffset != $1.offset }
    #expect(gaps.count == 1)
    for (before, _) in gaps {
      for bit in 0..<64 { try log.tryFlip(bit: Int(before.endOffset) * 8 + bit) }
    }
  }

  @Test(.enabled(if: Torture.every != nil, "runs with `make torture-bits`"))
  func noCutAndNoFlippedBitDoesHarm() throws {
    let seed = Torture.seed
    let log = try BulkLog(seed: seed)
    let all = [
      EveryFault(name: "cuts", count: log.bytes.count + 1) { try log.tryCut(at: $0) },
      EveryFault(name: "flips", count: log.bytes.count * 8) { try log.tryFlip(bit: $0) },
    ]
    let start = ContinuousClock.now
    let deadline = start + .seconds(Torture.seconds ?? 0)
    Torture.say(
      "torture: a log of \(log.bytes.count) bytes, \(log.events.count) events, \(log.blocks.count) blocks")
    for faults in all where [faults.name, "all"].contains(Torture.every) {
      let again = "make torture-bits EVERY=\(faults.name) SEED=\(seed) FROM="
      let outcome = faults.run(from: Torture.first, until: deadline)
      if let failure = outcome.failure {
        Issue.record("\(faults.name) \(failure.index): \(failure.reason)")
        Torture.say("again: \(again)\(failure.index)")
        return
      }
      Torture.say(
        "  \(faults.name): \(Torture.first) to \(outcome.end) of \(faults.count) tried, none failed,"
          + " \((ContinuousClock.now - start).components.seconds) s")
      if outcome.end < faults.count { print("  the rest: \(again)\(outcome.end)") }
    }
  }
}
