import EventLog
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Shapes of which there is no sample: each as a program that has it, and as a twin that does not.
@Suite struct LintProgramTests {
  @Recorded final class Meter {
    var level = 0
    var limit = 100
    var warnings = 0
    var label = ""
    var lines: [Line] = []
  }

  struct Line: Identifiable {
    var id: Int
    var text: String
  }

  private func report(_ name: String, _ program: (Session, Meter) -> Void) throws -> LintReport {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, name) { session in
      let meter = Meter()
      session.attach(meter, as: "meter")
      program(session, meter)
    }
    let report = try LintReport.of(recorded.log)
    for finding in report.findings { try finding.expectThatTheFixHelps() }
    return report
  }

  @Test func setsToWhatAPlaceIsAreFound() throws {
    let churn = try report("churn") { session, meter in
      session.projection("Gauge", tracking: .object) { _ in "\(meter.level)" }
      for step in 0..<30 { meter.level = step / 3 }
    }
    #expect(churn.findings.map(\.rule) == [.sameValue])
    #expect(churn.findings.first?.path == "meter.level")
    #expect(churn.findings.first?.message == "meter.level was set 30 times, 21 of them to what it was.")
    #expect(churn.findings.first?.evidence.writes == 21)
    let compared = try report("compared") { session, meter in
      session.projection("Gauge", tracking: .object) { _ in "\(meter.level)" }
      for step in 0..<30 where meter.level != step / 3 { meter.level = step / 3 }
    }
    #expect(compared.findings.isEmpty)
  }

  @Test func aDerivedValueThatStaysEqualIsFound() throws {
    let equal = try report("equal") { session, meter in
      let isLoud = session.derived("isLoud") { meter.level > meter.limit }
      session.projection("Warning") { _ in isLoud.value ? "loud" : "" }
      for step in 1...30 { meter.level = step }
    }
    #expect(equal.findings.map(\.rule) == [.equalDerived])
    #expect(
      equal.findings.first?.message
        == "isLoud was computed 30 times, 30 of them to an equal result, most often because of meter.level.")
    let different = try report("different") { session, meter in
      let double = session.derived("double") { 2 * meter.level }
      session.projection("Warning") { _ in "\(double.value)" }
      for step in 1...30 { meter.level = step }
    }
    #expect(different.findings.isEmpty)
  }

  @Test func aListWhoseElementsAreOthersAtEachRefreshIsFound() throws {
    func list(_ name: String, id: @escaping (_ line: Int, _ refresh: Int) -> Int) throws -> LintReport {
      try report(name) { session, meter in
        meter.lines = (0..<40).map { Line(id: id($0, 0), text: "line \($0)") }
        session.projection("List") { list in
          for line in meter.lines { list.child("Line", id: line.text) { _ in line.text } }
          return "\(meter.lines.count)"
        }
        for refresh in 1...4 {
          meter.lines = (0..<40).map { Line(id: id($0, refresh), text: $0 == refresh ? "new" : "line \($0)") }
        }
      }
    }
    let others = try list("others") { line, refresh in 100 * refresh + line }
    #expect(others.findings.map(\.rule).contains(.wholesaleChange))
    let same = try list("same") { line, _ in line }
    #expect(!same.findings.map(\.rule).contains(.wholesaleChange))
  }

  @Test func aCallbackThatWakesItselfIsFound() throws {
    let endless = try report("endless") { session, meter in
      session.onChange(of: \.level, in: meter) { _, new in if new % 8 != 0 { meter.level += 1 } }
      for step in 1...3 { meter.level = 16 * step + 1 }
    }
    #expect(endless.findings.map(\.rule) == [.selfWake])
    #expect(
      endless.findings.first?.message
        == "onChange(meter.level) was woken by meter.level up to 8 times in a row, by what it had led to itself, in 3"
        + " chains of causes.")
    // One that corrects what it hears of is woken once more, and one that writes something else is not.
    let other = try report("other") { session, meter in
      session.onChange(of: \.level, in: meter) { _, new in
        if new > 100 { meter.level = 100 }
        meter.warnings += 1
      }
      for step in 1...3 { meter.level = 100 + step }
    }
    #expect(other.findings.isEmpty)
  }

  @Test func aParentThatHandsItsChildrenInputsIsNoHotParent() throws {
    func chat(_ hasInput: Bool) throws -> LintReport {
      try report("chat\(hasInput)") { session, meter in
        session.projection("Chat", tracking: .property) { chat in
          for row in 0..<12 {
            if hasInput {
              chat.child("Line", id: row, input: row) { _ in row }
            } else {
              chat.child("Line", id: row) { _ in row }
            }
          }
          return meter.level
        }
        for step in 1...100 { meter.level = step }
      }
    }
    #expect(try chat(false).findings.map(\.rule) == [.hotParent])
    #expect(try chat(true).findings.isEmpty)
  }

  @Test func twoPathsThatChangeAlikeAreNotMixed() throws {
    func card(_ labels: Int) throws -> LintReport {
      try report("card\(labels)") { session, meter in
        session.projection("Card", tracking: .property) { card in
          card.child("Title") { _ in "title" }
          return "\(meter.level) \(meter.label)"
        }
        for step in 1...20 { meter.level = step }
        for step in 0..<labels { meter.label = "\(step)" }
      }
    }
    #expect(try card(1).findings.map(\.rule) == [.mixedReads])
    #expect(try card(15).findings.isEmpty)
  }
}
