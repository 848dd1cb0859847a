import EventLog
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis

/// Views that show what was before while their host goes on drawing, and what only looks like it.
@Suite struct OutOfDateTests {
  @Recorded final class Board {
    var texts: RecordedArray<Int>
    var frame = 0
    init(_ count: Int) { texts = RecordedArray(Array(repeating: 0, count: count)) }
  }

  /// A host that draws a list and its rows once a frame.
  private struct Host {
    let board: Board
    let list: HostedProjection
    let rows: [HostedProjection]
    let session: Session

    init(_ session: Session, rows count: Int) {
      let board = Board(count)
      session.attach(board, as: "board")
      let list = session.hosted("List", tracking: .element)
      self.board = board
      self.list = list
      self.session = session
      rows = (0..<count).map { session.hosted("Row", id: $0, parent: list, tracking: .element) }
    }

    func frame(_ draw: (Int) -> Void) {
      list.run { board.frame }
      for row in rows.indices { draw(row) }
      session.endHostTurn()
    }

    func draw(_ row: Int) { rows[row].run { board.texts[row] } }
  }

  private func findings(
    rows: Int, _ program: (Host) -> Void
  ) throws -> (found: [LintReport.Finding], events: [Event]) {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "board") { program(Host($0, rows: rows)) }
    var events: [Event] = []
    try LogReader(path: recorded.log).forEachEvent { events.append($0) }
    return (try LintReport.of(recorded.log).findings.filter { $0.rule == .outOfDate }, events)
  }

  /// The event that put a projection out of date for the last time but those that found it out of date already, and how often
  /// its host's list ran after that.
  private func stay(of name: String, in events: [Event]) throws -> (since: UInt64, turns: Int) {
    var since: UInt64?
    var turns = 0
    for event in events {
      switch event.body {
      case .invalidate(name, _) where since == nil: (since, turns) = (event.cause, 0)
      case .evaluate(name, _, _, _, _): since = nil
      case .evaluate("List", _, _, _, _): turns += 1
      default: break
      }
    }
    return (try #require(since), turns)
  }

  @Test func aRowThatIsLeftOutWhileAllOthersAreDrawnIsFound() throws {
    let (found, events) = try findings(rows: 8) { host in
      host.frame(host.draw)
      host.board.texts[3] = 1
      for frame in 0..<40 {
        host.board.texts[frame % 3] += 1
        host.frame { if $0 != 3 { host.draw($0) } }
      }
    }
    let (since, turns) = try stay(of: "Row#3", in: events)
    #expect(turns == 40)
    #expect(
      found.map(\.message) == [
        "Row#3 has been out of date since event \(since), while its host drew 40 more turns without it: all 7 others beside it"
          + " ran, in 40 turns."
      ])
    #expect(found.first?.isNote == false && found.first?.projection == "Row")
  }

  @Test func aHostThatSkipsForAnEqualInputWhatIsOutOfDateIsFound() throws {
    func skipping(_ mustRun: @escaping (HostedProjection, Int) -> Bool) throws -> [LintReport.Finding] {
      try findings(rows: 6) { host in
        func draw(_ row: Int) {
          if mustRun(host.rows[row], row) {
            host.rows[row].run(input: row) { host.board.texts[row] }
          } else {
            host.rows[row].skip()
          }
        }
        host.frame { row in _ = host.rows[row].run(input: row) { host.board.texts[row] } }
        for frame in 0..<30 {
          if frame % 10 == 0 { for row in 0..<6 { host.board.texts[row] += 1 } }
          host.frame(draw)
        }
      }.found
    }
    let skipped = try skipping { _, _ in false }
    #expect(skipped.count == 1 && skipped.first?.isNote == false)
    let message = try #require(skipped.first?.message)
    #expect(
      message.contains("30 more turns without it: its host skipped it 30 times for an equal input"),
      "\(message)")
    #expect(try skipping { row, input in !row.isCurrent(for: input) }.isEmpty)
  }

  @Test func rowsThatRunOnlyForAnotherInputAreFound() throws {
    let (found, _) = try findings(rows: 16) { host in
      host.frame { row in _ = host.rows[row].run(input: 0) { host.board.texts[row] } }
      for frame in 0..<64 {
        for row in 0..<16 { host.board.texts[row] += 1 }
        // A row that is handed something else as soon as it is out of date could also have run for what it reads.
        host.frame { row in
          if frame >= 16, frame % 16 == row { host.rows[row].run(input: frame + 1) { host.board.texts[row] } }
        }
      }
    }
    #expect(found.count == 1 && found.first?.isNote == false)
    #expect(
      found.first?.message.contains("Row runs when it is handed something else, and never for what it reads")
        == true)
  }

  @Test func rowsThatScrollOutAndInAreNotFound() throws {
    func scrolling(_ frames: Int) throws -> [LintReport.Finding] {
      try findings(rows: 20) { host in
        host.frame(host.draw)
        for frame in 0..<frames {
          for row in 0..<20 { host.board.texts[row] += 1 }
          // Eight are on screen: first those above, then those below.
          let shown = frame < 30 ? 0..<8 : frame < 60 ? 12..<20 : 0..<20
          host.frame { if shown.contains($0), host.rows[$0].isInvalidated { host.draw($0) } }
        }
      }.found
    }
    #expect(try scrolling(80).isEmpty)
    // As long as they have not come back, nobody can tell.
    let away = try scrolling(50)
    #expect(away.map(\.isNote) == [true])
    #expect(away.first?.message.contains("the log cannot tell whether it is off screen") == true)
  }

  @Test func aHostThatRunsWhatIsOutOfDateIsNotFound() throws {
    let (found, _) = try findings(rows: 8) { host in
      host.frame(host.draw)
      for frame in 0..<60 {
        host.board.texts[frame % 8] += 1
        host.frame { if host.rows[$0].isInvalidated { host.draw($0) } }
      }
    }
    #expect(found.isEmpty)
  }
}
