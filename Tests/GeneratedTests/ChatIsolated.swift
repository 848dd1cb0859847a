import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample chat-isolated, driven through the code as it is now. It runs as often as when it was recorded.
@Test func chatIsolatedRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/chat-isolated.evlog") { drive in
    _ = ChatIsolated(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(
      [
        "ChatHeader": 301,
        "ChatView": 1,
        "MarkdownText": 50,
        "MessageRow": 50,
      ],
      others: 0)
  }
}
