import EventLog
import Projection
import Testing

@testable import SampleApps

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
      "record it again: make samples")
  }

  @Test func aDetailLoadsOnceForEachIdentity() throws {
    let loads = try SampleLog.kept("scopes").events.filter { event in
      guard case .set(let path, _, _) = event.body else { return false }
      return "\(path)" == "navigation.loads"
    }
    #expect(loads.count == 2)
  }

  @Test func aFrameInOneTransactionDrawsEachEntityOnce() {
    let session = Session()
    let app = GameSplit(in: session)
    let report = session.measure { session.transaction("frame") { app.game.advance() } }
    #expect(byGroup(report.evaluationsByInstance) == ["Position": 50, "FrameCounter": 1])
  }

  /// The fix of the trap is the type of the collection: the drawing and mutating code is the same.
  @Test func theTrapAndItsFixAreTheSameCode() throws {
    let trap = try source("ListTrap")
    let element = try source("ListElement")
    let changed = zip(trap, element).filter { $0 != $1 }.map(\.0)
    #expect(trap.count == element.count)
    #expect(changed.count == 2)
    #expect(changed.first?.contains("var rows: [RowModel]") == true)
    #expect(changed.last?.contains("tracking: .property") == true)
  }

  /// The lines of a sample's source from its models on.
  private func source(_ name: String) throws -> [Substring] {
    let file = SampleLog.root.appending(path: "Examples/SampleApps/\(name).swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    return Array(text.split(separator: "\n").drop { !$0.contains("@Recorded") })
  }

  private func expect(
    _ steps: StepEvaluations, _ expected: SampleCounts, _ place: String
  ) {
    #expect(steps.map(\.label) == expected.steps.map(\.label), "\(place)")
    for (step, expectedStep) in zip(steps, expected.steps) {
      let evaluations = expected.isByInstance ? step.evaluations : byGroup(step.evaluations)
      #expect(evaluations == expectedStep.evaluations, "'\(step.label)', \(place)")
    }
  }

  private func firstDifference(_ kept: [Event], _ fresh: [Event]) -> String? {
    if let (a, b) = zip(kept, fresh).first(where: { $0 != $1 }) {
      return "kept: \(a.json()) now: \(b.json())"
    }
    return kept.count == fresh.count ? nil : "kept: \(kept.count) events, now: \(fresh.count)"
  }
}
