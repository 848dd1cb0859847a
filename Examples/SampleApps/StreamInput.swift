import Projection

/// The chat of `stream-wide`, with each row handed its message.
struct StreamInput: SampleApp {
  static let name = "stream-input"
  static let summary = "The fix of stream-wide: each row has its message as input, and one row runs a token."

  private let chat = StreamingChat()

  init(in session: Session) {
    session.attach(chat, as: "chat")
    session.projection("ChatView", tracking: .property) { [chat] view in
      for message in chat.messages {
        view.child("MarkdownRow", id: message.id, input: message) { _ in StreamViews.row(message) }
      }
      return StreamViews.title(of: chat)
    }
    StreamViews.scrolling(of: chat, in: session)
  }

  var steps: [Step] { chat.steps }
}
