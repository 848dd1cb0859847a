import EventLog
import Foundation
import LogGenerator
import Projection
import ReplayAnalysis
import Testing

/// Hosts of many widgets that draw once a frame, with random writes, moves and skipped runs. A model that knows
/// only the values predicts which widgets are out of date, and which writes are the causes of each run: all since
/// the widget's last run. The session and the analyses of its log must agree with it.
///
/// `REPLAY_SEED` plays from another seed, `REPLAY_PROGRAMS` another number of programs.
@Suite struct FrameOracleTests {
  static let seed = ProcessInfo.processInfo.environment["REPLAY_SEED"].flatMap { UInt64($0) } ?? 1
  static let programs = ProcessInfo.processInfo.environment["REPLAY_PROGRAMS"].flatMap { UInt64($0) } ?? 12
  static let shares: UInt64 = 4

  @Test(arguments: 0..<shares)
  func theSessionAndItsLogKnowWhatAModelOfTheWidgetsKnows(share: UInt64) throws {
    var runs = 0
    for seed in Self.seed..<(Self.seed + Self.programs) where seed % Self.shares == share {
      let play = try FramePlay(seed: seed)
      for fault in play.faults { Issue.record("seed \(seed): \(fault)") }
      runs += play.runsOfSeveral
    }
    #expect(runs > 0)
  }
}

struct FrameCell: Identifiable, Equatable {
  var id: Int
  var value = 0
}

@Recorded final class FrameBoard {
  var cells: RecordedArray<FrameCell> = []
}

/// What the model knows of one widget.
private final class ModelWidget {
  let name: String
  let hosted: HostedProjection
  var parent: ModelWidget?
  var reads: Set<Int> = []
  var input = 0
  var lastInput: Int?
  /// The writes that put it out of date since its last run, by what invalidated it; empty if it is up to date.
  var pending: [[Int]] = []
  var isDrawn = false

  init(_ hosted: HostedProjection, parent: ModelWidget?) {
    (name, self.hosted, self.parent) = (hosted.name, hosted, parent)
  }

  func isWithin(_ other: ModelWidget) -> Bool { self === other || parent?.isWithin(other) == true }
}

private final class FramePlay {
  private(set) var faults: [String] = []
  /// The runs that had several causes.
  private(set) var runsOfSeveral = 0

