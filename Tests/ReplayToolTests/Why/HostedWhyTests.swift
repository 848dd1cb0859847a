import LogGenerator
import Projection
import Testing

@testable import ReplayTool

/// `why` of runs that a host makes for reasons of its own.
@Suite struct HostedWhyTests {
  @Recorded final class Counter { var count = 0 }

  private func log(in workspace: Workspace, _ program: (Session, Counter) -> Void) throws -> String {
    try RecordedProgram(in: workspace, "frames") { session in
      let counter = Counter()
      session.attach(counter, as: "counter")
      program(session, counter)
    }.log
  }

  @Test(arguments: [true, false])
  func aChildRanBecauseItsParentDid(isNested: Bool) throws {
    let workspace = try Workspace()
    let log = try log(in: workspace) { session, counter in
      let root = session.hosted("Root")
      let rows = (0..<5).map { session.hosted("Row", id: $0, parent: root) }
      func draw() { for row in rows { row.run { counter.count } } }
      for _ in 0..<4 {
        if isNested {
          root.run { draw() }
        } else {
          root.run { 0 }
          draw()
        }
        session.endHostTurn()
      }
    }
    let why = ToolRun("why", log, "Row#3").output
    #expect(!why.contains("nothing woke it"), "\(why)")
    let lines = why.split(separator: "\n").map { $0.drop { $0 == " " } }
    #expect(lines.dropFirst().first == "<- ran because its parent Root did", "\(why)")
    #expect(lines.last == "<- its host ran it, though nothing that it read had changed", "\(why)")
    // The parent's run is that of the same frame: the fourth.
    let runs = ToolRun("events", log, "--projection", "Root", "--limit", "0").output.split(separator: "\n")
      .filter { $0.contains("evaluate Root") }
    let seq = try #require(runs.last?.split(separator: " ").first)
    #expect(why.contains("event \(seq)"), "\(why)\n\(runs)")
  }

  @Test func whatABodySetsLeadsToTheRunOfTheHost() throws {
    let workspace = try Workspace()
    let log = try log(in: workspace) { session, counter in
      let view = session.hosted("Row")
      for number in 1...2 {
        view.run { counter.count = number }
        session.endHostTurn()
      }
    }
    let events = ToolRun("events", log, "--limit", "0").output.split(separator: "\n")
    for number in 1...2 {
      let set = try #require(events.firstIndex { $0.contains("set counter.count = \(number)") })
      let mark = events[set - 1].prefix { $0 != " " }
      #expect(events[set - 1].contains("run by its host: Row"), "\(events)")
      #expect(events[set].hasSuffix("<- \(mark)"), "\(events)")
    }
  }

  @Test func aFirstRunIsOne() throws {
    let workspace = try Workspace()
    let log = try log(in: workspace) { session, counter in
      let root = session.hosted("Root"), row = session.hosted("Row", parent: root)
      root.run { row.run { counter.count } }
    }
    let why = ToolRun("why", log, "Row").output
    #expect(
      why.contains("<- ran because its parent Root did") && why.hasSuffix("<- its first evaluation\n"),
      "\(why)")
  }

  @Test func aRunOfAHostWithAnotherInputSaysSo() throws {
    let workspace = try Workspace()
    let log = try log(in: workspace) { session, counter in
      let row = session.hosted("Row")
      for input in 0..<2 { row.run(input: input) { counter.count } }
    }
    #expect(ToolRun("why", log, "Row").output.hasSuffix("<- its host ran it, with another input\n"))
  }

  @Test func framesWithinActionsAreExplained() throws {
    let workspace = try Workspace()
    let log = try log(in: workspace) { session, counter in
      let root = session.hosted("Root")
      for _ in 0..<3 { session.action("frame") { root.run { counter.count } } }
    }
    #expect(ToolRun("verify", log).status == .done)
    #expect(ToolRun("why", log, "Root").output.contains("<- action frame"))
  }

  @Test(arguments: [false, true])
  func aChildInAFrameRanBecauseItsParentDid(isDrawnLater: Bool) throws {
    let workspace = try Workspace()
    let log = try log(in: workspace) { session, counter in
      let root = session.hosted("Root", fileID: nil)
      let row = session.hosted("Row", id: 3, parent: root, fileID: nil)
      for frame in 0..<4 {
        if frame == 3 { counter.count += 1 }
        session.frame {
          root.run { counter.count }
          // What a framework sets meanwhile does not come between the two.
          let state = Counter()
          row.attach(state, as: "state")
          state.count += 1
          row.run { 0 }
          if isDrawnLater {
            row.drew("0")
            root.drew("\(counter.count)")
          }
        }
      }
    }
    #expect(ToolRun("verify", log).status == .done)
    let runs = ToolRun("events", log, "--projection", "Row#3", "--limit", "0").output.split(separator: "\n")
      .filter { $0.contains("evaluate Row#3") }
    for (frame, run) in runs.enumerated() {
      let seq = try #require(run.split(separator: " ").first)
      let why = ToolRun("why", log, "Row#3", "--at", "\(seq)").output
      #expect(why.contains("<- ran because its parent Root did"), "\(why)")
      #expect(why.contains(frame == 3 ? "<- set counter.count" : "<- action frame"), "\(why)")
    }
    #expect(runs.count == 4)
  }
}
