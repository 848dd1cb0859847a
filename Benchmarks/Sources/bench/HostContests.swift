import BenchSupport
import BenchTerminal
import Projection

extension Contest {
  /// A key or a tick and the frame after it, in a mail app on a terminal, whose framework makes each view a hosted projection. Without a
  /// session the framework asks the standard library what is out of date.
  static func host(_ frames: Int) -> Contest {
    let bytes = LogSize()
    let (plain, silent, recorded) = (Kept(), Kept(), Kept())
    return Contest(
      title: "frame of a mail app on a terminal, drawn by its host", operations: frames,
      contenders: [
        Contender(name: "no session, withObservationTracking re-armed", note: { plain.text }) { count in
          drawing(plain, count) { (MailApp(nil), {}) }
        },
        Contender(name: "session that records nothing", note: { silent.text }) { count in
          drawing(silent, count) {
            let session = Session()
            return (MailApp(session), { consume(session) })
          }
        },
        Contender(name: "recorded to a file", note: { "\(recorded.text), \(bytes.text)" }) { count in
          let recording = try RecordingSession()
          bytes.noteAtEnd(recording, count)
          return drawing(recorded, count) { (MailApp(recording.session), { consume(recording) }) }
        },
      ])
  }

  /// What an app and its session keep in memory with a screen of it, measured once.
  private final class Kept {
    private var bytes: Int?

    var text: String { "\((Double(bytes ?? 0) / 1024).short) KiB with a screen" }

    func measure<Made>(_ make: () -> Made) -> Made {
      if bytes != nil { return make() }
      let before = MemoryTable.settledBytes()
      let made = make()
      bytes = MemoryTable.settledBytes() - before
      return made
    }
  }

  /// Goes through letters, flags and opens some, and fetches them again.
  private static func drawing(
    _ kept: Kept, _ count: Int, _ make: () -> (app: MailApp, end: () -> Void)
  ) -> () -> Void {
    let (app, end) = kept.measure {
      let made = make()
      // Letters come, and the list gets the focus.
      for _ in 0..<8 { made.app.host.advance() }
      consume(made.app.host.frame())
      made.app.host.press(.tab)
      consume(made.app.host.frame())
      return made
    }
    let host = app.host!
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
