import SideBySide
import Testing

/// The sessions that are compared with the rule, compared with the former invalidation core. One in eight of the random
/// ones is: those of this core were compared with the rule while it was the present one.
@Suite struct FormerCoreTests {
  private static let sessions = max(RandomSessionTests.shares, RandomSessionTests.sessions / 8)

  @Test(arguments: 0..<RandomSessionTests.shares)
  func anySessionInvalidatesWhatItDidInTheFormerCore(share: UInt64) {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + Self.sessions)
    where seed % RandomSessionTests.shares == share {
      let script = Generator.session(seed: seed)
      do { try script.compareCores() } catch {
        Issue.record("seed \(seed), \(error)\n\(script.text)")
        return
      }
    }
  }

  @Test(arguments: Found.sessions.filter { !$0.isWrongInFormerCore })
  func aSessionThatOnceWentWrongInvalidatesWhatItDidInTheFormerCore(found: Found) throws {
    try #require(Script(found.text)).compareCores()
  }
}

extension Script {
  /// Plays the session to both cores, up to a line that both refuse.
  fileprivate func compareCores() throws(SideBySide.Difference) {
    var both = SideBySide()
    for (index, line) in lines.enumerated() {
      var event = line.event(seq: index + 1, isSame: false)
      event.body = event.body.settingSameValue(line.body.same ?? both.wouldStaySame(event.body))
      if case .failure = try both.apply(event) { return }
    }
    try both.finish()
  }
}
