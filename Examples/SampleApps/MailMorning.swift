import Mailbox
import Projection

/// Some minutes of the mail app: the same person, messages and ids in each recording.
struct MailMorning: SampleApp {
  static let name = "mailbox"
  static let summary =
    "A mail app with all that an app has: some minutes of reading, sorting, writing and syncing."

  /// Delayed callbacks run when the person pauses, so that every recording is the same.
  static var clock: MailClock { MailClock() }

  private let run: MailRun

  init(in session: Session) {
    // The first seed by which every kind of action comes up.
    run = MailRun(in: session, messages: 300, rowsShown: 12, seed: 108, ids: .seeded(108))
  }

  var steps: [Step] {
    (1...7).map { minute in
      Step("minute \(minute)") { run.run(until: .seconds(60 * minute)) }
    }
  }
}
