import EventLog
import Foundation
import LogGenerator
@testable import ReplayAnalysis
import ReplayTesting
import Testing

/// Each run and each write is in the line of the account that the sentences of `AccountLine` and `WriteLine` say, and the lines
/// add up to the session.
@Suite @MainActor struct AccountTests {
  @Test func everyEventOfARandomAppIsInItsLine() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var found: [EventLine: Int] = [:]
    for number in 0..<40 {
      let session = try AccountSession(seed: random.next(), events: 400)
      let lines = try check(session.events, "session \(number), seed \(seed)")
      found.merge(lines) { $0 + $1 }
    }
    for line in AccountLine.allCases {
      #expect(found[.run(line), default: 0] > 0, "no run is \(line), seed \(seed)")
    }
    for line in WriteLine.allCases {
      #expect(found[.write(line), default: 0] > 0, "no write is \(line), seed \(seed)")
    }
  }

  @Test func everyEventOfRandomEventsIsInItsLine() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for number in 0..<16 {
      var session = ValidSession(seed: random.next())
      try check(session.events(600), "session \(number), seed \(seed)")
    }
  }

  @Test func everyEventOfARandomProgramIsInItsLine() async throws {
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

  @Test func everyEventOfARandomProgramOfActorsIsInItsLine() async throws {
    let seed = testSeed()
    for number in 0..<24 {
      let program = ActorProgramGenerator.program(seed: seed &+ UInt64(number), size: number % 4)
      _ = try await ActorStage.play(program) { log in
        try Self.check(LogSource(path: log.path), "program \(number), seed \(seed)")
      }
    }
  }

  /// Returns how many events are in each line.
  @discardableResult
  private func check(_ events: [Event], _ name: String) throws -> [EventLine: Int] {
    let workspace = try Workspace()
    let writer = try LogWriter(creating: workspace.file("run.evlog"))
    for event in events { try writer.append(event) }
    try writer.close()
    return try Self.check(LogSource(path: workspace.file("run.evlog")), name)
  }

  @discardableResult
  private nonisolated static func check(_ log: LogSource, _ name: String) throws -> [EventLine: Int] {
    // A log may have times less exactly than they were written.
    var events: [Event] = []
    try log.reader.forEachEvent { events.append($0) }
    let model = try AccountModel(events)
    let runLines = model.lines()
    var expected = runLines.mapValues { EventLine.run($0) }
    expected.merge(model.writeLines(runLines).mapValues { .write($0) }) { $1 }
    var lines: [UInt64: EventLine] = [:]
    var tally = AccountTally(in: 0..<UInt64.max) { seq, line in
      if let known = lines[seq] { Issue.record("\(name): event \(seq) is in \(known) and \(line)") }
      lines[seq] = line
    }
    _ = try log.play(to: &tally)
    if let wrong = expected.keys.filter({ lines[$0] != expected[$0] }).min() {
      let found = lines[wrong].map { "\($0)" } ?? "in no line"
      Issue.record("\(name): event \(wrong) is \(found), not \(expected[wrong].map { "\($0)" } ?? "in any")")
    }
    #expect(lines.count == expected.count, "\(name)")
    checkSums(tally.sums.account(log, in: 0..<UInt64.max), events, model, name)
    return lines.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// The lines add up to what is in the log, and so do the kinds of runs.
  private nonisolated static func checkSums(
    _ account: RunAccount, _ events: [Event], _ model: AccountModel, _ name: String
  ) {
    var times: [UInt64: UInt64] = [:]
    for event in events {
      if case .evaluate(_, let duration, _, _, _) = event.body { times[event.seq] = duration }
    }
    func sum(_ times: some Sequence<UInt64>) -> UInt64 {
      times.reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 &+ $1 }
    }
    #expect(account.runs == times.count, "\(name)")
    #expect(account.lines.reduce(0) { $0 + $1.runs } == times.count, "\(name)")
    #expect(account.time == sum(times.values), "\(name)")
    let kinds = model.kinds()
    for kind in RunKind.allCases {
      let found = account.kinds.first { $0.kind == kind }
      let seqs = kinds.keys.filter { kinds[$0] == kind }
      #expect(found?.runs ?? 0 == seqs.count, "\(name): \(kind)")
      #expect(found?.time ?? 0 == sum(seqs.compactMap { times[$0] }), "\(name): \(kind)")
    }
    let writes = events.count { $0.body.writtenPath != nil }
    #expect(account.writes == writes, "\(name)")
    #expect(account.writeLines.reduce(0) { $0 + $1.writes } == writes, "\(name)")
  }
}
