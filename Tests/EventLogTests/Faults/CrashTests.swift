import LogGenerator
import Testing

@testable import EventLog

/// A few trials of each kind; `make torture` runs many.
@Suite struct CrashTests {
  @Test(arguments: Scenario.allCases) func aFewTrialsOfEachScenarioFindNoFault(_ scenario: Scenario) throws {
    let first = testSeed()
    for seed in first..<first + 1 { _ = try scenario.run(seed: seed) }
  }

  /// A control of the checks: they must detect a writer that leaves out one of its syncs.
  @Test(.enabled(if: Torture.seconds != nil, "runs with `make torture`"))
  func aSyncThatIsLeftOutIsFoundOut() throws {
    for skipped in [1, 2] {
      let found = (0..<100).contains { (seed: UInt64) in
        var trial = CrashTrial(seed: seed)
        trial.faults.skippedSyncs = [skipped]
        let end = trial.record()
        var random = SplitMix64(seed: seed)
        return (0..<5).contains { _ in
          let disk = end.disk.afterPowerLoss(&random)
          return (try? trial.recoverAndCheck(disk, atLeast: end.synced, atMost: end.appended)) == nil
        }
      }
      #expect(found, "nobody missed sync \(skipped)")
    }
  }
}
