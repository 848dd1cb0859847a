import EventLog
import Foundation
import Invalidation
import LogGenerator
import Testing

/// Random programs with objects that come and go and with derived values that read each other, played to live
/// sessions and to the brute-force model; the logs of these sessions are checked too.
///
/// `REPLAY_SEED` plays from another seed, `REPLAY_PROGRAMS` another number of programs.
@Suite @MainActor struct LinkedProgramTests {
  private static let programs = RandomProgramTests.programs

  @Test func everyRunIsAsPredictedWhileObjectsComeAndGo() async {
    await play(Self.programs / 2, .knots)
    await play(Self.programs / 4, .knots, isUnruly: true)
  }

  @Test func everyRunIsAsPredictedInGraphsOfDerivedValues() async {
    await play(Self.programs / 4, .derived)
    await play(Self.programs / 8, .derived, isUnruly: true)
  }

  @Test func aRecordedProgramRunsAsPredictedAndItsLogAgreesWithIt() async {
    await play(Self.programs / 10, .knots) { await $0.recordedProblem() }
    await play(Self.programs / 25, .derived) { await $0.recordedProblem() }
    await play(Self.programs / 25, .knots, isUnruly: true) { await $0.recordedProblem() }
  }

  @Test func aLogThatIsCutAnywhereGoesOnAsTheWholeOne() async {
    await play(Self.programs / 50, .knots) { await $0.recordedProblem(cutsEverywhere: true) }
    await play(Self.programs / 100, .derived) { await $0.recordedProblem(cutsEverywhere: true) }
  }

  private func play(
    _ count: UInt64, _ shape: ProgramGenerator.Shape, isUnruly: Bool = false,
    _ problem: @MainActor (Program) async -> String? = { await $0.mismatch()?.description }
  ) async {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + count) {
      let program = ProgramGenerator.program(seed: seed, shape, isUnruly: isUnruly)
      guard let found = await problem(program) else { continue }
      let shrunk = await program.shrunk { await problem($0) != nil }
      let shown = await problem(shrunk) ?? found
      Issue.record("seed \(seed), \(shape)\(isUnruly ? ", unruly" : ""), \(shown)\n\(shrunk)")
      return
    }
  }
}

extension Program {
  /// Plays the program to the model and to a session that records, and returns the first error in its runs or
  /// in its log.
  @MainActor fileprivate func recordedProblem(cutsEverywhere: Bool = false) async -> String? {
    do {
      let workspace = try Workspace()
      let log = workspace.file("run.evlog")
      let player = try ProgramPlayer(self, recordingTo: URL(filePath: log))
      let mismatch = await mismatch(player)
      try player.close()
      if let mismatch { return mismatch.description }
      try RecordedInvalidations.check(log: log)
      var events: [Event] = []
      try LogReader(path: log).forEachEvent { events.append($0) }
      return try CutTimelines(events).problem(everywhere: cutsEverywhere)
    } catch { return "\(error)" }
  }
}

/// The invalidations of a log when it is read from its beginning, and when a reader begins in the middle with
/// the state and reads at that event.
private struct CutTimelines {
  let events: [Event]
  private let whole: [[String]]

  init(_ events: [Event]) throws {
    self.events = events
    var timeline = Timeline()
    whole = try events.map { try Self.hits(of: $0, in: &timeline) }
  }

  private static func hits(of event: Event, in timeline: inout Timeline) throws -> [String] {
    try timeline.apply(event).map { "\($0.projection) \($0.causes)" }
  }

  /// Cuts the log at places without an open transaction: at all of them, or at a few.
  func problem(everywhere: Bool) throws -> String? {
    var fold = StateFold()
    for (cut, event) in events.enumerated() {
      if fold.openTransactions == 0, everywhere || cut % 61 == 7 {
        if let problem = try problem(of: fold, at: cut) { return problem }
      }
      fold.apply(event)
    }
    return fold.failure.map { "event \($0.seq) does not fit: \($0.error)" }
  }

  /// Continues from a fold, and from the checkpoint that a log would have there.
  private func problem(of fold: StateFold, at cut: Int) throws -> String? {
    var fold = fold
    if let problem = try problem(of: fold, at: cut, "the fold") { return problem }
    guard let checkpoint = fold.checkpoint(),
      let loaded = StateFold(checkpoint: checkpoint, after: UInt64(cut), time: fold.time)
    else { return nil }
    return try problem(of: loaded, at: cut, "the checkpoint")
  }

  private func problem(of fold: StateFold, at cut: Int, _ name: String) throws -> String? {
    var timeline = Timeline(resuming: fold)
    for index in cut..<events.count {
      let hits = try Self.hits(of: events[index], in: &timeline)
      if hits == whole[index] { continue }
      return "from \(name) at \(cut) on, event \(index + 1) invalidates \(hits), not \(whole[index])"
    }
    return nil
  }
}
