import Projection
import Testing

/// The names of callbacks in the log if the app gives none: their key paths as they are written in the
/// source.
@Suite struct CallbackNameTests {
  struct Message: Equatable {
    var text: String
    var length: Int { text.count }
  }

  @Recorded final class Reply {
    var draft = ""
  }

  @Recorded final class Chat {
    var messages: [Message] = []
    var names: RecordedArray<String> = []
    var reply: Reply?
    var latest = Reply()
    var lastMessage: Message? { messages.last }
    private var hidden: Int { messages.count }

    static let hiddenCount = \Chat.hidden
  }

  let session = Session()
  let chat = Chat()

  private func name<Value>(_ keyPath: KeyPath<Chat, Value>) -> String {
    let change = session.onChange(of: keyPath, in: chat) { _, _ in }
    let value = session.onReceive(of: keyPath, in: chat) { _ in }
    #expect(value.name == change.name.replacing("onChange", with: "onReceive"))
    defer {
      change.cancel()
      value.cancel()
    }
    return change.name
  }

  @Test func aCallbackIsNamedByItsKeyPathAsWritten() {
    session.attach(chat, as: "chat")
    #expect(name(\.lastMessage?.text) == "onChange(chat.lastMessage?.text)")
    #expect(name(\.lastMessage) == "onChange(chat.lastMessage)")
    #expect(name(\.reply?.draft) == "onChange(chat.reply?.draft)")
    #expect(name(\.latest.draft.count) == "onChange(chat.latest.draft.count)")
    #expect(name(\.names.count) == "onChange(chat.names.count)")
    #expect(name(Chat.hiddenCount) == "onChange(chat.hidden)")
    session.attach(chat.latest, as: "reply")
    #expect(session.onChange(of: \.draft, in: chat.latest) { _, _ in }.name == "onChange(chat.latest.draft)")
  }

  @Test func aSubscriptIsNamedByWhatItRead() {
    chat.names = ["a", "b"]
    session.attach(chat, as: "chat")
    #expect(name(\.names[1]) == "onChange(chat.names[1])")
    #expect(name(\.names[1].isEmpty) == "onChange(chat.names[1])")
    #expect(!name(\.names.indices[0]).contains("#"), "what is before a # would be the name of its group")
  }

  @Test func ofAnObjectThatIsNotAttachedThereIsNoName() {
    #expect(name(\.reply) == "onChange")
  }
}
