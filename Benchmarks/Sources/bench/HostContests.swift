import BenchSupport
import BenchTerminal
import Projection

extension Contest {
  /// A key or a tick and the frame after it, in a mail app on a terminal, whose framework makes each view a hosted projection. Without a
  /// session the framework asks the standard library what is out of date.
  static func host(_ frames: Int) -> Contest {
    let bytes = LogSize()
    return Contest(
      title: "frame of a mail app on a terminal, drawn by its host", operations: frames,
      contenders: [
        Contender(name: "no session, withObservationTracking re-armed") { count in
          drawing(MailApp(nil), count) {}
        },
        Contender(name: "session that records nothing") { count in
          let session = Session()
          return drawing(MailApp(session), count) { consume(session) }
        },
        Contender(name: "recorded to a file", note: { bytes.text }) { count in
          let recording = try RecordingSession()
          bytes.noteAtEnd(recording, count)
          return drawing(MailApp(recording.session), count) { consume(recording) }
        },
      ])
  }

  /// Goes through letters, flags and opens some, and fetches them again.
  private static func drawing(
    _ app: MailApp, _ count: Int, _ end: @escaping () -> Void
  ) -> () -> Void {
    let host = app.host!
    // Letters come, and the list gets the focus.
    for _ in 0..<8 { host.advance() }
    consume(host.frame())
    host.press(.tab)
    consume(host.frame())
    let moves: [Key] = Array(repeating: .down, count: 8) + Array(repeating: .up, count: 8)
    let keys = moves.flatMap { [$0, .character("f")] } + [.enter, .character("r"), .character("o")]
    return {
      for number in 0..<count {
        if number % 2 == 0 { host.advance() } else { host.press(keys[number / 2 % keys.count]) }
        consume(host.frame())
      }
      host.end()
      end()
    }
  }
}
