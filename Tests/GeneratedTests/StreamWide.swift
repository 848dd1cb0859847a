import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample stream-wide, driven through the code as it is now. It runs as often as when it was recorded.
@Test func streamWideRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/stream-wide.evlog") { drive in
    _ = StreamWide(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "ChatView": 152,
        "MarkdownRow": 7599,
        "ScrollView": 6,
        "scrollToBottom": 152,
      ],
      others: 0)
  }
}
