import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample game-mixed, driven through the code as it is now. It runs as often as when it was recorded.
@Test func gameMixedRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/game-mixed.evlog") { drive in
    _ = GameMixed(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "Board": 1,
        "EntityView": 6050,
        "FrameCounter": 61,
        "HUD": 2,
        "HealthBar": 6051,
        "Nameplate": 6050,
      ],
      others: 0)
  }
}
