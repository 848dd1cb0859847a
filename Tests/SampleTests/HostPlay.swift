import EventLog
import Foundation
import LogGenerator
import Projection
import ReplayAnalysis
import TextHost

/// A random tree of views, drawn by ``TextHost`` with a session and without one, and a model of it.
final class HostPlay {
  @Recorded final class Board {
    var cells: [Cell]
    var calls = 0
    init(_ count: Int) { cells = (0..<count).map { _ in Cell() } }
  }

  @Recorded final class Cell {
    var value = 0
  }

  /// What views of one number are: fixed, and known to the model.
  struct Plan {
    var children: [Int]
    var cells: [Int]
    var isBox: Bool
    var isCalling: Bool
  }

  struct Branch: View {
    let board: Board
    let plans: [Plan]
    let number: Int
    let input: Int
    var key: Int? { number }

    static func == (a: Branch, b: Branch) -> Bool { a.number == b.number && a.input == b.input }

    func body(_ context: Context) -> Body {
      let (plan, board) = (plans[number], board)
      let sum = HostPlay.sum(plan) { board.cells[$0].value }
      let count = context.state("count", 0)
      if plan.isCalling {
        context.onChange(of: sum) {
          board.calls += 1
          count.value += 1
        }
      }
      let shown = HostPlay.shown(plan, sum)
      let views: [any View] =
        [Line(number: number, text: "\(number):\(sum) \(input) \(count.value)")]
        + shown.map { Branch(board: board, plans: plans, number: $0, input: sum % 2) }
      return plan.isBox ? .box(views) : .column(views)
    }
  }

  /// Has the place of its branch, and no key of its own.
  struct Line: View {
    let number: Int
    let text: String

    func body(_ context: Context) -> Body { .text(text) }
  }

  /// The second cell is read only if the first is even.
  static func sum(_ plan: Plan, _ read: (Int) -> Int) -> Int {
    let first = read(plan.cells[0])
    return first % 2 == 0 ? first + 10 * read(plan.cells[1]) : first
  }

  /// Some children are there only at times.
  static func shown(_ plan: Plan, _ sum: Int) -> [Int] {
    sum % 5 == 0 ? Array(plan.children.dropFirst()) : plan.children
  }

  private(set) var faults: [String] = []
  private var random: SplitMix64

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let cells = 10
    var plans: [Plan] = []
    for number in 0..<14 {
      plans.append(
        Plan(
          children: [],
          cells: [Int.random(in: 0..<cells, using: &random), Int.random(in: 0..<cells, using: &random)],
          isBox: Int.random(in: 0..<3, using: &random) == 0,
          isCalling: Int.random(in: 0..<3, using: &random) == 0))
      if number > 0 { plans[Int.random(in: 0..<number, using: &random)].children.append(number) }
    }
    let workspace = try Workspace()
    let log = workspace.file("host.evlog")
    let session = try Session(recordingTo: URL(filePath: log))
    let (board, plain) = (Board(cells), Board(cells))
    session.attach(board, as: "board")
    let host = TextHost(Branch(board: board, plans: plans, number: 0, input: 0), session)
    let plainHost = TextHost(Branch(board: plain, plans: plans, number: 0, input: 0), nil)
    var model = HostModel(plans, cells: cells)
    for frame in 0..<Int.random(in: 4...16, using: &random) {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let (cell, value) = (Int.random(in: 0..<cells, using: &random), Int.random(in: 0...4, using: &random))
        board.cells[cell].value = value
        plain.cells[cell].value = value
        model.write(value, to: cell)
      }
      expect(
        Set(session.invalidatedHosted.map(\.name)), model.outOfDate, "out of date before frame \(frame)")
      let lines = host.frame()
      expect(lines, plainHost.frame(), "with and without a session, frame \(frame)")
      expect(lines, model.frame(), "frame \(frame)")
    }
    expect(session.diagnostics.map(\.message), [], "diagnostics")
    try session.close()
    try check(LogSource(path: log, isScanned: true), model, runs: host.runs)
  }

  private func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
    if found != expected { faults.append("\(what):\n\(found)\ninstead of\n\(expected)") }
  }

  private func check(_ log: LogSource, _ model: HostModel, runs: Int) throws {
    var events: [Event] = []
    try log.reader.forEachEvent { events.append($0) }
    // The causes of the model: writes, and frames.
    let writes = events.filter { event in
      guard let path = event.body.writtenPath, path.root == .named("board"), !path.components.isEmpty else {
        return false
      }
      return path.components.first == .property("cells")
    }.map(\.seq)
    let frames = events.filter { $0.body.kind == .action }.map(\.seq)
    expect(writes.count, model.writes, "the number of writes")
    var found: [String] = []
    for event in events {
      guard case .evaluate(let name, _, let changed, _, _) = event.body else { continue }
      let cause: String =
        switch event.cause {
        case nil: "nothing"
        case let seq? where frames.contains(seq): "frame \(frames.firstIndex(of: seq)!)"
        case let seq?: writes.firstIndex(of: seq).map { "write \($0)" } ?? model.stateWrite
        }
      found.append("\(name) \(changed.map { "\($0)" } ?? "?") <- \(cause)")
    }
    expect(found.count, runs, "the host's own counter")
    expect(found.sorted(), model.runs.sorted(), "the runs")
    let verification = try Verification(log)
    expect(verification.isSound, true, "\(verification.findings)")
    expect(verification.explained, verification.evaluations, "the runs that are explained")
    guard faults.isEmpty else { return }
    for name in Set(events.compactMap { $0.body.kind == .evaluate ? $0.body.projectionName : nil }).sorted() {
      let steps = try WhyChain(of: name, at: nil, in: log).steps
      let texts = steps.compactMap(\.text)
      expect(texts.contains { $0.contains("its host ran it") }, false, "why \(name): \(texts)")
    }
  }
}

