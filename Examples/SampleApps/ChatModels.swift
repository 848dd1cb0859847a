import Projection

/// One message, in Markdown.
struct Message: Identifiable, Equatable, Codable {
  let id: Int
  let author: String
  var text: String
}

/// Speaks the assistant's answers, and publishes the audio level thirty times a second.
@Recorded final class TextToSpeechService {
  var audioLevel = 0.0
}

@Recorded final class ChatViewModel {
  var messages: [Message] = Message.conversation(count: 50)
  let tts = TextToSpeechService()
}

extension TextToSpeechService {
  /// Ten seconds of speech.
  func speak(_ ticker: Ticker) {
    ticker.tick(10 * Self.updatesPerSecond, perSecond: Self.updatesPerSecond) { update in
      audioLevel = Self.level(at: update)
    }
  }

  static let updatesPerSecond = 30

  /// The level at an update: syllables rise and fall, and words differ in loudness. No two updates in a row are equal.
  private static func level(at update: Int) -> Double {
    let syllable = [0.125, 0.5, 0.875, 0.75, 0.375, 0.25]
    let word = [1.0, 0.75, 0.875, 0.625, 1.0, 0.5, 0.9375]
    return syllable[update % syllable.count] * word[update / syllable.count % word.count]
  }
}

extension Message {
  /// A person and an assistant take turns.
  static func conversation(count: Int) -> [Message] {
    (0..<count).map { number in
      number.isMultiple(of: 2)
        ? Message(id: number, author: "you", text: questions[number / 2 % questions.count])
        : Message(id: number, author: "nami", text: answers[number / 2 % answers.count])
    }
  }

  private static let questions = [
    "Why does the *whole* list redraw when **one** thing changes?",
    "And if the row only needs its own title?",
    "Can you show me with `audioLevel`?",
    "Is there a link where I can read more?",
  ]

  private static let answers = [
    """
    ## Because of who reads
    A view depends on **everything its body reads**. If the parent reads it, the parent runs again,
    and *all its children* with it.
    - read late
    - read little
    """,
    """
    Then hand the row its **own** value:
    ```
    Row(title: row.title)
    ```
    Nothing else wakes it.
    """,
    """
    > 30 updates a second, 50 messages
    Read `tts.audioLevel` in the *smallest* view that shows it. Its parent need only hand over `tts`.
    """,
    "Start with [Observation](https://developer.apple.com/documentation/observation), then **measure**.",
  ]
}
