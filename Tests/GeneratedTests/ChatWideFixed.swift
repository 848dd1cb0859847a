import Projection
import ReplayTesting
import Testing

@testable import SampleApps

/// record-sample chat-wide, driven through the code as it is now. Fixed is: ChatView reads chat.tts.audioLevel,
/// which woke it 300 times: MarkdownText and MessageRow ran along 30,000 times, each time to draw the same. Read
/// chat.tts.audioLevel in the small child that shows it.
@Test func chatWideRunsAsPredicted() throws {
  try withDrivenRecording("../../SampleLogs/chat-wide.evlog") { drive in
    let chat = try drive.attach(ChatViewModel.self, root: "chat")
    ChatScreen(chat).mount(in: drive.session)
    let report = try drive.run()
    report.expectNoMore(than: .recorded)
    report.expectEvaluations(
      [
        "ChatView": 0...1,
        "MarkdownText": 0...50,
        "MessageRow": 0...50,
      ],
      others: 0...301)
  }
}
