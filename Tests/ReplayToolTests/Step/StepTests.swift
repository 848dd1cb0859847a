import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Runs lines of `step` on a log.
private func step(_ log: String, _ lines: String, in workspace: Workspace, width: Int? = nil) throws
  -> ToolRun
{
  ToolRun(["step", log, "--commands", try workspace.write(lines, to: "commands.txt")], width: width)
}

@Suite struct StepTests {
  @Test func goingForwardAndBackShowsEachEvent() throws {
    let workspace = try Workspace()
    let run = try step(workspace.log(screen), "forward 11\nback\nf 2\nb 100\n", in: workspace)
    #expect(run.status == .done, "\(run.errors)")
    #expect(
      run.output == """
        event 11 of 22  at 1.000 ms  Chat.swift:42
          set store.rows[0].count  0 -> 1
          woke Row#7
        event 10 of 22  at 0.000 ms
          Spinner ran in 10 ns
        event 12 of 22  at 1.000 ms  caused by 11
          Row#7 ran in 100 ns, output changed
        before the first event  of 22 events

        """)
  }

  @Test func aTransactionIsTold() throws {
    let workspace = try Workspace()
    let run = try step(workspace.log(screen), "go 15\ngo 16\n", in: workspace)
    #expect(
      run.output == """
        event 15 of 22  at 2.000 ms  in transaction "refresh" of 13
          splice store.rows  at 2: 0 out, [{"id":9,"count":0}] in
        event 16 of 22  at 2.000 ms  in transaction "refresh" of 13
          end of the transaction
          woke List  because of 15
          woke Spinner  because of 14

        """)
  }

  @Test func aSearchGoesToWhereSomethingIsWokenRunsOrChanges() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    func stops(_ lines: String) throws -> [Int] {
      let run = try step(log, lines, in: workspace)
      return run.lines.filter { $0.hasPrefix("event ") }.compactMap { Int($0.split(separator: " ")[1]) }
    }
    #expect(try stops("next Spinner\nnext\nprevious\n") == [16, 21, 16])
    #expect(try stops("next run Row\nnext\nnext\nprevious run Row#7\n") == [6, 12, 17, 12])
    // The same place by another name: row 7 is the first.
    #expect(try stops("go 1\nnext change store.rows[id: 7].count\n") == [1, 11])
    #expect(try stops("next store.isLoading\nnext\nnext\nprevious\n") == [1, 14, 21, 14])
    #expect(try stops("next write store.*\nnext\nnext\n") == [14, 15, 20])
    #expect(try stops("go 2ms\ngo end\ngo 4\n") == [19, 22, 4])
  }

  @Test func continuingStopsAtBreaksInBothDirections() throws {
    let workspace = try Workspace()
    let lines = """
      break Row#7
      watch store.isLoading
      breaks
      go 10
      continue
      c
      c
      delete 1
      rc
      rc
      delete
      c
      """
    let run = try step(workspace.log(screen), lines, in: workspace)
    #expect(run.status == .done, "\(run.errors)")
    let told = run.lines.filter { !$0.hasPrefix("  ") }.map {
      $0.prefix(upTo: $0.firstRange(of: "  at ")?.lowerBound ?? $0.endIndex)
    }
    #expect(
      told == [
        "stop 1: Row#7 woken or run", "stop 2: change store.isLoading", "stop 1: Row#7 woken or run",
        "stop 2: change store.isLoading", "event 10 of 22",
        "stop 1: Row#7 woken or run", "event 11 of 22", "stop 1: Row#7 woken or run", "event 12 of 22",
        "stop 2: change store.isLoading", "event 14 of 22",
        "stop 2: change store.isLoading", "event 1 of 22", "back at the beginning",
        "before the first event  of 22 events", "at the end", "event 22 of 22",
      ])
  }

  @Test func whyCascadeAndStateAreThoseOfTheEvent() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = try step(
      log, "go 11\nwhy\ngo 22\nwhy Row\ngo 14\ncascade\nstate store.isLoading\n", in: workspace)
    #expect(run.status == .done, "\(run.errors)")
    let why = ToolRun("why", log, "Row#7", "--at", "12")
    #expect(run.output.contains(why.output))
    #expect(run.output.contains(ToolRun("why", log, "Row#7", "--at", "17").output))
    #expect(run.output.contains(#"transaction "refresh""#))
    #expect(run.output.hasSuffix("store.isLoading: true\n"))
  }

  @Test func whyExplainsWhatWasLookedFor() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    // The end of the transaction wakes the list, then the spinner.
    let spinner = ToolRun("why", log, "Spinner", "--at", "19").output
    let list = ToolRun("why", log, "List", "--at", "18").output
    #expect(spinner != list)
    func why(_ lines: String) throws -> String { try step(log, lines + "\nwhy\n", in: workspace).output }
    #expect(try why("next Spinner").hasSuffix(spinner))
    #expect(try why("go end\nprevious Spinner\nprevious").hasSuffix(spinner))
    #expect(try why("go 12\nbreak Spinner\ncontinue").hasSuffix(spinner))
    #expect(try why("next List").hasSuffix(list))
    #expect(try why("go 16").hasSuffix(list), "nothing was looked for")
    #expect(try why("next Spinner\nback\nforward\nbreak List\ngo 12\nc").hasSuffix(list))
  }

  @Test func aLabelMayBeTypedInTheQuotesInWhichItIsShown() throws {
    let workspace = try Workspace()
    let marks = #"""
      {"kind":"mark","label":"pull \"again\""}
      {"kind":"mark","label":"refresh"}

      """#
    let log = try workspace.log(screen + marks)
    for (line, seq) in [
      (#"go mark:"refresh""#, 24), ("go mark:refresh", 24), (#"next mark "refresh""#, 24),
      (#"go mark:"pull \"again\"""#, 23), (#"go mark:pull "again""#, 23),
    ] {
      let run = try step(log, line + "\n", in: workspace)
      #expect(run.lines.first?.hasPrefix("event \(seq) of 24") == true, "\(line): \(run.output)\(run.errors)")
    }
  }

  @Test func aLineThatCannotBeCarriedOutIsToldWithItsPlace() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let mistakes = [
      "forwrd": "there is no command forwrd; did you mean forward?; try help",
      "b\nback": "this is the beginning",
      "re\nnothing": "there is no command nothing",
      "next Spiner": "no woken Spiner after event 0; did you mean Spinner?",
      "go 99": "there is no event 99; the last is 22",
      "go 22\nstate store.isLoadin": "did you mean store.isLoading?",
      "go 1\nwhy": "event 1 woke nobody",
      "watch store.": "at column",
    ]
    for (lines, reason) in mistakes {
      let run = try step(log, lines.hasPrefix("b\n") ? "back" : lines, in: workspace)
      #expect(run.status == .refused, "\(lines)")
      #expect(run.errors.contains("commands.txt:"), "\(run.errors)")
      if !lines.hasPrefix("re\n") { #expect(run.errors.contains(reason), "\(run.errors)") }
    }
  }

  @Test func aBareEndOfTheCommandsEndsIt() throws {
    let workspace = try Workspace()
    let run = try step(
      workspace.log(screen), "// nothing\n\nhelp\nhelp next\nquit\nno such command\n", in: workspace)
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output.contains("reverse-continue"))
    #expect(!run.output.contains("(0)"), "a prompt")
  }

  @Test func whatTheLogSaysMovesNoCursorAndFillsNoScreen() throws {
    let workspace = try Workspace()
    let long = String(repeating: "x", count: 1_000_000)
    let name = #"P\u001b[31m"# + String(repeating: "x", count: 60_000)
    let log = try workspace.log(
      #"""
      {"kind":"set","path":"a","value":{"x":"\u001b[2J","y":"\#(long)"},"site":"\u001b]0;t\u0007"}
      {"kind":"projection","projection":"\#(name)","tracking":"element"}
      {"kind":"reads","projection":"\#(name)","paths":["a.x"]}
      {"kind":"set","path":"a.x","value":"\#(long)"}
      {"kind":"evaluate","projection":"\#(name)","duration_ns":1,"cause":4}
      {"kind":"mark","label":"\u202e\n\#(name)"}

      """#)
    let lines = "f\nf\nf\nf\nf\nf\nstate\ngo 4\nstate a.x\nwhy\ncascade\nbreak run P*\nbreaks\nc\n"
    for width in [nil, 80, 200] {
      let run = try step(log, lines, in: workspace, width: width)
      #expect(run.status == .done, "\(run.errors.prefix(300))")
      #expect(!run.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
      let own = run.output.split(separator: "\n").filter {
        !$0.contains("evaluated at") && !$0.contains("P\\u{1b}[31mx")
      }
      #expect(own.allSatisfy { $0.count <= width ?? 200 }, "\(own.map(\.count).max() ?? 0)")
    }
  }
}
