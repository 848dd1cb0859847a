import Projection

/// A person at the mail app, in any world. A sample, a test and a benchmark drive it.
package struct MailRun {
  private let stepOnce: (_ perform: (MailAction, () -> Void) -> Void) -> Void
  private let time: () -> Duration
  private let problems: () -> [String]
  private let state: () -> [String]

  /// Begins a run of the recorded app.
  ///
  /// - Parameters:
  ///   - session: A session that nothing was attached to so far, made with a `MailClock`. It stays open.
  ///   - clock: The session's clock, if it is to go on; it stands still otherwise.
  ///   - messages: The number of messages at first.
  ///   - rowsShown: The number of rows of the list that show.
  ///   - seed: The seed of all random choices.
  package init(
    in session: Session, clock: MailClock? = nil, messages: Int, rowsShown: Int = 30, seed: UInt64,
    ids: MailIDs
  ) {
    self.init(
      Person(
        in: RecordedWorld(in: session, clock: clock), messages: messages, rowsShown: rowsShown, seed: seed,
        ids: ids))
  }

  /// Begins a run of the same app on `@Observable` models.
  package init(observedWith messages: Int, rowsShown: Int = 30, seed: UInt64, ids: MailIDs) {
    self.init(Person(in: PlainWorld(), messages: messages, rowsShown: rowsShown, seed: seed, ids: ids))
  }

  private init(_ person: Person<some MailWorld>) {
    stepOnce = person.step
    time = { person.now }
    problems = person.app.check
    state = { person.app.summary }
  }

  /// The time since the run began.
  package var now: Duration { time() }

  /// Runs the next action, with all that follows from it.
  ///
  /// - Parameter perform: Runs the action, so that a caller can measure it.
  package func step(_ perform: (MailAction, () -> Void) -> Void = { $1() }) { stepOnce(perform) }

  /// Runs actions until a time of the run.
  package func run(until end: Duration, _ perform: (MailAction, () -> Void) -> Void = { $1() }) {
    while now < end { step(perform) }
  }

  /// Descriptions of the derived values and drawn texts that are wrong; empty if there are none.
  package func check() -> [String] { problems() }

  /// The state without ids: equal in runs from one seed.
  package var summary: [String] { state() }
}
