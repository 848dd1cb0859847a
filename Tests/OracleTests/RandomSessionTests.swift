import Foundation
import Testing

/// Random sessions, played to the library and to a brute-force model of the invalidation rule.
///
/// `REPLAY_SEED` plays from another seed, `REPLAY_SESSIONS` another number of sessions.
@Suite struct RandomSessionTests {
  static let seed = number("REPLAY_SEED") ?? 1
  static let sessions = number("REPLAY_SESSIONS") ?? 2_400
  static let shares: UInt64 = 8

  @Test(arguments: 0..<shares)
  func theTimelineAndTheStateOfAnySessionAreWhatTheRuleSays(share: UInt64) {
    for seed in Self.seed..<(Self.seed + Self.sessions) where seed % Self.shares == share {
      let script = Generator.session(seed: seed)
      guard let mismatch = script.mismatch() else { continue }
      let shrunk = script.shrunk { $0.mismatch()?.what == mismatch.what }
      let shown = shrunk.mismatch() ?? mismatch
      Issue.record("seed \(seed), \(shown)\n\(shrunk.text)")
      return
    }
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
