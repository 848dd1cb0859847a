import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

/// A flush that does not end by itself is stopped; then everything shows the state, but for the nodes that keep
/// it going, which alone are named.
@Suite struct EndlessFlushTests {
  @Recorded final class Page {
    var count = 0
    var other = 0
    var copy = 0
    var rows: [Int] = []
  }

  private let page = Page()
  private let session = Session()

  init() { session.attach(page, as: "page") }

  private var messages: [String] { session.diagnostics.map(\.message) }

  @Test func readersShowTheStateAfterAStopAndOnlyTheWriterIsNamed() {
    var (badge, doubled, rows): (Int?, Int?, [Int: Int]) = (nil, nil, [:])
    session.projection("Badge") { _ in badge = page.count }
    let double = session.derived("double") { page.count * 2 }
    session.projection("Doubled") { _ in doubled = double.value }
    session.projection("List") { list in
      for row in 0..<3 { list.child("Row", id: row) { _ in rows[row] = page.count + row } }
    }
    session.onChange(of: \.count, in: page, name: "Loop") { _, new in page.count = new + 1 }
    for start in [1, -500] {
      page.count = start
      #expect(page.count > start)
      #expect(badge == page.count && doubled == page.count * 2)
      #expect(rows == [0: page.count, 1: page.count + 1, 2: page.count + 2])
    }
    #expect(messages == ["stopped after 100 rounds: Loop keeps invalidating itself"])
  }

