import EventLog
import Invalidation
import LogGenerator
import Testing

@testable import ReplayAnalysis

/// What cascades and flushes count is what the events of a log say one by one.
@Suite struct EffectSumsTests {
  private struct Sums: Equatable {
    var evaluations = 0
    var wasted = 0
    var time: UInt64 = 0
    var invalidations = 0
  }

  @Test func eachRunAndInvalidationIsCountedOnce() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var counted = Sums()
    for number in 0..<8 {
      var session = ValidSession(seed: random.next())
      let workspace = try Workspace()
      let log = try workspace.log(of: session.events(1500))

      // A run without a cause belongs to no cascade.
      var (all, caused) = (Sums(), Sums())
      var timeline = Timeline()
      try log.reader.forEachEvent { event in
        caused.invalidations += try timeline.apply(event).count
        guard case .evaluate(_, let duration, let changed, _, _) = event.body else { return }
        all.evaluations += 1
        all.time += duration
        guard event.cause != nil else { return }
        caused.evaluations += 1
        caused.wasted += changed == false ? 1 : 0
        caused.time += duration
      }

      var cascades = Sums()
      for line in try CascadeReport(log, Selection(in: log)).lines {
        cascades.evaluations += line.evaluations
        cascades.wasted += line.wasted
        cascades.time += line.time
        cascades.invalidations += line.invalidations
      }
      #expect(cascades == caused, "log \(number), seed \(seed)")
      var lint = LintTally(LintThresholds(), in: 0..<(.max))
      _ = try log.play(to: &lint)
      #expect(lint.runs.runs == all.evaluations, "log \(number), seed \(seed)")
      #expect(lint.runs.time == all.time, "log \(number), seed \(seed)")
      counted.evaluations += caused.evaluations
      counted.invalidations += caused.invalidations
    }
    #expect(counted.evaluations > 0 && counted.invalidations > 0, "seed \(seed)")
  }
}
