import Projection

/// The whole chat reads the audio level, to pass it to the one small view that shows it.
struct ChatWide: SampleApp {
  static let name = "chat-wide"
  static let summary = "A parent reads a hot property, and every child runs with it."

  private let chat = ChatViewModel()

  init(in session: Session) {
    session.attach(chat, as: "chat")
    session.projection("ChatView") { [chat] view in
      let face = ChatViews.miniNami(audioLevel: chat.tts.audioLevel)
      ChatViews.messageRows(of: chat, in: view)
      return face
    }
  }

  var steps: [Step] {
    [Step("nami speaks") { ticker in chat.tts.speak(ticker) }]
  }
}
