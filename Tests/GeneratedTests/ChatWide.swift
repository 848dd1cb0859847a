import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample chat-wide, driven through the code as it is now. It runs as often as when it was recorded.
@Test func chatWideRunsAsRecorded() throws {
  try withDrivenRecording("../../SampleLogs/chat-wide.evlog") { drive in
    _ = ChatWide(in: drive.session)
    let report = try drive.run()
    report.expectEvaluations(["ChatView": 301, "MarkdownText": 15_050, "MessageRow": 15_050], others: 0)
  }
}
