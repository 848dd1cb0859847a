import LogGenerator
import Projection
import Testing

@testable import ReplayTool

/// How much of a cascade is printed.
@Suite struct CascadeTextTests {
  @Recorded final class Pair {
    var left = 0
    var right = 0
  }

  @Test func writesThatLeadToThemselvesAreShownOnce() throws {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "loop") { session in
      let pair = Pair()
      session.attach(pair, as: "pair")
      session.onChange(of: \.left, in: pair) { _, new in if new < 40 { pair.right = new + 1 } }
      session.onChange(of: \.right, in: pair) { _, new in if new < 40 { pair.left = new + 1 } }
      pair.left = 1
    }
    let lines = ToolRun("cascades", recorded.log).lines
    #expect(lines.count < 12, "\(lines.joined(separator: "\n"))")
    let again = try #require(lines.first { $0.contains("the same again, ") })
    let whole = ToolRun("cascades", recorded.log, "--limit", "0").lines
    // Each value up to 40 is one write: that at the root, those that are shown, and those that are not.
    let writes = whole.count { $0.contains("set pair.") }
    let shown = lines.count { $0.contains("set pair.") }
    #expect(writes == 40)
    #expect(
      again.contains("the same again, \((writes - shown + 1) / 2) times within each other: "), "\(again)")
  }

  @Test func cascadesOfTheSameViewsInOtherNumbersAreSummedUp() throws {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "rows") { session in
      let pair = Pair()
      session.attach(pair, as: "pair")
      session.projection("List") { list in
        for row in 0..<pair.left { list.child("Row", id: row) { _ in row } }
      }
      for count in 1...5 { pair.left = count }
    }
    let lines = ToolRun("cascades", recorded.log).lines
    #expect(lines.count { $0.contains("set pair.left") } == 1, "\(lines)")
    // The first four have one to four rows, and each runs the list.
    #expect(
      lines.contains { $0.contains("and 4 cascades of the same views in other numbers: 14 evaluations, ") },
      "\(lines)")
    let whole = ToolRun("cascades", recorded.log, "--limit", "0").lines
    #expect(whole.count { $0.contains("set pair.left") } == 5, "\(whole)")
  }

  @Test func aTreeOfManyLinesIsCut() throws {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "wide") { session in
      let pair = Pair()
      session.attach(pair, as: "pair")
      for number in 0..<90 {
        session.projection("View\(number)") { pair.left + number }
      }
      pair.left = 1
    }
    let lines = ToolRun("cascades", recorded.log).lines
    #expect(lines.contains("    and 30 more lines; --limit 0 shows all"), "\(lines.joined(separator: "\n"))")
    #expect(ToolRun("cascades", recorded.log, "--limit", "0").lines.count > 90)
  }
}