  private static let cells = 24
  private static let widgetsMost = 56
  private var random: SplitMix64
  private let session: Session
  private let board = FrameBoard()
  private let isCollecting: Bool
  private var values = [Int](repeating: 0, count: cells)
  /// In order of creation, in which a move counts as one.
  private var widgets: [ModelWidget] = []
  private var made = 0
  private var writes = 0
  /// The writes of the open unit that changed something, by cell, and the values before it.
  private var unit: [Int: [Int]] = [:]
  private var before: [Int: Int] = [:]
  /// Whether changes are collected, and the widgets that have moved meanwhile: the end counts as their creation.
  private var isOpen = false
  private var moved: [ModelWidget] = []
  private var signals: [String] = []
  private var expectedSignals: [String] = []
  private var expectedRuns: [(name: String, writes: Set<Int>)] = []
  private var superseded = 0
  private var invalidations = 0
  private var skipped: [String] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    isCollecting = Int.random(in: 0..<4, using: &random) == 0
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    session = try Session(recordingTo: url, delivery: isCollecting ? .manual : .immediate)
    board.cells = RecordedArray((0..<Self.cells).map { FrameCell(id: $0) })
    session.attach(board, as: "board")
    for _ in 0..<Self.widgetsMost { create() }
    for _ in 0..<Int.random(in: 4...20, using: &random) where faults.isEmpty { playFrame() }
    try session.close()
    try check(LogSource(path: url.path, isScanned: true))
  }

  private func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
    if found != expected { faults.append("\(what):\n\(found)\ninstead of\n\(expected)") }
  }

  private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  // MARK: The program

  private func playFrame() {
    for _ in 0..<Int.random(in: 0...10, using: &random) { act() }
    session.flush()
    if isCollecting { endUnit() }
    let names = session.invalidatedHosted.map(\.name)
    expect(names, widgets.filter { !$0.pending.isEmpty }.map(\.name), "out of date")
    expect(Set(names), Set(widgets.filter(\.hosted.isInvalidated).map(\.name)), "isInvalidated")
    expect(signals.sorted(), expectedSignals.sorted(), "signals")
    (signals, expectedSignals) = ([], [])
    // Some are off screen.
    for widget in widgets where !widget.pending.isEmpty && !chance(4) { draw(widget) }
    for widget in widgets { widget.isDrawn = false }
    session.endHostTurn()
  }

  private func act() {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: move()
    case 1:
      remove()
      create()
    case 2, 3:
      isOpen = true
      session.transaction {
        for _ in 0..<Int.random(in: 0...5, using: &random) {
          if chance(6) { move() } else { write() }
        }
      }
      if !isCollecting { endUnit() }
    default:
      write()
      if !isCollecting { endUnit() }
    }
  }

  private func write() {
    let cell = Int.random(in: 0..<Self.cells, using: &random)
    let value = Int.random(in: 0...2, using: &random)
    if values[cell] != value {
      unit[cell, default: []].append(writes)
      if before[cell] == nil { before[cell] = values[cell] }
    }
    values[cell] = value
    writes += 1
    if isCollecting { isOpen = true }
    board.cells[cell].value = value
  }

  /// What a write outside transactions, or a transaction, has changed now puts widgets out of date.
  private func endUnit() {
    let changed = unit.filter { values[$0.key] != before[$0.key] }
    for widget in widgets {
      let causes = changed.filter { widget.reads.contains($0.key) }.values.flatMap { $0 }
      if causes.isEmpty { continue }
      if widget.pending.isEmpty { expectedSignals.append(widget.name) }
      widget.pending.append(causes)
      invalidations += 1
    }
    (unit, before) = ([:], [:])
    isOpen = false
    for widget in moved { putLast(widget) }
    moved = []
  }

  private func putLast(_ widget: ModelWidget) {
    let isThere = widgets.contains { $0 === widget }
    widgets.removeAll { $0 === widget }
    if isThere { widgets.append(widget) }
  }

  private func create() {
    let parent = chance(5) ? nil : widgets.randomElement(using: &random)
    let hosted = session.hosted("W", id: made, parent: parent?.hosted, tracking: .element)
    made += 1
    let widget = ModelWidget(hosted, parent: parent)
    let name = widget.name
    hosted.onInvalidate { [unowned self] in signals.append(name) }
    widgets.append(widget)
    run(widget)
  }

  private func remove() {
    let leaves = widgets.filter { leaf in !widgets.contains { $0.parent === leaf } }
    guard let widget = leaves.randomElement(using: &random) else { return }
    widget.hosted.dispose()
    widgets.removeAll { $0 === widget }
  }

  private func move() {
    guard let widget = widgets.randomElement(using: &random) else { return }
    let parent = chance(5) ? nil : widgets.randomElement(using: &random)
    if let parent, parent.isWithin(widget) { return }
    let isMove = widget.parent !== parent
    widget.parent = parent
    widget.hosted.move(to: parent?.hosted)
    if !isMove { return }
    if !isOpen { return putLast(widget) }
    if !moved.contains(where: { $0 === widget }) { moved.append(widget) }
  }

  /// Runs a widget, and its children if they are out of date or get another input.
  private func draw(_ widget: ModelWidget) {
    if widget.isDrawn { return }
    run(widget)
    for child in widgets where child.parent === widget && !child.isDrawn {
      if chance(3) { child.input += 1 }
      let isCurrent = child.pending.isEmpty && child.input == child.lastInput
      expect(child.hosted.isCurrent(for: child.input), isCurrent, "whether \(child.name) is current")
      if isCurrent {
        child.hosted.skip()
        skipped.append(child.name)
      } else {
        draw(child)
      }
    }
  }

  private func run(_ widget: ModelWidget) {
    widget.isDrawn = true
    widget.reads = Set(
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        Int.random(in: 0..<Self.cells, using: &random)
      })
    widget.lastInput = widget.input
    let shown = widget.hosted.run(input: widget.input) { widget.reads.map { board.cells[$0].value } }
    expect(shown, widget.reads.map { values[$0] }, "what \(widget.name) shows")
    expectedRuns.append((widget.name, Set(widget.pending.joined())))
    superseded += max(0, widget.pending.count - 1)
    if widget.pending.count > 1 { runsOfSeveral += 1 }
    widget.pending = []
  }

  // MARK: The log

  private func check(_ log: LogSource) throws {
    var events: [Event] = []
    try log.reader.forEachEvent { events.append($0) }
    // The first is the attachment.
    let seqs = events.filter { $0.body.writtenPath != nil }.dropFirst().map(\.seq)
    expect(seqs.count, writes, "the number of writes")
    let runs = events.compactMap { event in
      if case .evaluate(let name, _, _, _, _) = event.body { (name: name, seq: event.seq) } else { nil }
    }
    expect(runs.map(\.name), expectedRuns.map(\.name), "the runs")
    let marks = events.compactMap { event in
      if case .mark(let label) = event.body { label } else { nil }
    }
    expect(marks, skipped.map { "not run, same input: \($0)" }, "the skipped runs")
    let verification = try Verification(log)
    expect(verification.isSound, true, "\(verification.findings)")
    expect(verification.explained, verification.evaluations, "the runs that are explained")
    guard faults.isEmpty else { return }
    for (run, expected) in zip(runs, expectedRuns) where !expected.writes.isEmpty {
      let chain = try WhyChain(of: run.name, at: .seq(run.seq), in: log)
      let found = Set(chain.steps.flatMap(\.writes))
      expect(found.sorted(), expected.writes.map { seqs[$0] }.sorted(), "why \(run.name) ran at \(run.seq)")
    }
    let report = try CascadeReport(log, Selection(in: log))
    let trees = report.lines.flatMap(\.tree)
    expect(trees.reduce(0) { $0 + $1.sum(\.superseded) }, superseded, "superseded")
    expect(trees.reduce(0) { $0 + $1.sum(\.invalidations) }, invalidations, "invalidations")
  }
}

extension WhyStep {
  /// The writes of the step and of those below it.
  fileprivate var writes: [UInt64] {
    let own = kind == .write ? [seq].compactMap { $0 } : []
    return own + ((because ?? []) + (others ?? [])).flatMap(\.writes)
  }
}

extension CascadeTree {
  fileprivate func sum(_ count: KeyPath<CascadeTree, Int>) -> Int {
    children.reduce(self[keyPath: count]) { $0 + $1.sum(count) }
  }
}
