import Foundation
import LogGenerator
import Testing

/// Run by `make torture`: all scenarios in turn, with one seed after the other, until the time is up.
@Suite(.enabled(if: Torture.seconds != nil, "runs with `make torture`")) struct TortureTests {
  @Test func noScenarioFindsAFaultUntilTheTimeIsUp() throws {
    let start = ContinuousClock.now
    let deadline = start + .seconds(Torture.seconds ?? 0)
    var trials: [Scenario: Int] = [:]
    var seed = Torture.seed
    let first = seed
    while ContinuousClock.now < deadline {
      for scenario in Torture.scenarios {
        do { trials[scenario, default: 0] += try scenario.run(seed: seed) } catch {
          Issue.record("\(scenario.rawValue): \(error)")
          Torture.say("again: make torture-faults SCENARIO=\(scenario.rawValue) SEED=\(seed) SECONDS=1")
          return
        }
      }
      seed += 1
    }
    Torture.say("torture: seeds \(first) to \(seed - 1), \(Torture.seconds ?? 0) s")
    for scenario in Torture.scenarios {
      Torture.say("  \(scenario.rawValue): \(trials[scenario] ?? 0) trials, none failed")
    }
  }
}

/// The options in the environment.
enum Torture {
  /// Prints without buffering, because the next trial may end the process.
  static func say(_ text: String) {
    print(text)
    fflush(nil)
  }

  static let environment = ProcessInfo.processInfo.environment
  static var seconds: Int? { environment["TORTURE_SECONDS"].flatMap { Int($0) } }
  static var seed: UInt64 {
    environment["TORTURE_SEED"].flatMap { UInt64($0) } ?? testSeed()
  }
  /// Which logs with one fault each: cuts, flips or all.
  static var every: String? { environment["TORTURE_EVERY"] }
  /// The number of the first of them.
  static var first: Int { environment["TORTURE_FROM"].flatMap { Int($0) } ?? 0 }
  static var scenarios: [Scenario] {
    environment["TORTURE_SCENARIO"].flatMap { Scenario(rawValue: $0) }.map { [$0] } ?? Scenario.allCases
  }
}
