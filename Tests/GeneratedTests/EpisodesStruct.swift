import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample episodes-struct, driven through the code as it is now. It runs as often as when it was recorded.
@Test func episodesStructRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/episodes-struct.evlog") { drive in
    _ = EpisodesStruct(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "EpisodeList": 122,
        "EpisodeRow": 12_200,
        "PlaybackProgress": 12_200,
      ],
      others: 0)
  }
}
