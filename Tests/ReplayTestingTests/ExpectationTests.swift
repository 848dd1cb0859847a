import Projection
import ReplayTesting
import Testing

/// The counts that fail a test, and the text of the failure.
@Suite struct ExpectationTests {
  let shop = Shop()
  let session = Session()

  init() {
    let shop = shop
    session.attach(shop, as: "shop")
    for row in 0..<3 { session.projection("Row#\(row)") { _ in shop.lines[row].count } }
    session.projection("Gauge") { _ in shop.level }
  }

  @Test func countsAsExpectedRecordNoIssueAndAreReturned() {
    let report = session.expectEvaluations(["Row": 1, "Row#1": 1, "Gauge": 0], others: 0) {
      shop.lines[1].count += 1
    }
    #expect(report.evaluationsByInstance == ["Row#1": 1])
    session.expectInvalidations(["Row": .atLeast(1), "Gauge": .atMost(1)]) { shop.lines[1].count += 1 }
    session.expectNoEvaluations { shop.lines[1].count += 0 }
  }

  @Test func aCountThatIsNotAsExpectedFailsWithItsInstancesAndTheCascade() {
    let issues = failures {
      session.expectEvaluations(["Row": 1]) {
        shop.lines[0].count = 5
        shop.lines[2].count = 7
      }
    }
    #expect(
      issues.texts == [
        """
        Row ran 2 times, expected 1: Row#0, Row#2
        set shop.lines[id: 1].count  0 -> 5
          Row#0
        set shop.lines[id: 42].count  0 -> 7
          Row#2
        """
      ])
  }

  @Test func theIssueIsAtTheExpectation() throws {
    let line = #line
    let issues = failures { session.expectNoEvaluations { shop.level = 1 } }
    let location = try #require(issues.first?.sourceLocation)
    #expect(location.line == line + 1 && location.fileName == "ExpectationTests.swift")
  }

  @Test func aFailureSaysWhichObjectIsNotAttached() {
    let forgotten = Shop()
    session.projection("Forgotten") { _ in forgotten.level }
    let issues = failures { session.expectEvaluations(["Forgotten": 1]) { forgotten.level = 2 } }
    #expect(issues.count == 1)
    #expect(
      issues.texts.first?.contains(
        "note: Forgotten reads a Shop that is not attached, and is not invalidated by its changes; attach it, "
      )
        == true)
  }

  @Test func aFailureSaysWhichObjectIsAnotherSessions() {
    let other = Session()
    defer { withExtendedLifetime(other) {} }
    let taken = Shop()
    other.attach(taken, as: "taken")
    session.attach(taken, as: "taken")
    session.projection("Taken") { _ in taken.level }
    let issues = failures { session.expectEvaluations(["Taken": 1]) { taken.level = 2 } }
    #expect(
      issues.texts.first?.hasSuffix(
        "note: a Shop was not recorded, because another session records it; close that session first") == true
    )
  }

  @Test func allFailuresAreReportedTogetherWithOneCascade() {
    let issues = failures {
      session.expectEvaluations(["Gauge": .atLeast(2), "Row": .atMost(0)]) {
        shop.level = 1
        shop.lines[0].count = 5
      }
    }
    #expect(
      issues.texts == [
        """
        Gauge ran once, expected at least 2
        Row ran once, expected at most 0: Row#0
        set shop.level  0.0 -> 1.0
          Gauge
        set shop.lines[id: 1].count  0 -> 5
          Row#0
        """
      ])
  }

  @Test func otherRunsFailOnlyIfOthersAreLimited() {
    let issues = failures {
      session.expectEvaluations(["Gauge": 1]) {
        shop.level = 1
        shop.filter = "a"
        shop.lines[0].count = 5
      }
      session.expectEvaluations(["Gauge": 1], others: 0) {
        shop.level = 2
        shop.lines[0].count = 6
      }
      session.expectNoEvaluations { shop.level = 3 }
    }
    #expect(
      issues.texts.map { $0.prefix { $0 != "\n" } } == [
        "something else ran once, expected 0: Row#0", "something ran once, expected 0: Gauge",
      ])
  }

  @Test func aMeasurementWithoutRunsIsReportedAsThat() {
    let issues = failures { session.expectEvaluations(["Row#7": 1]) {} }
    #expect(issues.texts == ["Row#7 ran 0 times, expected 1\nnothing was written, and nothing ran"])
  }

  @Test func invalidationsAreCountedApartFromEvaluations() {
    let issues = failures {
      session.expectInvalidations(["Gauge": 1], others: 0) {
        shop.level = 1
        shop.level = 2
      }
      session.expectInvalidations([:], others: 0) { session.projection("New") { _ in } }
    }
    #expect(issues.texts.map { $0.prefix { $0 != "\n" } } == ["Gauge was invalidated 2 times, expected 1"])
  }

  @Test func delayedRunsAreCountedInABodyThatAdvancesTheClock() async {
    let clock = ManualClock()
    let shop = Shop()
    let session = Session(clock: clock)
    session.attach(shop, as: "shop")
    session.onChange(of: \.level, in: shop, throttledTo: .seconds(1), name: "Meter") { _, _ in }
    session.expectEvaluations(["Meter": 1], others: 0) { shop.level = 1 }
    let issues = await failures {
      await session.expectNoEvaluations {
        shop.level = 2
        await clock.advance(by: .seconds(1))
      }
    }
    #expect(issues.texts == ["something ran once, expected 0: Meter\nset shop.level  1.0 -> 2.0\n  Meter"])
  }

  @Test func requirementsThrowTheSameText() throws {
    let report = session.measure { shop.level = 1 }
    try report.requireEvaluations(["Gauge": 1], others: 0)
    try report.requireInvalidations(["Gauge": 1])
    let error = try #require(throws: UnmetExpectation.self) { try report.requireEvaluations(["Gauge": 0]) }
    #expect(error.projections == ["Gauge"])
    #expect("\(error)" == "Gauge ran once, expected 0\nset shop.level  0.0 -> 1.0\n  Gauge")
    #expect(throws: UnmetExpectation.self) { try report.requireInvalidations([:], others: 0) }
  }

  @Test func anErrorOfTheBodyIsThrownAndNoExpectationIsChecked() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try session.expectEvaluations(["Row": 1]) { throw Failure() } }
  }
}