  @Test func nodesThatInvalidateEachOtherAreNamedAndAWriterBesideThemIsNot() {
    var (seen, copies) = (0, 0)
    session.onChange(of: \.count, in: page, name: "Copy") { _, new in page.copy = new }
    session.projection("Copies") { _ in copies = page.copy }
    session.onChange(of: \.count, in: page, name: "Ping") { _, new in page.other = new + 1 }
    session.onChange(of: \.other, in: page, name: "Pong") { _, new in page.count = new + 1 }
    session.projection("View") { _ in seen = page.count + page.other }
    page.count = 1
    #expect(
      messages == [
        "stopped after 100 rounds: these keep invalidating themselves or each other: Ping, Pong"
      ])
    #expect(seen == page.count + page.other)
    #expect(page.copy == page.count && copies == page.count, "Copy runs once more, and what reads its copy")
  }

  @Test func whatWasStoppedRunsAgainAfterAFurtherWrite() {
    var (isLoop, received, seen) = (true, 0, 0)
    session.projection("View") { _ in seen = page.count }
    session.onChange(of: \.count, in: page, name: "Loop") { _, new in
      received = new
      if isLoop { page.count = new + 1 }
    }
    page.count = 1
    #expect(page.count > 100 && seen == page.count)
    isLoop = false
    page.count = -7
    #expect(received == -7 && page.count == -7 && seen == -7)
    #expect(messages == ["stopped after 100 rounds: Loop keeps invalidating itself"])
  }

  @Test func aChildThatWritesWhatItsParentReadsIsStoppedAndTheParentShowsTheState() {
    var shown: (parent: Int, child: Int) = (0, 0)
    session.projection("Parent") { parent in
      let count = page.count
      let child = parent.child("Child", input: count) { _ -> Int in
        if count > 0 { page.count = count + 1 }
        return count
      }
      shown = (count, child)
    }
    page.count = 1
    #expect(messages == ["stopped after 100 rounds: Child keeps invalidating itself"])
    #expect(shown.parent == page.count)
    page.count = -3
    #expect(shown.parent == -3 && shown.child == -3)
  }

  @Test func bodiesThatMakeANewWriterEachTimeAreStoppedToo() {
    var (runs, seen) = (0, 0)
    session.projection("View") { _ in seen = page.count }
    session.projection("Parent") { parent in
      let count = page.count
      runs += 1
      parent.child("Child", id: count) { _ in if count > 0 { page.count = count + 1 } }
    }
    page.count = 1
    #expect(runs < 1_000)
    #expect(page.count > 100 && seen == page.count)
    #expect(messages.count == 1 && messages.first?.hasPrefix("stopped after 100 rounds: ") == true)
    page.count = 0
    #expect(page.count == 0)
  }

  @Test func aReceiverThatMultipliesItsCallsIsStoppedAndOneThatListensBesideItIsNot() {
    var (heard, last, view) = (0, 0, 0)
    session.onReceive(of: \.count, in: page, name: "Listener") { value in
      heard += 1
      last = value
    }
    session.onReceive(of: \.count, in: page, name: "Double") { value in
      page.count = value + 1
      page.count = value + 2
    }
    session.projection("View") { _ in view = page.count }
    page.count = 1
    #expect(messages == ["stopped after 10000 calls: Double keeps setting what it receives"])
    #expect(view == page.count && last == page.count)
    #expect(heard > 10_000, "it received each set")
  }

  @Test func theLogOfAStoppedFlushAgreesWithItself() throws {
    let log = try events(of: Rows(), expecting: ["stopped after 100 rounds: Loop keeps invalidating itself"])
    {
      session, row in
      session.projection("View") { _ in row.plain }
      session.onChange(of: \.plain, in: row, name: "Loop") { _, new in row.plain = new + 1 }
      row.plain = 5
    }
    let marks = log.compactMap { if case .mark(let label) = $0.body { label } else { nil } }
    #expect(marks == ["diagnostic: stopped after 100 rounds: Loop keeps invalidating itself"])
  }

  /// Records a session with one object, checks its log and returns its events.
  private func events(
    of row: Rows, expecting diagnostics: [String], _ body: (Session, Rows) -> Void
  ) throws -> [Event] {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    session.attach(row, as: "row")
    body(session, row)
    #expect(session.diagnostics.map(\.message) == diagnostics)
    try closeAndCheck(session, url)
    var events: [Event] = []
    try LogReader(path: url.path).forEachEvent { events.append($0) }
    return events
  }

  // MARK: Random programs

  @Recorded final class Cells {
    var a = 0
    var b = 0
    var c = 0
    var d = 0
    var e = 0
  }

  private static var cells: [ReferenceWritableKeyPath<Cells, Int>] { [\.a, \.b, \.c, \.d, \.e] }

  /// A callback that copies one cell to another, with a change, so that a circle of them never ends.
  private struct Step {
    let from: Int
    let to: Int
    let isReceiver: Bool
    /// It stops by itself when the cell exceeds this.
    let limit: Int
  }

  /// In random programs of callbacks that write and projections that read, every flush ends, each projection then
  /// shows the state, and only callbacks on a circle are named.
  @Test(arguments: 0..<200 as Range<UInt64>) func inRandomProgramsProjectionsShowTheStateWhateverCallbacksDo(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed &* 977 &+ 13)
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let cells = Cells()
    session.attach(cells, as: "cells")
    func upTo(_ max: Int) -> Int { Int(random.next() % UInt64(max + 1)) }
    let steps = (0..<(1 + upTo(4))).map { _ in
      Step(from: upTo(4), to: upTo(4), isReceiver: upTo(4) == 0, limit: upTo(2) == 0 ? upTo(40) : .max)
    }
    var shown: [Int: [Int]] = [:]
    let readers = (0..<(1 + upTo(4))).map { _ in (0...upTo(2)).map { _ in upTo(4) } }
    let waiting: [() -> Void] =
      steps.enumerated().map { number, step in
        let (from, to) = (Self.cells[step.from], Self.cells[step.to])
        let write = { (value: Int) in if value < step.limit { cells[keyPath: to] = value &+ 1 } }
        return {
          if step.isReceiver {
            session.onReceive(of: from, in: cells, name: "step \(number)") { write($0) }
          } else {
            session.onChange(of: from, in: cells, name: "step \(number)") { write($1) }
          }
        }
      }
      + readers.enumerated().map { number, reads in
        let derived = number % 2 == 0
        return {
          func values() -> [Int] { reads.map { cells[keyPath: Self.cells[$0]] } }
          let value = derived ? session.derived("sum \(number)") { values() } : nil
          session.projection("View \(number)") { _ in shown[number] = value?.value ?? values() }
        }
      }
    for begin in waiting.shuffled(using: &random) { begin() }
    for _ in 0..<4 {
      cells[keyPath: Self.cells[upTo(4)]] = upTo(3)
      for (number, reads) in readers.enumerated() {
        #expect(
          shown[number] == reads.map { cells[keyPath: Self.cells[$0]] }, "seed \(seed), View \(number)")
      }
    }
    for message in session.diagnostics.map(\.message) {
      #expect(message.hasPrefix("stopped after "), "\(message)")
      for (number, step) in steps.enumerated() where message.contains("step \(number)") {
        #expect(Self.leads(from: step.to, to: step.from, by: steps), "seed \(seed): \(message)")
      }
      #expect(!message.contains("View") && !message.contains("sum"))
    }
    let mayLoop = steps.contains { $0.limit == .max && Self.leads(from: $0.to, to: $0.from, by: steps) }
    if !mayLoop, !steps.contains(where: { Self.leads(from: $0.to, to: $0.from, by: steps) }) {
      #expect(session.diagnostics == [])
    }
    try closeAndCheck(session, url)
  }

  /// Whether steps lead from one cell to another.
  private static func leads(from: Int, to: Int, by steps: [Step]) -> Bool {
    var reached: Set = [from]
    for _ in steps { for step in steps where reached.contains(step.from) { reached.insert(step.to) } }
    return reached.contains(to)
  }
}
