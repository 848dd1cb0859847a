import Testing

@testable import EventLog

@Suite struct KeptReasonsTests {
  /// A throttled or hidden projection may be invalidated any number of times before it runs.
  @Test func aRunKeepsItsCauseAfterMoreInvalidationsThanAreNoted() {
    var reasons = KeptReasons()
    reasons.hasTimeline = true
    reasons.begin("parent", parent: nil, hadParent: false)
    reasons.begin("child", parent: "parent", hadParent: true)
    let first = reasons.run("child", for: nil)
    for unit in 1...10_000 as ClosedRange<UInt64> { reasons.invalidate("child", by: unit) }
    let second = reasons.run("child", for: 10_000)
    // The invalidations before that run explain no other.
    let third = reasons.run("child", for: 9_999)
    #expect([first, second, third] == [true, true, false])
  }

  @Test func whatEndedIsForgotten() {
    var reasons = KeptReasons()
    reasons.hasTimeline = true
    reasons.begin("child", parent: "parent", hadParent: true)
    let first = reasons.run("child", for: nil)
    let unexplained = reasons.run("child", for: 5)
    reasons.end("child")
    let afterEnd = reasons.run("child", for: 5)
    #expect([first, unexplained, afterEnd] == [true, false, true])
  }
}
