import Projection

/// What both chats draw.
enum ChatViews {
  /// The rows follow their parent: each runs whenever it does.
  static func messageRows(of chat: ChatViewModel, in view: Scope) {
    for message in chat.messages {
      view.child("MessageRow", id: message.id) { row in
        row.child("MarkdownText") { _ in Markdown.html(message.text) }
        return "\(message.author):"
      }
    }
  }

  /// A face whose mouth opens as wide as the voice is loud.
  static func miniNami(audioLevel: Double) -> String {
    "(^" + String(repeating: "o", count: 1 + Int(audioLevel * 64)) + "^)"
  }
}
