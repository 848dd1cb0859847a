import Foundation
import Projection
import Testing

@testable import ReplayTesting

/// Tests of what actions led to, however late.
@Suite struct ActionExpectationTests {
  @Test func whatAnActionLedToIsCountedWithItsTasks() async throws {
    try await withRecordedSession { session in
      nonisolated(unsafe) let shop = ShopSession(session).shop
      shop.lines[id: 1]?.count = 5
      await session.action("Refresh") {
        shop.lines[id: 42]?.count += 1
        await Task { shop.lines[id: 2]?.count += 1 }.value
      }
      try session.expectEvaluations(
        ["Row": 2, "Row#42": 1, "Badge": 2, "List": .atMost(0)], others: 4, action: "Refresh")
      #expect(throws: NotExplained.self) { try session.expectEvaluations([:], action: "Lost") }
    }
    #expect(throws: NotExplained.self) { try Session().expectEvaluations([:], action: "Refresh") }
  }

  @Test func anUnexpectedCountSaysWhatTheActionWrote() throws {
    var log: URL?
    // A log with a failure in it is kept.
    defer { if let log { try? FileManager.default.removeItem(at: log) } }
    let issues = try failures {
      try withRecordedSession { session in
        log = RecordedRun.current?.url
        let shop = ShopSession(session).shop
        for _ in 0..<2 { session.action("Refresh") { shop.lines[id: 42]?.count += 1 } }
        try session.expectEvaluations(["Row": 0...1], others: 0, action: "Refresh")
      }
    }
    let text = issues.texts.first ?? ""
    #expect(text.hasPrefix("Row ran 2 times, expected 0 to 1: Row#42 x 2\n"), "\(text)")
    #expect(
      text.contains("2 actions \"Refresh\" wrote shop.lines[*].count x 2, derived.counted"), "\(text)")
  }

  @Test func settledWaitsForActionsThatNobodyAwaits() async throws {
    var log: URL?
    // A log is kept for the failure below, which was expected.
    defer { log.map { try? FileManager.default.removeItem(at: $0) } }
    try await withRecordedSession { session in
      log = RecordedRun.current?.url
      nonisolated(unsafe) let shop = ShopSession(session).shop
      let clock = ManualClock()
      Task {
        try await session.action("Refresh") {
          try await clock.sleep(until: clock.now.advanced(by: .seconds(3)))
          shop.lines[id: 42]?.count += 1
        }
      }
      while clock.sleepers == 0 { await Task.yield() }
      let issues = await failures { await session.settled(within: .milliseconds(5)) }
      #expect(issues.texts == ["not settled within 0.005 seconds: Refresh had not ended"])
      await clock.advance(by: .seconds(3))
      await session.settled()
      try session.expectEvaluations(["Row#42": 1], action: "Refresh")
    }
  }

  @Test func settledRunsWhatIsOutOfDate() async {
    let session = Session(delivery: .manual)
    let shop = ShopSession(session).shop
    let report = await session.measure {
      shop.lines[id: 42]?.count += 1
      await session.settled()
    }
    #expect(report.evaluationsByInstance["Row#42"] == 1)
  }
}
