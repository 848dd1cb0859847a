import Foundation
import LogGenerator
import Testing

/// Random programs of several actors with one session. What each write belongs to, where code runs and what is in a
/// transaction is known by construction, and compared with the log.
///
/// `REPLAY_PROGRAMS` plays another number of programs, `TEST_SEED` from another seed.
@Suite struct ActorProgramTests {
  static let programs = ProcessInfo.processInfo.environment["REPLAY_PROGRAMS"].flatMap { Int($0) } ?? 60

  @Test func whatSeveralActorsDoAtOnceIsInTheLogAsEachOfThemDidIt() async throws {
    let first = testSeed()
    for number in 0..<Self.programs {
      let seed = first &+ UInt64(number)
      let program = ActorProgramGenerator.program(seed: seed, size: min(4, number * 5 / Self.programs))
      let wrong = try await ActorStage.play(program)
      if wrong.isEmpty { continue }
      let (shrunk, shown) = try await shrink(program, wrong)
      Issue.record(
        """
        TEST_SEED=\(first), program \(number) of \(Self.programs):
        \(shown.prefix(12).joined(separator: "\n"))
        \(shrunk)
        """)
      return
    }
  }

  /// A smaller program that still fails in one of a few attempts, as far as one is found in a minute.
  private func shrink(_ program: ActorProgram, _ wrong: [String]) async throws -> (ActorProgram, [String]) {
    var best = (program, wrong)
    let end = ContinuousClock.now + .seconds(60)
    search: while true {
      for candidate in best.0.smaller {
        for _ in 0..<3 {
          if ContinuousClock.now > end { return best }
          let wrong = try await ActorStage.play(candidate)
          if wrong.isEmpty { continue }
          best = (candidate, wrong)
          continue search
        }
      }
      return best
    }
  }
}
