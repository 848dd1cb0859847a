import EventLog
import Foundation
import LogGenerator
import Projection
import ReplayAnalysis
import Testing

/// Random programs, played twice: with projections that the session runs, and with hosted projections that a
/// small host runs. Both show the same values and run for the same reasons, and analyses of both logs have
/// the same results.
///
/// `REPLAY_SEED` plays from another seed, `REPLAY_PROGRAMS` another number of programs.
@Suite struct HostedOracleTests {
  static let seed = ProcessInfo.processInfo.environment["REPLAY_SEED"].flatMap { UInt64($0) } ?? 1
  static let shares: UInt64 = 4
  static let programs = ProcessInfo.processInfo.environment["REPLAY_PROGRAMS"].flatMap { UInt64($0) } ?? 100

  @Test(arguments: 0..<shares)
  func hostedProjectionsRunAsOthersDo(share: UInt64) throws {
    try play(share) { try $0.differenceOfHosted() }
  }

  @Test(arguments: 0..<shares)
  func logsOfHostsThatLeaveMuchUnrunAgreeWithThemselves(share: UInt64) throws {
    try play(share) { try $0.faultOfLazyHost() }
  }

  private func play(_ share: UInt64, _ fault: (HostedProgram) throws -> String?) throws {
    var runs = 0
    for seed in Self.seed..<(Self.seed + Self.programs) where seed % Self.shares == share {
      let program = HostedProgram(seed: seed)
      runs += program.views.count * program.steps.count
      guard let found = try fault(program) else { continue }
      // If a smaller program fails with a different error, it is not a reduction of this one.
      let kind = found.prefix { $0 != ":" }
      let shrunk = program.shrunk { (try? fault($0))?.hasPrefix(kind) == true }
      Issue.record("seed \(seed): \(try fault(shrunk) ?? found)\n\(shrunk)")
      return
    }
    #expect(runs > 0)
  }
}

extension HostedProgram {
  /// The first difference between a hosted run of the program and one by the session.
  fileprivate func differenceOfHosted() throws -> String? {
    let ordinary = try HostedPlay(self) { SessionStage($0, $1, $2, $3) }
    let hosted = try HostedPlay(self) { HostStage($0, $1, $2, $3) }
    for play in [ordinary, hosted] {
      if let fault = play.fault { return fault }
      if play.summary.isEmpty { return "nothing ran" }
    }
    if ordinary.shown != hosted.shown {
      return "shown by the session:\n\(ordinary.shown.lines)\nby the host:\n\(hosted.shown.lines)"
    }
    for (name, runs) in ordinary.summary where hosted.summary[name] != runs {
      return "\(name) by the session:\n\(runs.lines)\nby the host:\n\((hosted.summary[name] ?? []).lines)"
    }
    if ordinary.summary.count != hosted.summary.count { return "the host has others too" }
    for (question, answer) in ordinary.answers where hosted.answers[question] != answer {
      return
        "\(question) of the session's log:\n\(answer)\nof the host's:\n\(hosted.answers[question] ?? "-")"
    }
    return nil
  }

  /// The error in the log of a host that runs only few of the views that are out of date.
  fileprivate func faultOfLazyHost() throws -> String? {
    try HostedPlay(self) { HostStage($0, $1, $2, $3, runsOneIn: 3) }.fault
  }
}

extension [String] {
  fileprivate var lines: String { joined(separator: "\n") }
}

/// Displays the views of a program.
private protocol Stage {
  /// Displays the changes.
  func update()
}

/// A program that was played, and the content of its log.
private struct HostedPlay {
  /// The displayed values, in order.
  private(set) var shown: [String] = []
  /// By projection, its invalidations and runs, with their causes.
  private(set) var summary: [String: [String]] = [:]
  /// Results of analyses that should not depend on who runs the bodies.
  private(set) var answers: [String: String] = [:]
  /// The contradiction within the log, if any.
  private(set) var fault: String?

  init<S: Stage>(
    _ program: HostedProgram,
    _ makeStage: (HostedProgram, HostedModel, Session, @escaping (String) -> Void) -> S
  ) throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    let session = try Session(
      recordingTo: URL(filePath: path), delivery: program.collects ? .manual : .immediate)
    let model = HostedModel()
    var shown: [String] = []
    session.attach(model, as: "app")
    if program.collects { session.flush() }
    let stage = makeStage(program, model, session) { shown.append($0) }
    for step in program.steps {
      step.apply(to: model, in: session)
      stage.update()
    }
    withExtendedLifetime(stage) {}
    try session.close()
    self.shown = shown
    try summarise(path)
    try ask(LogSource(path: path, isScanned: true))
  }

  private mutating func summarise(_ path: String) throws {
    // An event is identified by its position among the events that do not depend on who runs the bodies.
    var numbers: [UInt64: Int] = [:]
    var summary: [String: [String]] = [:]
    func text(_ seqs: [UInt64]) -> String {
      seqs.map { seq in numbers[seq].map { "\($0)" } ?? "?\(seq)" }.joined(separator: " ")
    }
    try LogReader(path: path).forEachEvent { event in
      switch event.body {
      case .evaluate(let name, _, let changed, let inputChanged, _):
        let cause = event.cause.map { text([$0]) } ?? "nothing"
        summary[name, default: []].append(
          "ran, changed \(changed as Any), input changed \(inputChanged as Any), for \(cause)")
      case .invalidate(let name, let causes):
        summary[name, default: []].append("invalidated by \(text(causes))")
      case .dispose(let name): summary[name, default: []].append("ended")
      case .projection(let name, let parent, _):
        summary[name, default: []].append(
          "made in \(parent ?? "nothing") for \(event.cause.map { text([$0]) } ?? "nothing")")
      case .reads, .mark, .action, .finish: break
      case .set, .splice, .remove, .begin, .end: numbers[event.seq] = numbers.count
      }
    }
    self.summary = summary
  }

  private mutating func ask(_ log: LogSource) throws {
    let verification = try Verification(log)
    if !verification.isSound || verification.explained != verification.evaluations {
      fault = "verify: \(verification.findings)"
      return
    }
    for tracking in ["", "element", "property", "object"] {
      let rules = try WhatIfRules(tracking.isEmpty ? [] : [Change(.tracking, tracking)])
      let prediction = try WhatIf(log, rules, counting: 0..<UInt64.max)
      if tracking.isEmpty {
        for line in prediction.lines where line.before?.evaluations != line.after.evaluations {
          fault =
            "what-if: \(line.name) ran \(line.before?.evaluations ?? 0) times, \(line.after.evaluations) predicted"
        }
      }
      answers["what-if \(tracking)"] =
        prediction.lines.map {
          "\($0.name) \($0.before?.evaluations ?? 0) -> \($0.after.evaluations)"
        }
        .sorted().lines
        + "\nunknown: \(prediction.unknown.map { "\($0.name) \($0.work.evaluations)" }.sorted())"
    }
    let haveRun = summary.filter { $0.value.contains { $0.hasPrefix("ran") } }
    for name in haveRun.keys.sorted().suffix(4) {
      let why = try WhyChain(of: name, at: nil, in: log)
      answers["why \(name)"] =
        why.steps.map { step in
          "\(step.kind) \(step.projection ?? "") \(step.parent ?? "") \(step.path ?? "") \(step.text ?? "")"
        }
        .lines
    }
  }
}

