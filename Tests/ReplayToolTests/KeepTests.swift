import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

@Suite struct KeepTests {
  @Test func importThenExportGivesTheSameLines() throws {
    let lines = """
      {"seq":1,"time_ns":0,"kind":"set","path":"a","value":{"$object":"A#1","b":{"$object":"#3","n":1.0},"x":{"$double":"nan"},"$$y":9223372036854775808}}
      {"seq":2,"time_ns":5,"kind":"set","path":"a.c","value":{"$ref":"#3"},"cause":1,"site":"A.swift:1"}
      {"seq":3,"time_ns":5,"kind":"set","path":"a.x","value":{"$double":"nan"},"same_value":false}
      {"seq":4,"time_ns":5,"kind":"set","path":"a.x","value":-0.0,"same_value":true}
      {"seq":5,"time_ns":5,"kind":"remove","path":"a.zzz","same_value":true}
      {"seq":6,"time_ns":6,"kind":"set","path":"a.text","value":"héllo"}
      {"seq":7,"time_ns":6,"kind":"splice","path":"a.text","offset":1,"delete":2,"insert":"e"}
      {"seq":8,"time_ns":6,"kind":"projection","projection":"P#1","parent":"Q","tracking":"object"}
      {"seq":9,"time_ns":6,"kind":"reads","projection":"P#1","paths":["a.b.n","a.list[id: \\"k\\"]","zz[\\"q\\"][#count]"]}
      {"seq":10,"time_ns":6,"kind":"begin"}
      {"seq":11,"time_ns":6,"kind":"begin","label":"in\\nner"}
      {"seq":12,"time_ns":6,"kind":"end"}
      {"seq":13,"time_ns":6,"kind":"end"}
      {"seq":14,"time_ns":6,"kind":"invalidate","projection":"P#1","causes":[2,3],"cause":13}
      {"seq":15,"time_ns":6,"kind":"evaluate","projection":"P#1","duration_ns":18446744073709551615,"changed":false,"cause":13}
      {"seq":16,"time_ns":6,"kind":"evaluate","projection":"P#1","duration_ns":1}
      {"seq":17,"time_ns":6,"kind":"dispose","projection":"P#1"}
      {"seq":18,"time_ns":6,"kind":"mark","label":"tap"}

      """
    let workspace = try Workspace()
    let log = try workspace.log(lines)
    #expect(ToolRun("export", "--format", "jsonl", log).output == lines)
  }

