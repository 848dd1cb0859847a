import Projection
import ReplayTesting
import Testing
import XCTest

@testable import SampleApps

final class MessageRowInChatWideDrivenTests: XCTestCase {
  /// record-sample chat-wide, driven through the code as it is now. Fixed is: ChatView reads chat.tts.audioLevel,
  /// which woke it 300 times: MarkdownText and MessageRow ran along 30,000 times, each time to draw the same. Read
  /// chat.tts.audioLevel in the small child that shows it.
  func testMessageRowInChatWideRunsAsPredicted() throws {
    try withDrivenRecording("../../SampleLogs/chat-wide.evlog") { drive in
      let chat = try drive.attach(ChatViewModel.self, root: "chat")
      ChatScreen(chat).mount(in: drive.session)
      let report = try drive.run()
      report.expectEvaluations(["MessageRow": 0...50])
    }
  }
}
