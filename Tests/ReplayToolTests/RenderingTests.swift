import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

@Suite struct RenderingTests {
  @Test func controlCharactersOfALogNeverReachTheTerminal() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      #"""
      {"kind":"set","path":"a.x","value":"\u001b[31m"}
      {"kind":"projection","projection":"P\u001b]0;\u0007\u202e\u009b\n"}
      {"kind":"reads","projection":"P\u001b]0;\u0007\u202e\u009b\n","paths":["a.x"]}
      {"kind":"set","path":"a.x","value":"2","site":"A\u001b.swift"}
      {"kind":"mark","label":"\u009b"}

      """#)
    for arguments in [
      ["timeline", log], ["hot", log], ["cascades", log], ["why", log, "P*"], ["state", log, "--at", "2"],
      ["export", "--to", "jsonl", log], ["timeline", log, "--format", "json"],
      ["hot", log, "--format", "json"], ["why", log, "P*", "--format", "json"],
      ["state", log, "--at", "2", "--format", "json"],
    ] {
      let run = ToolRun(arguments)
      #expect(run.status == .done, "\(run.errors)")
      let hostile = run.output.unicodeScalars.filter { scalar in
        (scalar.value < 0x20 && scalar != "\n") || (0x7F..<0xA0).contains(scalar.value)
          || scalar == "\u{202E}"
      }
      #expect(hostile.isEmpty, "\(arguments)")
    }
  }

  @Test func aReportHasSortedKeysAndWhatALogHoldsAsItIs() throws {
    struct Report: Encodable {
      var value = PrintedJSON(#"{"b":5.0,"a":[]}"#)
      var largest = UInt64.max
      var share = 0.1
      @Nullable var missing: Int?
      /// Text that looks like the placeholder for printed JSON while a report is encoded.
      var name = #"{"$printed":"NS4w"}/"# + "\u{2028}\u{7F}"
      var names = OrderedFields([(key: "e\u{301}", value: 2), (key: "\u{E9}", value: 1)])
    }
    let expected =
      #"{"largest":18446744073709551615,"missing":null,"name":"{\"$printed\":\"NS4w\"}/\u2028\u007f","#
      + "\"names\":{\"e\u{301}\":2,\"\u{E9}\":1},"
      + #""share":0.1,"value":{"b":5.0,"a":[]}}"#
    #expect(try PrintedJSON(encoding: Report()).text.utf8.elementsEqual(expected.utf8))
  }

  @Test func aCommandIsBrokenBeforeItsOptionsAlone() {
    let command = #"replay what-if 'my run.evlog' --input 'Row:a --b' --input C --isolate 'it'\''s --x:y'"#
    #expect(command.commandLines(to: nil) == [command])
    #expect(command.commandLines(to: command.count) == [command])
    #expect(
      command.commandLines(to: 40) == [
        #"replay what-if 'my run.evlog' \"#, #"  --input 'Row:a --b' --input C \"#,
        #"  --isolate 'it'\''s --x:y'"#,
      ])
    #expect("replay what-if run.evlog".commandLines(to: 10) == ["replay what-if run.evlog"])
  }

  @Test func tablesFitTheTerminal() throws {
    let workspace = try Workspace()
    let name = String(repeating: "LongName", count: 20)
    let log = try workspace.log(
      """
      {"kind":"set","path":"a.x","value":1}
      {"kind":"reads","projection":"\(name)","paths":["a.x"]}
      {"kind":"set","path":"a.x","value":2}

      """)
    for command in ["timeline", "hot"] {
      for line in ToolRun(command, log, width: 60).lines { #expect(line.count <= 60, "\(line)") }
    }
    #expect(ToolRun("timeline", log).output.contains(name))
  }

  @Test func theNearestNameIsSuggestedOrOneThatBeginsSo() {
    let names = ["DetailView", "Row", "DetailRow"]
    #expect(Suggestion.text(for: "DetialView", among: names) == "; did you mean DetailView?")
    #expect(Suggestion.text(for: "detailv", among: names) == "; did you mean DetailView?")
    #expect(Suggestion.text(for: "DetailRo", among: names) == "; did you mean DetailRow?")
    #expect(Suggestion.text(for: "Spinner", among: names).isEmpty)
    #expect(Suggestion.text(for: "De", among: names).isEmpty)
  }

  @Test func numbersAreGroupedAndAmountsHaveUnits() {
    #expect([0, 999, 1000, 15050, 1_234_567].map(\.grouped) == ["0", "999", "1,000", "15,050", "1,234,567"])
    #expect(Units.duration(999) == "999 ns")
    #expect(Units.duration(1_250) == "1.2 us")
    #expect(Units.duration(.max).hasSuffix(" s"))
    #expect(Units.moment(1_033_999_999) == "1.033 s")
    #expect(Units.moment(999_999_999) == "999.999 ms")
    #expect(Units.moment(52_307) == "0.052 ms")
    #expect(Units.bytes(1536) == "1.5 KiB")
    #expect("日本語".columns == 6)
    #expect("日本語".cut(to: 5) == "日本…")
  }

  @Test func aReaderThatGoesAwayIsNoError() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let console = Console(
      width: nil, style: Style(), output: { _ in throw Console.BrokenPipe() }, errors: { _ in Issue.record() }
    )
    #expect(Tool.run(["timeline", log], on: console) == .done)
    #expect(Tool.run(["--help"], on: console) == .done)
  }

  @Test func coloursAreForTerminalsOnly() {
    #expect(Style().heading("x") == "x")
    #expect(Style(isColoured: true).heading("x") == "\u{1B}[1mx\u{1B}[0m")
  }
}
