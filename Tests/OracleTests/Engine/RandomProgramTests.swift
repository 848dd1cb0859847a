import Foundation
import Testing

/// Random programs, played to live sessions and to a brute-force model that predicts every run of a body and every
/// call of a callback, with its values, in order.
///
/// `REPLAY_SEED` plays from another seed, `REPLAY_PROGRAMS` another number of programs.
@Suite @MainActor struct RandomProgramTests {
  static let programs = ProcessInfo.processInfo.environment["REPLAY_PROGRAMS"].flatMap { UInt64($0) } ?? 1_000

  @Test func everyRunIsAsTheModelPredicts() async {
    await play(Self.programs)
  }

  @Test func runsAreAsPredictedWhenBodiesWriteAndDerivedValuesThrow() async {
    await play(Self.programs / 4, isUnruly: true)
  }

  @Test func delayedRunsAreAsTheModelPredicts() async {
    await play(Self.programs / 10, isTimed: true)
    await play(Self.programs / 20, isTimed: true, isUnruly: true)
  }

  private func play(_ count: UInt64, isTimed: Bool = false, isUnruly: Bool = false) async {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + count) {
      let program = ProgramGenerator.program(seed: seed, isTimed: isTimed, isUnruly: isUnruly)
      guard let mismatch = await program.mismatch() else { continue }
      let shrunk = await program.shrunk { await $0.mismatch() != nil }
      let shown = await shrunk.mismatch() ?? mismatch
      Issue.record("seed \(seed), \(shown)\n\(shrunk)")
      return
    }
  }
}