/// Knows the values, and which views have seen which.
struct HostModel {
  private final class Seen {
    var reads: Set<Int> = []
    var sum = 0
    var observed: Int?
    var input: Int?
    var line: String?
    /// Its last picture that was told, and that of its line.
    var picture: [String]?
    var linePicture: String?
    var count = 0
    /// The last write since the last run that changed what it has seen.
    var cause: String?
    var children: [Int] = []
    var hasRun = false
    var lineHasRun = false
  }

  /// The cause of a run for the state of a view, which a callback has set.
  let stateWrite = "its state"
  private let plans: [HostPlay.Plan]
  private var cells: [Int]
  private var seen: [Int: Seen] = [:]
  private(set) var writes = 0
  private var frames = 0
  private(set) var runs: [String] = []

  init(_ plans: [HostPlay.Plan], cells: Int) {
    self.plans = plans
    self.cells = Array(repeating: 0, count: cells)
  }

  var outOfDate: Set<String> { Set(seen.filter { $0.value.cause != nil }.map { "Branch#\($0.key)" }) }

  mutating func write(_ value: Int, to cell: Int) {
    if cells[cell] != value {
      for view in seen.values where view.reads.contains(cell) { view.cause = "write \(writes)" }
    }
    cells[cell] = value
    writes += 1
  }

  mutating func frame() -> [String] {
    var called: [Seen] = []
    let lines = draw(0, input: 0, parent: nil, &called)
    for view in called {
      view.count += 1
      view.cause = stateWrite
    }
    frames += 1
    return lines
  }

  /// - Parameter parent: The cause of the parent's run, if it has run in this frame.
  private mutating func draw(_ number: Int, input: Int, parent: String?, _ called: inout [Seen]) -> [String] {
    let plan = plans[number]
    let isNew = seen[number] == nil
    let view = seen[number] ?? Seen()
    seen[number] = view
    let runs = isNew || view.cause != nil || view.input != input
    var cause: String?
    if runs {
      let own = view.cause ?? parent ?? "frame \(frames)"
      cause = own
      var reads: Set<Int> = []
      let sum = HostPlay.sum(plan) { cell in
        reads.insert(cell)
        return cells[cell]
      }
      (view.reads, view.sum, view.input, view.cause) = (reads, sum, input, nil)
      if plan.isCalling {
        if let last = view.observed, last != sum { called.append(view) }
        view.observed = sum
      }
      view.line = "\(number):\(sum) \(input) \(view.count)"
      view.children = HostPlay.shown(plan, sum)
      for child in plan.children where !view.children.contains(child) { end(child) }
    }
    let text = view.line ?? ""
    if text != view.linePicture {
      self.runs.append("Line#\(number) \(view.linePicture == nil ? "?" : "true") <- \(cause ?? "nothing")")
      view.linePicture = text
    }
    var lines = [text]
    for child in view.children { lines += draw(child, input: view.sum % 2, parent: cause, &called) }
    if plan.isBox {
      let width = lines.map(\.count).max() ?? 0
      let edge = "+" + String(repeating: "-", count: width) + "+"
      lines =
        [edge] + lines.map { "|" + $0.padding(toLength: width, withPad: " ", startingAt: 0) + "|" } + [edge]
    }
    if let cause {
      let changed = view.picture.map { "\($0 != lines)" } ?? "?"
      self.runs.append("Branch#\(number) \(changed) <- \(cause)")
    }
    view.picture = lines
    return lines
  }

  private mutating func end(_ number: Int) {
    guard let view = seen.removeValue(forKey: number) else { return }
    for child in view.children { end(child) }
  }
}
