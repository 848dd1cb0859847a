import Projection
import ReplayTesting
import Testing
import XCTest

@testable import SampleApps

final class ChatIsolatedDrivenTests: XCTestCase {
  /// record-sample chat-isolated, driven through the code as it is now. It runs as often as when it was recorded.
  func testChatIsolatedRunsAsRecorded() throws {
    try withDrivenRecording("../../SampleLogs/chat-isolated.evlog") { drive in
      let chat = try drive.attach(ChatViewModel.self, root: "chat")
      ChatScreen(chat).mount(in: drive.session)
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
}
