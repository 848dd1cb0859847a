import EventLog

/// Compares the states that a log leads to with the texts that its program had.
struct LogCheck {
  /// The text after so many patches.
  var texts: [Int: String]
  private(set) var mismatches: [String] = []
  private(set) var compared = 0

  init(texts: [Int: String]) { self.texts = texts }

  /// Folds the log from its first event, and compares at every event for which the text is known. Attaching the
  /// document is one event, and so is each patch.
  mutating func fold(_ log: LogReader) throws {
    var state = State()
    try log.forEachEvent { event in
      try state.apply(event)
      guard event.seq > 0, let patches = Int(exactly: event.seq - 1), let text = texts[patches] else {
        return
      }
      compare(Self.text(in: state), text, "after event \(event.seq)")
    }
    if compared != texts.count {
      mismatches.append("the log has \(log.eventCount) events: too few to compare all \(texts.count) texts")
    }
  }

  private mutating func compare(_ found: String?, _ text: String, _ place: String) {
    compared += 1
    // Compared byte by byte, because strings with different bytes may be equal.
    if found.map({ $0.utf8.elementsEqual(text.utf8) }) != true {
      mismatches.append("the text \(place) is not what the program had")
    }
  }

  private static func text(in state: State) -> String? {
    let path = Path(root: .named("document"), components: [.property("text")])
    guard case .string(let text)? = state.value(at: path) else { return nil }
    return text
  }
}
