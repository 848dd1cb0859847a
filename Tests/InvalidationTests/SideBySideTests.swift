import EventLog
import Foundation
import LogGenerator
import SideBySide
import Testing

/// The present invalidation core compared with the former one, on sessions with every kind of event and on
/// kept logs.
///
/// `REPLAY_SEED` begins with another seed. Of the number of sessions in `REPLAY_SESSIONS` one in twelve is
/// played, because they are long.
@Suite struct SideBySideTests {
  private static let seed = number("REPLAY_SEED") ?? 1
  private static let sessions = max(shares, (number("REPLAY_SESSIONS") ?? 2_400) / 12)
  private static let shares: UInt64 = 8

  @Test(arguments: 0..<shares)
  func anySessionInvalidatesWhatItDidInTheFormerCore(share: UInt64) {
    for seed in Self.seed..<(Self.seed + Self.sessions) where seed % Self.shares == share {
      var session = ValidSession(seed: seed)
      do { try SideBySide.check(session.events(500)) } catch { Issue.record("seed \(seed), \(error)") }
    }
  }

  @Test(arguments: try samples())
  func aSampleInvalidatesWhatItDidInTheFormerCore(log: URL) throws {
    try SideBySide.check(log: log.path)
  }

  private static func samples() throws -> [URL] {
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    return try FileManager.default
      .contentsOfDirectory(at: package.appending(path: "SampleLogs"), includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "evlog" }
      .sorted { $0.path < $1.path }
  }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
