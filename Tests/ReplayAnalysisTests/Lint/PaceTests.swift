import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// Whether actions came faster than a person makes them is told as a count of all pairs tells it.
@Suite struct PaceTests {
  /// Actions and marks, now and then in a hurry, some of them of other actions.
  private func session(_ path: String, _ random: inout SplitMix64) throws -> LogSource {
    let writer = try LogWriter(creating: path)
    var time: UInt64 = 0
    // Some are in a hurry, or not, almost to the end.
    var isHurried = Bool.random(using: &random)
    let moods = Int.random(in: 8...120, using: &random)
    var actions: [UInt64] = []
    for seq in 1...UInt64.random(in: 1...120, using: &random) {
      if Int.random(in: 0..<moods, using: &random) == 0 { isHurried.toggle() }
      time += UInt64.random(in: 0...(isHurried ? 4_500_000 : 90_000_000), using: &random)
      if Int.random(in: 0..<20, using: &random) == 0 { time -= min(time, 5_000_000) }
      let isAction = Int.random(in: 0..<4, using: &random) > 0
      let cause = Int.random(in: 0..<5, using: &random) == 0 ? actions.randomElement(using: &random) : nil
      let body: Event.Body = isAction ? .action(label: "Tap") : .mark(label: "frame")
      try writer.append(Event(seq: seq, time: time, cause: cause, body: body))
      if isAction { actions.append(seq) }
    }
    try writer.close()
    return try LogSource(path: path)
  }

  @Test func aRandomSessionIsJudgedAsItsActionsAreCounted() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let workspace = try Workspace()
    var verdicts: Set<Bool> = []
    for number in 0..<60 {
      let log = try session(workspace.file("\(number).evlog"), &random)
      var times: [UInt64] = []
      var pace = Pace()
      var run = LogRun(log, [])
      while try run.next() { pace.apply(run.row) }
      try log.reader.forEachEvent { event in
        if case .action = event.body, event.cause == nil { times.append(event.time) }
      }
      let hurried = zip(times, times.dropFirst()).count { $1 >= $0 && $1 - $0 <= 4_000_000 }
      #expect(pace.actions == times.count, "session \(number), seed \(seed)")
      #expect(pace.hurried == hurried, "session \(number), seed \(seed)")
      let isFast = hurried >= 16 && hurried * 2 >= times.count
      #expect(pace.isFasterThanLife == isFast, "session \(number), seed \(seed)")
      #expect((pace.sentence != nil) == isFast)
      verdicts.insert(isFast)
    }
    #expect(verdicts.count == 2, "seed \(seed)")
  }

  /// Where each action comes `gap` nanoseconds after the one before.
  private func report(_ actions: Int, every gap: Int) throws -> LintReport {
    let lines = (0..<actions).map { #"{"kind":"action","label":"Drag","time_ns":\#($0 * gap)}"# + "\n" }
    let workspace = try Workspace()
    let log = try LogSource(path: workspace.log(lines.joined(), "lines.evlog"))
    return try LintReport(log, LintRule.allCases, LintThresholds(), in: 0..<UInt64.max)
  }

  @Test func aTestThatTapsThreeHundredTimesInHalfASecondIsFasterThanLife() throws {
    #expect(
      try report(300, every: 2_000_000).notJudged
        == "recorded faster than life: 299 of 300 actions came within 4 ms of the one before, so bursts and floods are"
        + " not judged")
  }

  @Test func aDragAtTheRateOfTheDisplayIsLife() throws {
    #expect(try report(300, every: 8_333_000).notJudged == nil)
  }

  @Test func aLaunchThatLoadsADozenThingsIsLife() throws {
    #expect(try report(12, every: 1_000).notJudged == nil)
  }
}
