import EventLog
import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// What differs in the state between two moments of a run.
@Suite struct StateSinceTests {
  @Test func whatDiffersSinceAMomentIsShown() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = ToolRun("state", log, "--since", "10", "--at", "17")
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.lines.contains("store.isLoading  false -> true"), "\(run.output)")
    #expect(run.lines.contains { $0.hasPrefix("store.rows[id: 7].count") && $0.hasSuffix("0 -> 1") })
    #expect(run.lines.contains { $0.hasPrefix("store.rows[id: 9]  nothing -> {") })
    #expect(run.lines.last == "3 differences between event 10 and event 17")
    #expect(
      ToolRun("state", log, "store.isLoading", "--since", "10", "--at", "17").lines.first
        == "store.isLoading  false -> true")
    let same = ToolRun("state", log, "store.isLoading", "--since", "17", "--at", "18")
    #expect(same.output == "the same after event 17 and event 18\n")
    let missing = ToolRun("state", log, "store.isLoadin", "--since", "10")
    #expect(missing.status == .refused && missing.errors.contains("did you mean store.isLoading?"))
  }

  @Test func equalStatesHaveNoDifferencesAndEachDifferenceHasTwoValues() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for name in ["list-element", "scopes", "feed-stale", "mailbox"] {
      let log = try LogSource(path: sample(name))
      for _ in 0..<5 {
        let (a, b) = (
          UInt64.random(in: 1...log.lastSeq, using: &random),
          UInt64.random(in: 1...log.lastSeq, using: &random)
        )
        let changes = try StateChanges(since: .seq(a), at: .seq(b), in: log)
        let (before, after) = (try log.state(at: a), try log.state(at: b))
        if StateTree(rootsOf: before).json.text == StateTree(rootsOf: after).json.text {
          #expect(changes.differences.isEmpty, "seed \(seed), \(name), \(a), \(b)")
        }
        for difference in changes.differences {
          #expect(difference.a?.text != difference.b?.text, "seed \(seed), \(name), \(a), \(b)")
        }
      }
    }
  }
}
