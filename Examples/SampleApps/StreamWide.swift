import Projection

/// The chat reads its messages to make the rows, which have no input: each token parses the Markdown of all.
struct StreamWide: SampleApp {
  static let name = "stream-wide"
  static let summary = "30 tokens a second grow the last message, and the Markdown of all 50 is parsed."

  private let chat = StreamingChat()

  init(in session: Session) {
    session.attach(chat, as: "chat")
    session.projection("ChatView", tracking: .property) { [chat] view in
      for message in chat.messages {
        view.child("MarkdownRow", id: message.id) { _ in StreamViews.row(message) }
      }
      return StreamViews.title(of: chat)
    }
    StreamViews.scrolling(of: chat, in: session)
  }

  var steps: [Step] { chat.steps }
}
