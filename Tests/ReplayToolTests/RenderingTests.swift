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
      ["export", "--format", "jsonl", log], ["timeline", log, "--format", "json"],
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

  @Test func columnsWithoutRoomAreNamedAndWastedTimeIsNotAmongThem() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let narrow = ToolRun("hot", log, width: 60)
    #expect(narrow.lines[0].contains("  WASTED TIME") && !narrow.lines[0].contains("PEAK"))
    #expect(narrow.output.contains("no room for PEAK"), "\(narrow.output)")
    #expect(narrow.output.contains("--format json has all"))
    let wide = ToolRun("hot", log, width: 200)
    #expect(wide.lines[0].contains("PEAK") && !wide.output.contains("no room"))
  }

  @Test func aChainThatIsTooWideKeepsTheEndsOfPathsAndSaysNoPlaceWhereNoneIsKnown() throws {
    let workspace = try Workspace()
    let path = #"store.rows[id: \"0123456789-0123456789-0123456789-0123456789\"].isRead"#
    let log = try workspace.log(
      """
      {"kind":"set","path":"store","value":{"$object":"Store","rows":[{"id":"0123456789-0123456789-0123456789-0123456789","isRead":false}]}}
      {"kind":"projection","projection":"Row"}
      {"kind":"reads","projection":"Row","paths":["\(path)"]}
      {"kind":"set","path":"\(path)","value":true}
      {"kind":"evaluate","projection":"Row","duration_ns":10,"cause":4}

      """)
    let run = ToolRun("why", log, "Row", width: 80)
    #expect(run.status == .done, "\(run.errors)")
    let lines = run.lines
    let write = try #require(lines.first { $0.contains("<- set") })
    #expect(write.contains("<- set store.rows[") && write.contains("…") && write.contains("].isRead  false"))
    #expect(lines.allSatisfy { $0.columns <= 80 && !$0.contains(" in,") && !$0.hasSuffix(" in") }, "\(lines)")
    #expect("日本語日本語".cutWithin(to: 7) == "日…本語")
    #expect("abcdefghij".cutWithin(to: 7) == "ab…ghij" && "abcdefg".cutWithin(to: 7) == "abcdefg")
    #expect((0..<12).allSatisfy { "日a本b語c日d".cutWithin(to: $0).columns <= $0 })
  }

  @Test func filesAreNotAlikeForTheirFolderAndExtension() {
    let names = ["logs/today/both.evlog", "logs/today/run-17.evlog", "logs/today/t.sh"]
    #expect(Suggestion.text(forFile: "logs/today/nosuch.evlog", among: names).isEmpty)
    #expect(Suggestion.text(forFile: "logs/today/nosuch", among: names).isEmpty)
    #expect(Suggestion.text(forFile: "logs/today/rum-17.evlog", among: names).contains("run-17.evlog?"))
    #expect(Suggestion.text(forFile: "logs/today/run-17", among: names).contains("run-17.evlog?"))
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