  @Test func exportThenImportGivesAnEqualLog() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let exported = ToolRun("export", "--format", "jsonl", log).output
    let again = try workspace.log(exported, "again.evlog")
    #expect(ToolRun("export", "--format", "jsonl", again).output == exported)
    #expect(ToolRun("timeline", again).output == ToolRun("timeline", log).output)
    #expect(ToolRun("state", again).output == ToolRun("state", log).output)
    #expect(ToolRun("diff", log, again).status == .done)
  }

  @Test func importAssignsWhatIsLeftOut() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"a.x","value":1}

      {"time_ns":7,"kind":"set","path":"a.x","value":1}
      {"kind":"set","path":"a.o","value":{"$object":"B","o":{"$object":"C"}}}\r
      {"kind":"set","path":"a.p","value":{"$ref":"a.o.o"}}
      """)
    #expect(
      ToolRun("export", "--format", "jsonl", log).output == """
        {"seq":1,"time_ns":0,"kind":"set","path":"a.x","value":1}
        {"seq":2,"time_ns":7,"kind":"set","path":"a.x","value":1,"same_value":true}
        {"seq":3,"time_ns":7,"kind":"set","path":"a.o","value":{"$object":"B#2","o":{"$object":"C#3"}}}
        {"seq":4,"time_ns":7,"kind":"set","path":"a.p","value":{"$ref":"#3"}}

        """)
  }

  @Test func aRootThatALineMakesTakesItsNumberBeforeTheObjectsInIt() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"s.a","value":{"$object":"E","o":{"$object":"F"}}}
      {"kind":"set","path":"t","value":{"x":{"$object":"G"}}}
      {"kind":"set","path":"s","value":{"x":{"$object":"H"}}}
      {"kind":"set","path":"u","value":{"$object":"I"}}
      {"kind":"set","path":"s.b","value":{"$object":"J"}}
      """)
    let exported = ToolRun("export", log).output
    #expect(
      exported == """
        {"seq":1,"time_ns":0,"kind":"set","path":"s.a","value":{"$object":"E#2","o":{"$object":"F#3"}}}
        {"seq":2,"time_ns":0,"kind":"set","path":"t","value":{"x":{"$object":"G#5"}}}
        {"seq":3,"time_ns":0,"kind":"set","path":"s","value":{"x":{"$object":"H#7"}}}
        {"seq":4,"time_ns":0,"kind":"set","path":"u","value":{"$object":"I#8"}}
        {"seq":5,"time_ns":0,"kind":"set","path":"s.b","value":{"$object":"J#9"}}

        """)
    #expect(ToolRun("export", try workspace.log(exported, "again.evlog")).output == exported)
  }

  @Test(arguments: [
    (#"{"kind":"set","path":"a.x.y.z","value":1}"#, 1, "a.x"), (#"{"kind":"jump"}"#, 9, "unknown kind"),
    (#"{"kind":"set","path":"a..x","value":1}"#, 25, "expected a name"), ("not json", 1, "expected an event"),
    (#"{"seq":7,"kind":"end"}"#, 1, "the next event is 2"), (#"{"kind":"end"}"#, 1, "no open transaction"),
    (#"{"kind":"mark","label":"x","cause":2}"#, 1, "no event before this one"),
    (#"{"kind":"set","path":"a.y","value":{"$ref":"a.nothing"}}"#, 44, "no object at a.nothing"),
    (#"{"kind":"dispose","projection":"P"}"#, 1, "no projection P"),
    (#"{"kind":"splice","path":"a.x","offset":0,"delete":1,"insert":""}"#, 1, "no string to splice"),
  ])
  func aMistakeNamesItsPlaceAndNothingIsWritten(line: String, column: Int, reason: String) throws {
    let workspace = try Workspace()
    let file = try workspace.write("{\"kind\":\"set\",\"path\":\"a.x\",\"value\":1}\n\(line)\n")
    let run = ToolRun("import", file, "-o", workspace.file("out.evlog"))
    #expect(run.status == .refused)
    #expect(run.errors.hasPrefix("\(file):2:\(column): "), "\(run.errors)")
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(workspace.files == ["run.jsonl"])
  }

  @Test(arguments: [
    ("\u{FEFF}{\"kind\":\"mark\",\"label\":\"x\"}\n", "1:1: the file begins with a byte order mark"),
    (
      "{\n  \"kind\": \"mark\",\n  \"label\": \"x\"\n}\n",
      "1:2: expected a string in double quotes, but the text ends here; each event is one line: jq -c ."
    ),
    (
      "[\n{\"kind\":\"mark\",\"label\":\"x\"}\n]\n",
      "1:1: expected an event, as {\"kind\":\"set\",...}, and this is an array: jq -c '.[]'"
    ),
    ("{\"kind\":\"jump\"}\n", "1:9: unknown kind \"jump\"; the kinds are set, splice, remove, projection,"),
    ("{\"program\":\"chat\"}\n", "1:2: unknown field \"program\"; a header has \"kind\":\"header\" besides"),
    ("{\"kind\":\"header\",\"version\":\"1\"}\n", "1:1: a header has \"program\""),
    ("{\"kind\":\"header\",\"metadata\":{\"a\":[]}}\n", "1:1: the metadata \"a\" must be a string"),
    ("{\"kind\":\"header\"}\n", ": no events"),
    (
      "{\"kind\":\"mark\",\"label\":\"x\"}\n{\"kind\":\"header\"}\n",
      "2:1: a header can only be the first line"
    ),
  ])
  func whatIsNotJSONLinesIsSaidToBe(text: String, reason: String) throws {
    let workspace = try Workspace()
    let file = try workspace.write(text)
    let run = ToolRun("import", file, "-o", workspace.file("out.evlog"))
    #expect(run.status == .refused)
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(workspace.files == ["run.jsonl"])
  }

  @Test func UTF16IsSaidToBeThat() throws {
    let workspace = try Workspace()
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      try "\u{FEFF}{\"kind\":\"end\"}\n".write(
        toFile: workspace.file("a"), atomically: false, encoding: encoding)
      let run = ToolRun("import", workspace.file("a"), "-o", workspace.file("out.evlog"))
      #expect(run.status == .refused && run.errors.contains(":1:1: this is UTF-16"), "\(run.errors)")
    }
  }

  @Test func whatTheAppSaidOfARunIsExportedAndImportedWhenAsked() throws {
    let workspace = try Workspace()
    let path = workspace.file("run.evlog")
    var options = LogOptions()
    options.program = "chat \"é\"\n"
    options.metadata = ["version": "1.4", "session_id": "s", "ключ": "\u{1}"]
    let writer = try LogWriter(creating: path, options: options)
    try writer.append(.mark(label: "x"), time: 1)
    try writer.close()
    let header = try LogReader(path: path).header
    let run = ToolRun("export", path, "--header")
    #expect(run.status == .done && run.lines.count == 2)
    #expect(ToolRun("export", path).lines == Array(run.lines.dropFirst()))
    let lines = try workspace.write(run.output)
    for name in ["a.evlog", "b.evlog"] {
      #expect(ToolRun("import", lines, "-o", workspace.file(name)).status == .done)
    }
    let copy = try LogReader(path: workspace.file("a.evlog")).header
    #expect(
      copy.program == header.program && copy.metadata == header.metadata && copy.created == header.created)
    #expect(ToolRun("export", workspace.file("a.evlog"), "--header").output == run.output)
    let bytes = try ["a", "b"].map { try Data(contentsOf: URL(filePath: workspace.file("\($0).evlog"))) }
    #expect(bytes[0] == bytes[1])
    // Another session with the same events is another log.
    let other = try workspace.write(run.output.replacing(#""session_id":"s""#, with: #""session_id":"t""#))
    #expect(ToolRun("import", other, "-o", workspace.file("c.evlog")).status == .done)
    #expect(try LogReader(path: workspace.file("c.evlog")).header.salt != copy.salt)
    #expect(ToolRun("export", path, "--header", "--format", "csv").status == .refused)
  }

  @Test func whatIsAtALimitComesOutAsItWentIn() throws {
    let workspace = try Workspace()
    let nested = String(repeating: #"{"k":"#, count: 63) + "1" + String(repeating: "}", count: 63)
    let lines = """
      {"seq":1,"time_ns":0,"kind":"set","path":"a.k","value":\(nested)}
      {"seq":2,"time_ns":0,"kind":"set","path":"a\(String(repeating: ".k", count: 64))","value":2}
      {"seq":3,"time_ns":0,"kind":"set","path":"a.list","value":\(String(repeating: "[", count: 64))\(String(repeating: "]", count: 64))}
      {"seq":4,"time_ns":0,"kind":"mark","label":"\(String(repeating: "x", count: 70_000))"}

      """
    #expect(ToolRun("export", try workspace.log(lines)).output == lines)
  }

  @Test(arguments: [
    ("\"" + String(repeating: "x", count: 17_000_000) + "\"", "bytes, and a block has at most 16777152"),
    ("[0" + String(repeating: ",0", count: 1_048_576) + "]", "parts, and a block at most 1048576"),
    (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "deeper than 64"),
  ])
  func whatIsOverALimitIsRefusedAtItsLine(value: String, reason: String) throws {
    let workspace = try Workspace()
    let file = try workspace.write(
      "{\"kind\":\"mark\",\"label\":\"x\"}\n{\"kind\":\"set\",\"path\":\"a.x\",\"value\":\(value)}\n")
    let run = ToolRun("import", file, "-o", workspace.file("out.evlog"))
    #expect(run.status == .refused)
    #expect(run.errors.hasPrefix("\(file):2:"), "\(run.errors)")
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(workspace.files == ["run.jsonl"])
  }

  @Test func verifyFindsARecordedTimelineThatDoesNotFollow() throws {
    let workspace = try Workspace()
    let recorded = """
      {"kind":"set","path":"a.x","value":1}
      {"kind":"projection","projection":"P"}
      {"kind":"reads","projection":"P","paths":["a.x"]}
      {"kind":"evaluate","projection":"P","duration_ns":1}
      {"kind":"set","path":"a.x","value":2}
      {"kind":"invalidate","projection":"P","causes":[5],"cause":5}
      {"kind":"evaluate","projection":"P","duration_ns":1,"cause":5}

      """
    let sound = try workspace.log(recorded)
    let run = ToolRun("verify", sound)
    #expect(run.status == .done)
    #expect(
      run.output == """
        \(sound): agrees
          3 blocks whole; 1 index agrees with them
          7 events in sequence
          1 of 1 recorded invalidation derived again
          1 of 1 evaluation with a cause explained

        """)
    let wrong = try workspace.log(
      recorded + """
        {"kind":"set","path":"a.y","value":2}
        {"kind":"invalidate","projection":"P","causes":[8],"cause":8}
        {"kind":"evaluate","projection":"P","duration_ns":1,"cause":8}
        {"kind":"set","path":"a.x","value":3}

        """, "wrong.evlog")
    let mismatch = ToolRun("verify", sound, wrong)
    #expect(mismatch.status == .found)
    #expect(
      mismatch.output.hasSuffix(
        """
        \(wrong): 3 mismatches
          3 blocks whole; 1 index agrees with them
          11 events in sequence
          1 of 2 recorded invalidations derived again
          1 of 2 evaluations with a cause explained
          event 8 recorded to invalidate P because of [8]; it does not
          event 11 invalidates P because of [11]; not recorded so
          event 10: P ran because of event 8, which gave it no reason to

        """), "\(mismatch.output)")
    let unrecorded = ToolRun("verify", try workspace.log(screen, "screen.evlog"))
    #expect(unrecorded.status == .done)
    #expect(unrecorded.output.contains("4 invalidations derived; the log records none to compare with"))
  }

  @Test func aTornLogIsReadAsFarAsItIsWhole() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let bytes = try #require(FileManager.default.contents(atPath: log))
    let torn = workspace.file("torn.evlog")
    try bytes.dropLast(1).write(to: URL(filePath: torn))
    for command in ["info", "timeline", "cascades", "hot", "state", "verify"] {
      let run = ToolRun(command, torn)
      #expect(run.status == .damaged, "\(command): \(run.errors)")
      #expect(run.errors.contains("22 events before it read"), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1)
    }
    #expect(ToolRun("info", torn, "--format", "json").output.contains(#""clean":false"#))
    #expect(ToolRun("export", "--format", "jsonl", torn).status == .damaged)
  }

  @Test func aLogThatIsDamagedInTheMiddleSaysWhatWasNotRead() throws {
    let workspace = try Workspace()
    var session = ValidSession(seed: 7)
    let log = workspace.file("run.evlog")
    var options = LogOptions()
    options.blockEvents = 20
    let writer = try LogWriter(creating: log, options: options)
    for event in session.events(200) { try writer.append(event) }
    try writer.close()
    #expect(ToolRun("info", log).lines.dropFirst().first == "state        clean")
    let block = try #require(try LogReader(path: log).block(containing: 130))
    let last = try LogReader(path: log).nextSeq - 1
    var bytes = try Data(contentsOf: URL(filePath: log))
    bytes[Int(block.offset) + block.compressedSize / 2] ^= 4
    try bytes.write(to: URL(filePath: log))
    let words =
      "lost: events \(block.firstSeq) to \(block.endSeq - 1); "
      + "left out behind the damage: events \(block.endSeq) to \(last); replay recover \(log) saves"
    for command in ["info", "timeline", "hot", "cascades"] {
      let run = ToolRun(command, log)
      #expect(run.status == .damaged, "\(command): \(run.errors)")
      #expect(run.errors.contains(words), "\(command): \(run.errors)")
    }
    #expect(ToolRun("info", log).lines.dropFirst().first?.hasPrefix("state        damaged: ") == true)
    #expect(ToolRun("info", log, "--format", "json").output.contains(#""state":"damaged""#))
  }

  @Test func everyTruncationIsReadOrRefusedWithoutATrap() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let bytes = try #require(FileManager.default.contents(atPath: log))
    let torn = workspace.file("torn.evlog")
    for count in stride(from: 0, to: bytes.count, by: 7) {
      try bytes.prefix(count).write(to: URL(filePath: torn))
      let run = ToolRun("verify", torn)
      #expect(run.status == .damaged || run.status == .refused, "\(count): \(run.output)\(run.errors)")
    }
  }
}
