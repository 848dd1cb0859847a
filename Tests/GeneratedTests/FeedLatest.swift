import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample feed-latest, driven through the code as it is now. It runs as often as when it was recorded.
@Test func feedLatestRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/feed-latest.evlog") { drive in
    _ = FeedLatest(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "FeedList": 4,
        "FeedRow": 16,
        "Footer": 2,
        "SearchField": 4,
        "Spinner": 5,
      ],
      others: 0)
  }
}
