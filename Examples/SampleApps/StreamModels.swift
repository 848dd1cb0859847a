import Projection

/// A chat whose last message grows token by token.
@Recorded final class StreamingChat {
  var messages: [Message]
  /// The line that the scroll view keeps at its bottom.
  var bottomLine: Int

  init() {
    let messages = Message.conversation(count: 49)
    self.messages = messages
    bottomLine = Self.lineCount(messages)
  }
}

extension StreamingChat {
  static let tokensPerSecond = 30
  static let seconds = 5

  var lastText: String { messages.last?.text ?? "" }

  /// A list of five lines. Each token has a word, so each draws something new.
  static let tokens: [String] = {
    let words = ["Read", "it", "in", "the", "*smallest*", "view", "that", "**shows**", "it", "`late`"]
    let tokensPerLine = 30
    return (0..<seconds * tokensPerSecond).map { number in
      let start = number == 0 ? "- " : number.isMultiple(of: tokensPerLine) ? "\n- " : " "
      return start + words[number % words.count]
    }
  }()

  private static func lineCount(_ messages: [Message]) -> Int {
    messages.reduce(0) { sum, message in sum + 1 + message.text.count { $0 == "\n" } }
  }

  /// Keeps the end of the conversation in sight.
  func scrollToBottom() {
    let lines = Self.lineCount(messages)
    if bottomLine != lines { bottomLine = lines }
  }

  /// What happens in the chat, the same for each way of drawing it.
  var steps: [Step] {
    [
      Step("an answer begins") { [self] in
        messages.append(Message(id: messages.count, author: "nami", text: ""))
      },
      Step("tokens arrive") { [self] ticker in
        ticker.tick(Self.tokens.count, perSecond: Self.tokensPerSecond) { tick in
          messages[messages.count - 1].text += Self.tokens[tick - 1]
        }
      },
    ]
  }
}

/// The views of both chats.
enum StreamViews {
  /// What follows the end of the conversation.
  static func scrolling(of chat: StreamingChat, in session: Session) {
    session.projection("ScrollView", tracking: .property) { _ in "to line \(chat.bottomLine)" }
    session.onChange(of: \.lastText, in: chat, name: "scrollToBottom") { _, _ in chat.scrollToBottom() }
  }

  static func title(of chat: StreamingChat) -> String {
    "\(chat.messages.count) messages, the last of \(chat.lastText.count) characters"
  }

  static func row(_ message: Message) -> String { "\(message.author): \(Markdown.html(message.text))" }
}
