import EventLog
import Foundation
import LogGenerator
import Projection
import ReplayAnalysis
import Synchronization
import Terminal
import Testing

/// A mail app on a small framework of views draws the same with a session and without one, and its log says what is wrong with it.
@Suite struct TerminalTests {
  /// What a terminal hands to the app.
  enum Input {
    case key(Key)
    case tick
    case resize(width: Int, height: Int)

    static func random(_ count: Int, seed: UInt64) -> [Input] {
      var random = SplitMix64(seed: seed)
      // Some keys are pressed more often than others, and text is left again.
      let keys: [Key] =
        [.down, .down, .down, .down, .up, .up, .up, .enter, .enter, .tab, .tab, .tab, .escape, .backspace]
        + "rrrosaf?d".map { .character($0) } + "en1".map { .character($0) }
      return (0..<count).map { _ in
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          .resize(width: .random(in: 0...100, using: &random), height: .random(in: 0...30, using: &random))
        case 1..<9: .tick
        default: .key(keys.randomElement(using: &random)!)
        }
      }
    }

    /// What a person does who looks for letters now and then, opens some, and deletes few.
    static func day(rounds: Int, seed: UInt64) -> [Input] {
      var random = SplitMix64(seed: seed)
      return (1...rounds).flatMap { round in
        // The focus goes from the field to the list, to the letter and back.
        var keys: [Key] = [.character("r")]
        let moves = (0..<Int.random(in: 4...9, using: &random)).map { _ in
          Int.random(in: 0..<4, using: &random) == 0 ? Key.up : .down
        }
        keys += moves + [.enter, .character("f"), .up, .up, .down, .enter]
        if round % 2 == 0 { keys.append(.character(round % 4 == 0 ? "o" : "a")) }
        if round % 5 == 0 { keys += [.character("d"), .enter] }
        keys += [.tab, .down, .down, .tab]
        if round % 6 == 0 {
          keys += ["Ada", "Ben", "Eve"].randomElement(using: &random)!.map { .character($0) }
        }
        let inputs: [Input] = (keys + [.escape, .tab]).flatMap { [.key($0), .tick] }
        return round == 1 ? [.key(.tab)] + Array(repeating: .tick, count: 8) + inputs : inputs
      }
    }
  }

  /// The time of a person, who does something each tenth of a second.
  private final class TestClock: Clock {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let time = Mutex(Duration.zero)
    var now: Instant { Instant(offset: time.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) {}
    func advance() { time.withLock { $0 += .milliseconds(100) } }
  }

  private struct Recorded {
    var frames: [[String]]
    var runs: Int
    var log: LogSource
    var diagnostics: [String]
  }

  /// A frame before all inputs, and one after each.
  private func play(_ inputs: [Input], on app: MailApp, then: () -> Void = {}) -> [[String]] {
    let frames =
      [app.host.frame()]
      + inputs.map { input in
        then()
        switch input {
        case .key(let key): app.host.press(key)
        case .tick: app.host.advance()
        case .resize(let width, let height): app.host.resize(width: width, height: height)
        }
        return app.host.frame()
      }
    app.host.end()
    return frames
  }

  private func record(_ inputs: [Input], _ fault: Fault? = nil, in workspace: Workspace) throws -> Recorded {
    let (path, clock) = (workspace.file("mail.evlog"), TestClock())
    let session = try Session(recordingTo: URL(filePath: path), clock: clock)
    let app = MailApp(session, fault: fault)
    let frames = play(inputs, on: app) { clock.advance() }
    try session.close()
    return Recorded(
      frames: frames, runs: app.host.runs, log: try LogSource(path: path, isScanned: true),
      diagnostics: session.diagnostics.map(\.message))
  }

  // MARK: Frames

  @Test func aPersonReadsALetter() {
    let inputs: [Input] =
      [.resize(width: 56, height: 8)] + Array(repeating: .tick, count: 7)
      + [Key.tab, .down, .enter, .tab, .down].map { .key($0) }
    #expect(
      play(inputs, on: MailApp(nil)).last == [
        "Mail                        16 unread                   ",
        "Search:                                                 ",
        " *  Photos 18, Ben          Invoice 17                  ",
        ">   Invoice 17, Eve         From Eve                    ",
        " *  Photos 16, Cem          Line 2 of letter 17, from Ev",
        " *  Photos 15, Ben          Line 3 of letter 17, from Ev",
        " *  Invoice 14, Eve         Line 4 of letter 17, from Ev",
        "By newest. ? helps.                                     ",
      ])
  }

  @Test func framesAreTheSameWithAndWithoutASession() throws {
    let seed = testSeed()
    let inputs = Input.random(1_000, seed: seed)
    let workspace = try Workspace()
    let plain = play(inputs, on: MailApp(nil))
    let recorded = try record(inputs, in: workspace)
    for (number, frames) in zip(plain, recorded.frames).enumerated() where frames.0 != frames.1 {
      let text = [frames.0, frames.1].map { $0.joined(separator: "\n") }.joined(separator: "\ninstead of\n")
      Issue.record("seed \(seed), frame \(number):\n\(text)")
      break
    }
    #expect(plain.count == recorded.frames.count)
    #expect(play(inputs, on: MailApp(Session())) == plain, "seed \(seed), in a session that records nothing")
    #expect(recorded.diagnostics == [], "seed \(seed)")
  }

  // MARK: The log

  @Test func everyRunIsInTheLogWithItsCause() throws {
    let seed = testSeed()
    let workspace = try Workspace()
    let recorded = try record(Input.random(1_000, seed: seed), in: workspace)
    var (runs, withoutCause, state) = (0, [String](), EventLog.State())
    try recorded.log.reader.forEachEvent { event in
      if event.body.writtenPath != nil { _ = try state.apply(event.body) }
      guard case .evaluate(let name, _, _, _, _) = event.body else { return }
      runs += 1
      if event.cause == nil { withoutCause.append("\(name) at event \(event.seq)") }
    }
    #expect(runs == recorded.runs, "seed \(seed): the host's own counter")
    #expect(withoutCause == [], "seed \(seed)")
    let verification = try Verification(recorded.log)
    #expect(verification.isSound, "seed \(seed): \(verification.findings)")
    #expect(verification.explained == verification.evaluations, "seed \(seed)")
    // The framework has given back what was its own.
    #expect(Set(state.roots.keys) == ["inbox", "settings"], "seed \(seed)")
  }

  /// What `replay lint` says of a day, without notes.
  private func findings(_ fault: Fault?) throws -> [String] {
    let seed = testSeed()
    let workspace = try Workspace()
    let recorded = try record(Input.day(rounds: 24, seed: seed), fault, in: workspace)
    // How long a body takes depends on what else the machine does.
    let rules = LintRule.allCases.filter { ![.grows, .slowBody, .slowComparison].contains($0) }
    let report = try LintReport(recorded.log, rules, LintThresholds(), in: 0..<(.max))
    let found = report.findings.filter { !$0.isNote }
    return found.map { "\($0.rule.rawValue) of \($0.projection ?? $0.path ?? "")" }
  }

  @Test func nothingIsSaidOfTheAppAsItIs() throws { #expect(try findings(nil) == []) }

  @Test(arguments: [
    (Fault.hotHeader, "excess-reads of Header"), (.freshRows, "made-anew of LetterRow"),
    (.staleRows, "out-of-date of LetterRow"), (.eachFrame, "host-runs of LetterList"),
  ])
  func aFaultIsFound(_ fault: Fault, _ finding: String) throws { #expect(try findings(fault) == [finding]) }
}
