import EventLog
import LogGenerator
import Testing

@testable import Invalidation

/// Reads that are recorded as changes invalidate the same projections as lists of all reads.
@Suite struct ChangedReadsTests {
  private static let seeds = 40

  @Test func theTimelineIsThatOfTheWholeLists() throws {
    let first = testSeed() >> 31
    for seed in first..<(first + UInt64(Self.seeds)) {
      let (a, b) = try Self.timelines(seed)
      guard let position = zip(a, b).enumerated().first(where: { $1.0 != $1.1 })?.offset else { continue }
      Issue.record("seed \(seed), event \(position + 1): \(a[position]), with changes \(b[position])")
      return
    }
  }

  @Test func theTimelineOfAPartGoesOnAsTheWholeOne() throws {
    let first = testSeed() >> 31
    for seed in first..<(first + UInt64(Self.seeds)) {
      let events = Self.session(seed).changed
      let whole = try Self.timelines(seed).changed
      var fold = StateFold()
      let cut = Int(seed % UInt64(events.count))
      for event in events[..<cut] { fold.apply(event) }
      // The state before a part does not include the events of an open transaction.
      if fold.openTransactions > 0 { continue }
      var part = Timeline(resuming: fold)
      for event in events[cut...] {
        let hits = try part.apply(event).map { "\($0.projection) \($0.causes)" }
        let expected = whole[Int(event.seq) - 1]
        guard hits != expected else { continue }
        Issue.record("seed \(seed), cut at \(cut), event \(event.seq): \(hits) instead of \(expected)")
        return
      }
    }
  }

  private static func session(_ seed: UInt64) -> SlotReads {
    var session = ValidSession(seed: seed)
    return SlotReads(session.events(400))
  }

  /// What each event invalidates, in both forms.
  private static func timelines(_ seed: UInt64) throws -> (listed: [[String]], changed: [[String]]) {
    let session = session(seed)
    return (try hits(session.listed), try hits(session.changed))
  }

  private static func hits(_ events: [Event]) throws -> [[String]] {
    var timeline = Timeline()
    return try events.map { try timeline.apply($0).map { "\($0.projection) \($0.causes)" } }
  }
}
