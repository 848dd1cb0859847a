import Projection

/// The views of both chats.
enum ChatViews {
  /// The rows have no input, so each runs whenever its parent does.
  static func messageRows(of chat: ChatViewModel, in view: Scope) {
    for message in chat.messages {
      view.child("MessageRow", id: message.id) { row in
        row.child("MarkdownText") { _ in Markdown.html(message.text) }
        return "\(message.author):"
      }
    }
  }

  /// A face whose mouth opens with the audio level.
  static func miniNami(audioLevel: Double) -> String {
    "(^" + String(repeating: "o", count: 1 + Int(audioLevel * 64)) + "^)"
  }
}
