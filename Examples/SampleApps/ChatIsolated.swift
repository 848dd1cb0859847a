import Projection

/// The chat of `chat-wide`, with the audio level read by the view that shows it.
struct ChatIsolated: SampleApp {
  static let name = "chat-isolated"
  static let summary = "The fix of chat-wide: the small view that shows the hot property reads it."

  private let chat = ChatViewModel()

  init(in session: Session) {
    session.attach(chat, as: "chat")
    ChatScreen(chat).mount(in: session)
  }

  var steps: [Step] {
    [Step("nami speaks") { ticker in chat.tts.speak(ticker) }]
  }
}

/// The fixed screen.
struct ChatScreen {
  private let chat: ChatViewModel

  init(_ chat: ChatViewModel) { self.chat = chat }

  /// Draws the screen, and again what changes.
  func mount(in session: Session) {
    session.projection("ChatView") { [chat] view in
      view.child("ChatHeader") { [tts = chat.tts] _ in
        ChatViews.miniNami(audioLevel: tts.audioLevel) + " Listening..."
      }
      ChatViews.messageRows(of: chat, in: view)
      return "chat"
    }
  }
}
