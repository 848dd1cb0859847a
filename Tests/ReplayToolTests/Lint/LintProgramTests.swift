import EventLog
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Problems without a sample: each as a program that has the problem, and as a twin that does not.
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
    for finding in report.findings where finding.predicted != nil && !finding.whatIf.isEmpty {
      try finding.expectThatTheFixHelps()
    }
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
    #expect(churn.isWorthChanging)
    #expect(churn.findings.first?.evidence.writes == 21)
    let compared = try report("compared") { session, meter in
      session.projection("Gauge", tracking: .object) { _ in "\(meter.level)" }
      for step in 0..<30 where meter.level != step / 3 { meter.level = step / 3 }
    }
    #expect(compared.findings.isEmpty)
  }

  @Test func setsToWhatPlacesAreThatWakeNobodyAreOneFinding() throws {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "quiet") { session in
      let meter = Meter()
      session.attach(meter, as: "meter")
      session.projection("Gauge") { "\(meter.level) \(meter.limit) \(meter.warnings) \(meter.label)" }
      let followed = Meter()
      session.attach(followed, as: "followed")
      session.projection("Follower", tracking: .object) { followed.level }
      for step in 0..<30 {
        meter.level = 0
        if step < 25 { meter.limit = 100 }
        if step < 20 { meter.warnings = 0 }
        if step < 15 { meter.label = "" }
        followed.level = step / 3
      }
    }
    let findings = try LintReport.of(recorded.log).findings.filter { $0.rule == .sameValue }
      .sorted { $0.isNote && !$1.isNote }
    #expect(findings.map(\.path) == ["meter.level", "followed.level"])
    #expect(
      findings.first?.message
        == "4 paths were set 90 times, 90 of them to what they were, which woke nobody: meter.level (30), meter.limit"
        + " (25), meter.warnings (20) and 1 more.")
    #expect(findings.first?.evidence.writes == 90)
    #expect(findings.map(\.isNote) == [true, false])
  }

  @Test func aProjectionThatReadsMoreThanItShowsIsFound() throws {
    let alarm = try report("alarm") { session, meter in
      session.projection("Alarm") { meter.level > meter.limit ? "loud" : "" }
      for step in 1...30 { meter.level = step }
    }
    #expect(alarm.findings.map(\.rule) == [.excessReads])
    #expect(
      alarm.findings.first?.message
        == "Alarm ran 30 times because of meter.level, 30 of them to draw the same.")
    // The fix is a derived value, which pays for itself although it mostly stays the same.
    let derived = try report("derived") { session, meter in
      let isLoud = session.derived("isLoud") { meter.level > meter.limit }
      session.projection("Alarm") { isLoud.value ? "loud" : "" }
      for step in 1...30 { meter.level = step }
    }
    #expect(derived.findings.isEmpty)
    let showing = try report("showing") { session, meter in
      session.projection("Alarm") { "\(meter.level)" }
      for step in 1...30 { meter.level = step }
    }
    #expect(showing.findings.isEmpty)
  }

  @Test func aFloodOfObjectsIsFoundWithoutAPredictionThatLeavesThemOut() throws {
    let workspace = try Workspace()
    var lines = [
      #"{"kind":"set","path":"app","value":{"$object":"App#1","draft":null,"level":0}}"#,
      #"{"kind":"projection","projection":"Editor","tracking":"property"}"#,
      #"{"kind":"reads","projection":"Editor","added":["app.draft","app.level"]}"#,
      #"{"kind":"evaluate","projection":"Editor","duration_ns":10,"changed":true}"#,
    ].map { $0.replacing(#"{"kind""#, with: #"{"time_ns":1,"kind""#) }
    var time = 0
    func add(_ fields: String) { lines.append(#"{"time_ns":\#(time),\#(fields)}"#) }
    func addSet(_ path: String, _ value: String) {
      add(#""kind":"set","path":"app.\#(path)","value":\#(value)"#)
      let write = lines.count
      add(#""kind":"invalidate","projection":"Editor","causes":[\#(write)],"cause":\#(write)"#)
      let run = #""kind":"evaluate","projection":"Editor","duration_ns":10,"changed":true"#
      add(run + #","cause":\#(lines.count)"#)
    }
    // Each draft is created, removed 3 ms later, and forgotten.
    for draft in 2..<402 {
      time += 3_000_000
      addSet("draft", #"{"$object":"Draft#\#(draft)"}"#)
      time += 3_000_000
      addSet("draft", "null")
      add(##""kind":"remove","path":"#\##(draft)""##)
      addSet("level", "\(draft)")
    }
    let text = lines.enumerated().map { #"{"seq":\#($0 + 1),"# + $1.dropFirst() }.joined(separator: "\n")
    let log = workspace.file("drafts.evlog")
    let imported = ToolRun("import", try workspace.write(text, to: "drafts.jsonl"), "-o", log)
    #expect(imported.status == .done, "\(imported.errors)")
    let floods = try LintReport.of(log).findings.filter { $0.rule == .flood }
    #expect(Set(floods.compactMap(\.path)) == ["app.draft", "app.level"])
    for flood in floods {
      #expect(flood.whatIf.isEmpty == (flood.path == "app.draft"))
      if !flood.whatIf.isEmpty { try flood.expectThatTheFixHelps() }
    }
    // If the rule is requested, the output says what could not be left out.
    let predicted = ToolRun("what-if", log, "--throttle", "app.draft=250ms")
    #expect(predicted.status == .done, "\(predicted.errors)")
  }

  @Test func whatTheSessionReportedIsFound() throws {
    struct Style {
      let draw: () -> Void
    }
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, "mistakes") { session in
      let (meter, forgotten, taken) = (Meter(), Meter(), Meter())
      let other = Session()
      defer { withExtendedLifetime(other) {} }
      other.attach(taken, as: "taken")
      session.attach(taken, as: "taken")
      session.attach(meter, as: "meter")
      session.projection("List") { list in
        list.child("Row", id: 1, input: Style {}) { 0 }
        return meter.level
      }
      session.projection("Forgotten") { forgotten.level }
      meter.level = 1
    }
    let report = try LintReport.of(recorded.log)
    #expect(report.findings.allSatisfy { $0.rule == .diagnostic })
    let messages = report.findings.map(\.message)
    for start in [
      "Row's input of type Style cannot be compared, ", "Forgotten reads a Meter that is not attached, ",
      "a Meter was not recorded, because another session records it; ",
    ] {
      #expect(messages.count { $0.hasPrefix(start) } == 1, "\(messages)")
    }
    #expect(report.findings.count == 3 + (messages.contains { $0.hasPrefix("Taken") } ? 1 : 0))
    // The log has each diagnostic in the words of `ReportedDiagnostic`, by which lint recognises a child.
    let marks = try LogSource(path: recorded.log).events(from: 1).compactMap { event in
      if case .mark(let label) = event.body { ReportedDiagnostic(label: label) } else { nil }
    }
    #expect(Set(messages) == Set(marks.map { $0.message + "." }))
    #expect(marks.compactMap(\.incomparableChild) == ["Row"])
    let input = try #require(report.findings.first { $0.projection == "Row" })
    #expect(input.whatIf.hasSuffix("--input Row"))
    #expect(input.sites.view?.contains("LintProgramTests.swift:") == true)
  }

  /// A path that is set 200 times a second for three seconds, and a view that is woken by each set.
  @Test(arguments: [1, 25]) func whatIsThrottledAlreadyIsNoFlood(setsOfARun: Int) throws {
    let workspace = try Workspace()
    var lines = #"""
      {"kind":"set","path":"meter","value":{"$object":"Meter","level":0}}
      {"kind":"projection","projection":"Gauge"}
      {"kind":"reads","projection":"Gauge","paths":["meter.level"]}
      {"kind":"evaluate","projection":"Gauge","duration_ns":10,"changed":true}

      """#
    var seq = 4
    for step in 1...600 {
      seq += 1
      lines += #"{"time_ns":\#(5_000_000 * step),"kind":"set","path":"meter.level","value":\#(step)}"# + "\n"
      if step % setsOfARun == 0 {
        lines += #"{"kind":"evaluate","projection":"Gauge","duration_ns":10,"changed":true,"#
        lines += #""cause":\#(seq)}"# + "\n"
        seq += 1
      }
    }
    let rules = try LintReport.of(workspace.log(lines)).findings.map(\.rule)
    #expect(rules == (setsOfARun == 1 ? [.flood] : []))
  }

  /// It saves the runs of what reads it, which would compute it themselves.
  @Test func aDerivedValueThatStaysEqualIsNoFinding() throws {
    let equal = try report("equal") { session, meter in
      let isLoud = session.derived("isLoud") { meter.level > meter.limit }
      session.projection("Warning") { _ in isLoud.value ? "loud" : "" }
      for step in 1...30 { meter.level = step }
    }
    #expect(equal.findings.isEmpty)
  }

  @Recorded final class Gauge { var name = "a" }

  @Recorded final class Wall {
    var gauge = Gauge()
    var lines = RecordedArray((0..<30).map { Line(id: $0, text: "1") })
  }

  private func wallFindings(_ name: String, _ program: (Session, Wall) -> Void) throws -> [LintReport.Finding]
  {
    let workspace = try Workspace()
    let recorded = try RecordedProgram(in: workspace, name) { session in
      let wall = Wall()
      session.attach(wall, as: "wall")
      program(session, wall)
    }
    return try LintReport.of(recorded.log).findings
  }

  @Test func anotherObjectOfTheSameContentIsFound() throws {
    let copied = try wallFindings("copied") { session, wall in
      session.projection("Name") { wall.gauge.name }
      for _ in 0..<12 { wall.gauge = Gauge() }
    }
    let found = copied.first { $0.rule == .replacedObject }
    #expect(found?.path == "wall.gauge", "\(copied.map(\.message))")
    let kept = try wallFindings("kept") { session, wall in
      session.projection("Name") { wall.gauge.name }
      for step in 0..<12 { wall.gauge.name = "b\(step)" }
    }
    #expect(!kept.contains { $0.rule == .replacedObject })
  }

  @Test func whatEachComputesOfAllElementsIsFound() throws {
    let summed = try wallFindings("summed") { session, wall in
      for cell in 0..<12 {
        session.projection("Cell#\(cell)") { () -> Bool in
          wall.lines.indices.reduce(0) { $0 + wall.lines[$1].text.count } > 1_000 * (cell + 1)
        }
      }
      for step in 0..<12 { wall.lines[step].text = "\(step)" }
    }
    let rules = Set(summed.map(\.rule))
    #expect(rules.contains(.aggregate), "\(summed.map(\.message))")
    #expect(summed.allSatisfy { !$0.message.contains("to show one element") }, "\(summed.map(\.message))")
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
        == "meter.level -> onChange(meter.level) -> meter.level: up to 8 rounds in 3 chains of causes.")
    // A callback that corrects the value that woke it is woken once more; one that writes something else is
    // not.
    let other = try report("other") { session, meter in
      session.onChange(of: \.level, in: meter) { _, new in
        if new > 100 { meter.level = 100 }
        meter.warnings += 1
      }
      for step in 1...3 { meter.level = 100 + step }
    }
    #expect(other.findings.isEmpty)
  }

  @Test func whatABodyMakesAnewIsFound() throws {
    func panel(_ isMadeInBody: Bool) throws -> LintReport {
      try report("panel\(isMadeInBody)") { session, meter in
        let kept = session.derived("warning") { meter.level > 50 }
        session.projection("Panel") {
          _ = isMadeInBody ? session.derived("isHigh") { meter.level > 10 }.value : kept.value
          return "\(meter.level)"
        }
        for step in 1...30 { meter.level = step }
      }
    }
    let found = try panel(true).findings.filter { $0.rule == .madeInBody }
    #expect(found.map(\.projection) == ["Panel"])
    #expect(found.first?.message.hasPrefix("Panel made the derived value isHigh anew in ") == true)
    #expect(try panel(false).findings.isEmpty)
  }

  @Test func whatNobodyReadsIsANote() throws {
    func ticking(_ isRead: Bool) throws -> LintReport {
      try report("ticking\(isRead)") { session, meter in
        session.projection("Gauge") { isRead ? "\(meter.level) \(meter.warnings)" : "\(meter.level)" }
        for step in 1...120 {
          meter.warnings = step
          if step % 4 == 0 { meter.level = step }
        }
      }
    }
    let found = try ticking(false).findings
    #expect(found.map(\.rule) == [.unread])
    #expect(found.first?.isNote == true)
    #expect(
      found.first?.message
        == "No projection reads meter.warnings (120 changes), so each of these writes is recorded for nobody."
    )
    let read = try ticking(true).findings
    #expect(!read.contains { $0.rule == .unread })
  }

  @Test func aHiddenViewThatIsInvalidatedAgainAndAgainIsANote() throws {
    let hidden = try report("hidden") { session, meter in
      let sheet = session.hosted("Sheet")
      _ = sheet.run { meter.level }
      session.projection("Gauge") { meter.level }
      for step in 1...20 { meter.level = step }
    }
    let found = hidden.findings.filter { $0.rule == .neverRun }
    #expect(
      found.map(\.message) == [
        "Sheet (20 times) was put out of date and never ran again: off screen, or nobody asks for it."
      ])
    #expect(found.first?.isNote == true)
  }

  @Test func runsThatTakeLongerAndLongerAreFound() {
    func growth(_ runs: Int = 200, _ time: (Int) -> UInt64) -> Bool {
      var growth = Growth()
      for run in 1...runs { growth.add(time(run)) }
      return growth.found != nil
    }
    #expect(growth { UInt64(1000 * $0) })
    #expect(!growth { _ in 1000 })
    // Slow at first, as what is not in a cache yet.
    #expect(!growth { $0 < 8 ? 100_000 : 1000 })
    #expect(!growth { $0 % 3 == 0 ? 9000 : 1000 })
    #expect(!growth { UInt64(1_000_000 / $0) })
    // One slow run late in the session.
    #expect(!growth { $0 == 190 ? 1_000_000 : 1000 })
    // The machine is busier and busier with other things, which interrupt each fourth run.
    #expect(!growth { $0 % 4 == 0 ? UInt64(20_000 * $0) : 1000 })
    // Sixty runs are enough to tell, and thirty are not.
    #expect(growth(60) { UInt64(1000 * $0) })
    #expect(!growth(30) { UInt64(1000 * $0) })
  }

  @Test func whatDoesNotGrowIsPricedAsAtFirst() {
    var growth = Growth()
    var total: UInt64 = 0
    for run in 1...60 {
      let time = UInt64(20_000 + 30_000 * run)
      growth.add(time)
      total += time
    }
    // Without what grows each run would take 20 us.
    let (promised, real) = (Double(total) - 60 * growth.least, Double(total) - 60 * 20_000)
    #expect(abs(promised / real - 1) < 0.1, "\(promised) of \(real)")
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
