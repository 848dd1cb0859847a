import Projection

/// A person at the mail app, in whichever world: what a sample, a test and a benchmark drive.
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
  ///   - messages: How many messages there are at first.
  ///   - rowsShown: How many rows of the list show.
  ///   - seed: What decides all that happens.
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

  /// How long the person has been here, in the time of the run.
  package var now: Duration { time() }

  /// The next thing that happens, with all that follows from it.
  ///
  /// - Parameter perform: Runs it; so a caller can measure it.
  package func step(_ perform: (MailAction, () -> Void) -> Void = { $1() }) { stepOnce(perform) }

  /// Goes on until a time of the run.
  package func run(until end: Duration, _ perform: (MailAction, () -> Void) -> Void = { $1() }) {
    while now < end { step(perform) }
  }

  /// What is computed or drawn otherwise than the models say.
  package func check() -> [String] { problems() }

  /// The state without ids: equal in runs from one seed.
  package var summary: [String] { state() }
}
