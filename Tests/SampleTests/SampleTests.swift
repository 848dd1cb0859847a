import EventLog
import SampleApps
import Testing

@Suite struct SampleTests {
  @Test func everySampleHasCounts() {
    #expect(SampleCounts.all.map(\.name) == sampleNames)
  }

  @Test(arguments: SampleCounts.all)
  func aSampleRunsAsOftenAsItShould(_ expected: SampleCounts) throws {
    let run = try SampleRun(of: expected.name)
    expect(run.measured, expected, "measured live")
    expect(run.log.evaluations, expected, "in the log of that run")
    #expect(run.diagnostics.isEmpty)

    let kept = try SampleLog.kept(expected.name)
    expect(kept.evaluations, expected, "in the log that is kept")
    #expect(kept.isClean)
    #expect(kept.byteCount < 200_000)
    #expect(
      firstDifference(kept.events, run.log.events) == nil,
      "record it again: swift run -c release record-sample \(expected.name) --output SampleLogs/...")
  }

  private func expect(
    _ steps: [(label: String, evaluations: [String: Int])], _ expected: SampleCounts, _ place: Comment
  ) {
    #expect(steps.map(\.label) == expected.steps.map(\.label), place)
    for (step, expectedStep) in zip(steps, expected.steps) {
      #expect(step.evaluations == expectedStep.evaluations, "'\(step.label)', \(place.rawValue)")
    }
  }

  private func firstDifference(_ kept: [Event], _ fresh: [Event]) -> String? {
    if let (a, b) = zip(kept, fresh).first(where: { $0 != $1 }) { return "kept: \(a), now: \(b)" }
    return kept.count == fresh.count ? nil : "kept: \(kept.count) events, now: \(fresh.count)"
  }
}
