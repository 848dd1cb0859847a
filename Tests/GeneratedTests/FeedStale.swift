import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample feed-stale, driven through the code as it is now. It runs as often as when it was recorded.
@Test func feedStaleRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/feed-stale.evlog") { drive in
    _ = FeedStale(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "FeedList": 6,
        "FeedRow": 22,
        "Footer": 2,
        "SearchField": 4,
        "Spinner": 5,
      ],
      others: 0)
  }
}
