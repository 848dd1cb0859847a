import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample game-split, driven through the code as it is now. It runs as often as when it was recorded.
@Test func gameSplitRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/game-split.evlog") { drive in
    _ = GameSplit(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "Board": 1,
        "EntityView": 50,
        "FrameCounter": 61,
        "HUD": 2,
        "HealthBar": 51,
        "Nameplate": 50,
        "Position": 6050,
      ],
      others: 0)
  }
}
