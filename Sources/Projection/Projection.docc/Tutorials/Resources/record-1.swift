import Observation

struct Message: Identifiable, Equatable {
  let id: Int
  var text: String
  var isRead = false
}

@Observable final class Inbox {
  var messages = (0..<1_000).map { Message(id: $0, text: "Message \($0)") }
}
