import EventLog
import Foundation
import LogGenerator
@testable import ReplayAnalysis
import ReplayTesting
import Testing

/// Each run is in the line of the account that the sentences of `AccountLine` say, and the lines add up to the session.
@Suite @MainActor struct AccountTests {
  @Test func everyRunOfARandomAppIsInItsLine() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var found: [AccountLine: Int] = [:]
    for number in 0..<40 {
      let session = try AccountSession(seed: random.next(), events: 400)
      let lines = try check(session.events, "session \(number), seed \(seed)")
      found.merge(lines) { $0 + $1 }
    }
    for line in AccountLine.allCases {
      #expect(found[line, default: 0] > 0, "no run is \(line), seed \(seed)")
    }
  }

  @Test func everyRunOfRandomEventsIsInItsLine() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for number in 0..<16 {
      var session = ValidSession(seed: random.next())
      try check(session.events(600), "session \(number), seed \(seed)")
    }
  }

  @Test func everyRunOfARandomProgramIsInItsLine() async throws {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + 60) {
      let program = ProgramGenerator.program(seed: seed, isTimed: seed % 3 == 0, isUnruly: seed % 5 == 0)
      let workspace = try Workspace()
      let path = workspace.file("program.evlog")
      let clock = ManualClock()
      let session = try ProgramPlayer.session(for: program, recordingTo: URL(filePath: path), clock)
      let player = ProgramPlayer(program, in: session, clock)
      for step in program.steps {
        if case .advance(let ticks) = step { await player.advance(by: ticks) } else { player.perform(step) }
      }
      try player.close()
      try Self.check(LogSource(path: path), "program \(seed)")
    }
  }

  /// Returns how many runs are in each line.
  @discardableResult
  private func check(_ events: [Event], _ name: String) throws -> [AccountLine: Int] {
    let workspace = try Workspace()
    let writer = try LogWriter(creating: workspace.file("run.evlog"))
    for event in events { try writer.append(event) }
    try writer.close()
    return try Self.check(LogSource(path: workspace.file("run.evlog")), name)
  }

  @discardableResult
  private static func check(_ log: LogSource, _ name: String) throws -> [AccountLine: Int] {
    // A log may have times less exactly than they were written.
    var events: [Event] = []
    try log.reader.forEachEvent { events.append($0) }
    let expected = try AccountModel(events).lines()
    var tally = AccountTally(in: 0..<UInt64.max, keepingLines: true)
    _ = try log.play(to: &tally)
    let lines = tally.lines ?? [:]
    let wrong = expected.keys.filter { lines[$0] != expected[$0] }.sorted().first
    if let wrong {
      Issue.record(
        "\(name): run \(wrong) is \(lines[wrong].map { "\($0)" } ?? "in no line"), not \(expected[wrong] ?? .unknown)"
      )
    }
    let runs = events.compactMap { event -> UInt64? in
      guard case .evaluate(_, let duration, _, _) = event.body else { return nil }
      return duration
    }
    let account = tally.sums.account(log)
    #expect(account.runs == runs.count, "\(name)")
    #expect(account.lines.reduce(0) { $0 + $1.runs } == runs.count, "\(name)")
    let time = runs.reduce(UInt64(0)) { $0.addingReportingOverflow($1).overflow ? .max : $0 &+ $1 }
    #expect(account.time == time, "\(name)")
    return Dictionary(account.lines.map { ($0.line, $0.runs) }) { $0 + $1 }
  }
}
