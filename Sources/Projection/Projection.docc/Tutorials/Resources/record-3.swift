import Foundation
import Projection

struct Message: Identifiable, Equatable {
  let id: Int
  var text: String
  var isRead = false
}

@Recorded final class Inbox {
  var messages = RecordedArray((0..<1_000).map { Message(id: $0, text: "Message \($0)") })
}

let inbox = Inbox()
let session = try Session(recordingTo: URL(filePath: "run.evlog"), options: .replacingExisting)
session.attach(inbox, as: "inbox")
