import Projection

@Recorded final class TextToSpeechService {
  var audioLevel = 0.0
}

@Recorded final class ChatViewModel {
  var messages: [String] = []
  let tts = TextToSpeechService()
}

func showChat(_ chat: ChatViewModel, in session: Session) {
  session.projection("ChatView") { view in
    let face = "level \(chat.tts.audioLevel)"
    for (id, message) in chat.messages.enumerated() {
      view.child("MessageRow", id: id) { _ in message.uppercased() }
    }
    return face
  }
}
