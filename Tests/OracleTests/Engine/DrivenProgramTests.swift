import EventLog
import Foundation
import LogGenerator
@testable import Projection
import Testing

/// Random programs, recorded, and then driven through themselves: the new log must be the old one but for durations.
///
/// What a log does not hold, because it is code of the app, happens by hand at the marks before it: subscriptions are made and
/// cancelled, derived values are asked for, cells are attached.
///
/// `REPLAY_SEED` plays from another seed, `REPLAY_PROGRAMS` another number of programs.
@Suite @MainActor struct DrivenProgramTests {
  @Test func aProgramDrivenThroughItselfHasTheSameLog() async {
    await drive(RandomProgramTests.programs * 7 / 10)
  }

  @Test func aProgramInTimeDrivenThroughItselfHasTheSameLog() async {
    await drive(RandomProgramTests.programs * 3 / 10, isTimed: true)
  }

  @Test func objectsThatComeAndGoAreDrivenToTheSameLog() async {
    await drive(RandomProgramTests.programs / 10, .knots)
  }

  @Test func graphsOfDerivedValuesAreDrivenToTheSameLog() async {
    await drive(RandomProgramTests.programs / 10, .derived)
  }

  private func drive(
    _ count: UInt64, _ shape: ProgramGenerator.Shape = .cells, isTimed: Bool = false
  ) async {
    for seed in RandomSessionTests.seed..<(RandomSessionTests.seed + count) {
      let program = ProgramGenerator.program(seed: seed, shape, isTimed: isTimed).drivable
      guard let found = await program.driveProblem() else { continue }
      let shrunk = await program.shrunk { await $0.drivable.driveProblem() != nil }
      let shown = await shrunk.driveProblem() ?? found
      Issue.record("seed \(seed), \(shape), \(shown)\n\(shrunk)")
      return
    }
  }
}

extension Program {
  /// Without what no log could tell: that the app ran its delayed callbacks before their time, of changes that are collected.
  fileprivate var drivable: Program {
    guard delivery != .immediate else { return self }
    let isPaced = nodes.contains { if case .change(_, let pace, _) = $0 { pace != .none } else { false } }
    guard isPaced else { return self }
    var program = self
    program.steps.removeAll { if case .flush = $0 { true } else { false } }
    return program
  }

  /// Records the program, drives it through itself, and returns how the logs differ.
  @MainActor fileprivate func driveProblem() async -> String? {
    do {
      let workspace = try Workspace()
      let (recorded, driven) = (workspace.file("recorded.evlog"), workspace.file("driven.evlog"))
      let steps = delivery == .immediate ? steps + [.flush] : steps
      let marked = MarkedSteps(steps)
      let first = try ProgramPlayer(self, recordingTo: URL(filePath: recorded))
      first.session.engine.withLock { $0.recorder.stand(at: 0) }
      first.willAdvance = { time in
        first.session.engine.withLock { $0.recorder.stand(at: time.nanoseconds) }
      }
      for step in marked.steps {
        if case .advance(let ticks) = step { await first.advance(by: ticks) } else { marked.record(step, first) }
      }
      let isEndless = first.diagnostics.contains { $0.contains("stopped after") }
      try first.close()
      if isEndless { return nil }

      let drive = try Drive(Recording(URL(filePath: recorded)), recordingTo: URL(filePath: driven))
      let second = ProgramPlayer(self, in: drive.session)
      for (number, action) in marked.byHand.enumerated() {
        try drive.run(through: .mark("hand \(number)"))
        second.perform(action)
      }
      try drive.run()
      let problems = drive.problems
      try second.close()
      if !problems.isEmpty { return "\(problems)" }
      return try Self.difference(recorded, driven)
    } catch { return "\(error)" }
  }

  private static func difference(_ recorded: String, _ driven: String) throws -> String? {
    let (a, b) = (try lines(of: recorded), try lines(of: driven))
    if a == b { return nil }
    let common = zip(a, b).prefix { $0 == $1 }.count
    func part(_ lines: [String]) -> String {
      lines[max(0, common - 8)..<min(lines.count, common + 6)].joined(separator: "\n")
    }
    return "the same \(common) events, then\n\(part(a))\nand driven\n\(part(b))"
  }

  private static func lines(of log: String) throws -> [String] {
    var lines: [String] = []
    try LogReader(path: log).forEachEvent { event in
      var event = event
      if case .evaluate(let name, _, let changed) = event.body {
        event.body = .evaluate(projection: name, duration: 0, changed: changed)
      }
      lines.append(event.json(statesSameValue: true))
    }
    return lines
  }
}

/// The steps of a program, and those among them that are code of the app alone.
private struct MarkedSteps {
  let steps: [Program.Action]
  private(set) var byHand: [Program.Action] = []

  init(_ steps: [Program.Action]) {
    self.steps = steps
    for step in steps { add(step) }
  }

  private mutating func add(_ action: Program.Action) {
    switch action {
    case .transaction(let actions): for action in actions { add(action) }
    case .edit(.knot(.hold)), .subscribe, .cancel, .pull, .flush, .attach: byHand.append(action)
    case .edit, .advance: break
    }
  }

  /// Performs a step, with a mark before each action that is done by hand when the log is driven.
  @MainActor func record(_ step: Program.Action, _ player: ProgramPlayer) {
    var number = player.marks
    perform(step, player, &number)
    player.marks = number
  }

  @MainActor private func perform(_ action: Program.Action, _ player: ProgramPlayer, _ number: inout Int) {
    switch action {
    case .transaction(let actions):
      player.session.transaction { for action in actions { perform(action, player, &number) } }
    case .edit(.knot(.hold)), .subscribe, .cancel, .pull, .flush, .attach:
      player.session.mark("hand \(number)")
      number += 1
      player.perform(action)
    case .edit, .advance: player.perform(action)
    }
  }
}
