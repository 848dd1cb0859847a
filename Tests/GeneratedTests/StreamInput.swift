import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample stream-input, driven through the code as it is now. It runs as often as when it was recorded.
@Test func streamInputRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/stream-input.evlog") { drive in
    _ = StreamInput(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "ChatView": 152,
        "MarkdownRow": 200,
        "ScrollView": 6,
        "scrollToBottom": 152,
      ],
      others: 0)
  }
}