/// Views as projections that the session runs.
private final class SessionStage: Stage {
  private let derived: Derived<Int>

  init(
    _ program: HostedProgram, _ model: HostedModel, _ session: Session, _ note: @escaping (String) -> Void
  ) {
    let derived = session.derived("sum") { (model.a + model.b) / 2 }
    self.derived = derived
    func show(_ view: HostedProgram.View, _ row: HostedRow?, _ scope: Scope) -> String {
      let (text, children) = view.show(model, row, derived, note)
      for shown in children {
        let (view, row) = (shown.child.view, shown.row)
        if let input = shown.input {
          scope.child(view.name, id: shown.id, input: input, tracking: view.tracking) { show(view, row, $0) }
        } else {
          scope.child(view.name, id: shown.id, tracking: view.tracking) { show(view, row, $0) }
        }
      }
      return text
    }
    for view in program.views {
      session.projection(view.name, tracking: view.tracking) { show(view, nil, $0) }
    }
  }

  func update() {}
}

/// Views as hosted projections: a view runs when it is out of date, and after its parent unless its input is
/// the same.
private final class HostStage: Stage {
  /// A view on the screen.
  final class Shown {
    let handle: HostedProjection
    let view: HostedProgram.View
    var row: HostedRow?
    var input: String?
    var children: [String: Shown] = [:]
    var isGone = false

    init(_ handle: HostedProjection, _ view: HostedProgram.View, _ row: HostedRow?, _ input: String?) {
      (self.handle, self.view, self.row, self.input) = (handle, view, row, input)
    }
  }

  private let model: HostedModel
  private let session: Session
  private let derived: Derived<Int>
  private let note: (String) -> Void
  /// In the order of creation.
  private var all: [Shown] = []
  private let runsOneIn: Int
  private var random = SplitMix64(seed: 1)

  init(
    _ program: HostedProgram, _ model: HostedModel, _ session: Session, _ note: @escaping (String) -> Void,
    runsOneIn: Int = 1
  ) {
    (self.model, self.session, self.note, self.runsOneIn) = (model, session, note, runsOneIn)
    derived = session.derived("sum") { (model.a + model.b) / 2 }
    for view in program.views {
      run(add(Shown(session.hosted(view.name, tracking: view.tracking), view, nil, nil)), inputChanged: nil)
    }
  }

  func update() {
    all.removeAll { $0.isGone }
    for shown in all where !shown.isGone && shown.handle.isInvalidated {
      if Int.random(in: 0..<runsOneIn, using: &random) == 0 {
        run(shown, inputChanged: shown.input == nil ? nil : false)
      }
    }
  }

  private func add(_ shown: Shown) -> Shown {
    all.append(shown)
    return shown
  }

  private func run(_ shown: Shown, inputChanged: Bool?) {
    var wanted: [HostedProgram.View.Shown] = []
    shown.handle.run(inputChanged: inputChanged) {
      let (text, children) = shown.view.show(model, shown.row, derived, note)
      wanted = children
      return text
    }
    var left = shown.children
    for next in wanted {
      let view = next.child.view
      let key = "\(view.name) \(next.id.map { "\($0.base)" } ?? "")"
      if let known = left.removeValue(forKey: key) {
        let isComparable = next.input != nil && known.input != nil
        let changed = isComparable ? next.input != known.input : nil
        (known.row, known.input) = (next.row, next.input)
        if changed != false || known.handle.isInvalidated { run(known, inputChanged: changed) }
      } else {
        let handle = session.hosted(view.name, id: next.id, parent: shown.handle, tracking: view.tracking)
        let made = add(Shown(handle, view, next.row, next.input))
        shown.children[key] = made
        run(made, inputChanged: nil)
      }
    }
    for (key, gone) in left {
      shown.children[key] = nil
      end(gone)
    }
  }

  private func end(_ shown: Shown) {
    for child in shown.children.values { end(child) }
    shown.isGone = true
    shown.handle.dispose()
  }
}
