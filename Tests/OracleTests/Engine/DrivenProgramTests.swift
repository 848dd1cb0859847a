import EventLog
import Foundation
import LogGenerator
import ReplayTesting
@testable import Projection
import Testing

/// Random programs, recorded, and then driven through themselves: the new log must equal the old one except
/// for durations.
///
/// A log does not contain the actions of the app's own code: making and cancelling subscriptions, reading
/// derived values, attaching cells. The test performs these by hand at the marks before them.
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
  /// The programs leave out what no log can record: changes of objects that are not recorded, because they
  /// are attached later or only the app holds them; that the app ran its delayed callbacks early, if changes
  /// are collected; and that the collection of changes began with a change by a body that ran by hand.
  fileprivate var drivable: Program {
    var program = self
    program.attachesLate = false
    let isPaced = nodes.contains { if case .change(_, let pace, _) = $0 { pace != .none } else { false } }
    if isPaced, delivery == .manual { program.delivery = .immediate }
    let isCollected = isPaced && program.delivery != .immediate
    // No delayed call is left to run early when the session is closed.
    if isCollected { program.steps.append(.advance(10)) }
    program.steps = Self.without(program.steps) { action in
      switch action {
      case .flush: isCollected
      case .edit(.knot(let edit)): edit.usesHands
      default: false
      }
    }
    for (index, node) in nodes.enumerated() {
      func kept(_ effects: [Action]) -> [Action] {
        Self.without(effects) { if case .edit(.knot(let edit)) = $0 { edit.usesHands } else { false } }
      }
      switch node {
      case .change(let source, let pace, let effects):
        program.nodes[index] = .change(source, pace, kept(effects))
      case .receive(let source, let effects): program.nodes[index] = .receive(source, kept(effects))
      case .projection(let tracking, let ops) where delivery != .immediate:
        program.nodes[index] = .projection(tracking, ops.map(\.withoutAppearing))
      case .derived, .projection: break
      }
    }
    return program
  }

  private static func without(_ actions: [Action], _ isUnwanted: (Action) -> Bool) -> [Action] {
    actions.compactMap { action in
      if case .transaction(let parts) = action { return .transaction(without(parts, isUnwanted)) }
      return isUnwanted(action) ? nil : action
    }
  }

  /// Records the program, drives it through itself, and returns how the logs differ.
  @MainActor fileprivate func driveProblem() async -> String? {
    do {
      let workspace = try Workspace()
      let (recorded, driven) = (workspace.file("recorded.evlog"), workspace.file("driven.evlog"))
      let steps = delivery == .immediate ? steps + [.flush] : steps
      let marked = MarkedSteps(steps)
      let clock = ManualClock()
      let session = try ProgramPlayer.session(for: self, recordingTo: URL(filePath: recorded), clock)
      // The log has the times of the clock that callbacks wait by.
      session.engine.withLock { $0.recorder.stand(at: 0) }
      let first = ProgramPlayer(self, in: session, clock)
      first.willAdvance = { time in session.engine.withLock { $0.recorder.stand(at: time.nanoseconds) } }
      for step in marked.steps {
        if case .advance(let ticks) = step {
          await first.advance(by: ticks)
        } else {
          marked.record(step, first)
        }
      }
      let isEndless = first.diagnostics.contains { $0.contains("stopped after") }
      try first.close()
      if isEndless { return nil }

      let drive = try Drive(Recording(URL(filePath: recorded)), recordingTo: URL(filePath: driven))
      // A session that collects changes begins with a transaction, in which the cells are attached.
      if delivery != .immediate { try drive.run(through: 1) }
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
      if case .evaluate(let name, _, let changed, _, _) = event.body {
        event.body = .evaluate(projection: name, duration: 0, changed: changed)
      }
      lines.append(event.json(statesSameValue: true))
    }
    return lines
  }
}

extension Program.Op {
  /// The same without the actions of children when they first appear.
  fileprivate var withoutAppearing: Program.Op {
    func child(_ child: Program.Child) -> Program.Child {
      var child = child
      child.appear = []
      child.ops = child.ops.map(\.withoutAppearing)
      return child
    }
    return switch self {
    case .child(let made): .child(child(made))
    case .each(let made): .each(child(made))
    case .eachKnot(let way, let made): .eachKnot(way, child(made))
    case .when(let source, let ops): .when(source, ops.map(\.withoutAppearing))
    default: self
    }
  }
}

extension Program.KnotEdit {
  /// Whether it moves an object into the app's own variables, or out of them.
  fileprivate var usesHands: Bool {
    func isHand(_ knot: Program.Knot?) -> Bool {
      if case .at(let way)? = knot { way.hand != nil } else { false }
    }
    if way?.hand != nil { return true }
    switch self {
    case .hold: return true
    case .next(_, let knot), .key(_, _, let knot): return isHand(knot)
    case .insert(_, let knot, at: _), .put(_, let knot, at: _): return isHand(knot)
    case .replace(_, let knots): return knots.contains { isHand($0) }
    default: return false
    }
  }
}

/// The steps of a program, and which of them are the app's own code.
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

  /// Performs a step. Before each action that must be done by hand when the log is driven, it sets a mark.
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
