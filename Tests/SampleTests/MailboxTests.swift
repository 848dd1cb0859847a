import LogGenerator
import Mailbox
import Projection
import Testing

/// The mail app compared with its oracle, with other seeds in each run.
@Suite struct MailboxTests {
  @Test(arguments: [Delivery.immediate, .every(.milliseconds(16)), .manual])
  func computedAndDrawnValuesAgreeWithTheModels(delivery: Delivery) throws {
    let seed = testSeed()
    let clock = MailClock()
    let session = Session(delivery: delivery, clock: clock)
    let run = MailRun(in: session, clock: clock, messages: 120, rowsShown: 10, seed: seed, ids: .random)
    #expect(run.check() == [], "at first, seed \(seed)")
    for number in 1...200 {
      var action: MailAction?
      run.step {
        action = $0
        $1()
      }
      let problems = run.check()
      #expect(problems == [], "after action \(number), \(String(describing: action)), seed \(seed)")
      if !problems.isEmpty { break }
    }
    try session.close()
    #expect(session.diagnostics == [], "seed \(seed)")
  }

  /// The standard library's observation is the second oracle: it knows nothing of sessions.
  @Test func theSameHappensWhateverTheIdsAndTheWorld() throws {
    let seed = testSeed()
    func actions(_ run: MailRun) -> [MailAction] {
      (0..<250).map { _ in
        var done = MailAction.read
        run.step {
          done = $0
          $1()
        }
        return done
      }
    }
    let session = Session(clock: MailClock())
    let recorded = MailRun(in: session, messages: 120, rowsShown: 10, seed: seed, ids: .random)
    let plain = MailRun(observedWith: 120, rowsShown: 10, seed: seed, ids: .seeded(seed))
    #expect(actions(recorded) == actions(plain), "seed \(seed)")
    #expect(recorded.summary == plain.summary, "seed \(seed)")
    #expect(plain.check() == [], "seed \(seed)")
    try session.close()
  }
}
