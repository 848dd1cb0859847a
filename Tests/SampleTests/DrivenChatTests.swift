import Projection
import ReplayTesting
import Testing

@testable import SampleApps

@Test func theChatNoLongerMeltsDown() throws {
  try withDrivenRecording("../../SampleLogs/chat-wide.evlog") { drive in
    let chat = try drive.attach(ChatViewModel.self, root: "chat")  // as it was when it was attached
    ChatScreen(chat).mount(in: drive.session)  // the fixed screen
    let report = try drive.run()
    report.expectNoMore(than: .recorded)
    report.expectEvaluations(["MessageRow": 0...50, "ChatHeader": 301])
  }
}
