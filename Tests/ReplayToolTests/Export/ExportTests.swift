import EventLog
import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import ReplayTool

/// Every form of an export, read by programs that know nothing of logs.
@Suite struct ExportTests {
  private static func folder(_ path: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: path).standardized.path
  }

  /// Exports a log in all formats, and has Python compare them with each other.
  private func check(_ log: String, in workspace: Workspace, _ range: [String] = []) throws -> [Int] {
    var files: [String] = []
    for (form, name) in [
      ("jsonl", "run.jsonl"), ("csv", "run.csv"), ("perfetto", "t.json"), ("sqlite", "run.db"),
    ] {
      files.append(workspace.file(name))
      let run = ToolRun(["export", log, "--format", form, "-o", files[files.count - 1]] + range)
      #expect(run.status == .done, "\(form): \(run.errors)")
    }
    let timeline = ToolRun(["timeline", log, "--format", "json"] + range)
    try timeline.output.write(toFile: workspace.file("timeline"), atomically: false, encoding: .utf8)
    let answer = try PythonReader.runScript(Self.folder("exports.py"), files + [workspace.file("timeline")])
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
  }

  @Test(
    .enabled(if: PythonReader.hasPython),
    arguments: ["chat-wide", "scopes", "episodes-identity", "list-object"])
  func otherProgramsReadTheSamples(name: String) throws {
    let counts = try check(Self.folder("../../../SampleLogs/\(name).evlog"), in: Workspace())
    #expect(counts.count == 4 && counts.allSatisfy { $0 > 0 }, "\(counts)")
  }

  @Test(.enabled(if: PythonReader.hasPython)) func tracesKeepTheRulesOfTheirFormat() throws {
    let workspace = try Workspace()
    var logs = ["chat-isolated", "scopes", "episodes-struct", "catalog-split"].map {
      Self.folder("../../../SampleLogs/\($0).evlog")
    }
    logs.append(try workspace.log(screen))
    let traces = logs.indices.map { workspace.file("trace-\($0).json") }
    for (log, trace) in zip(logs, traces) {
      #expect(ToolRun("export", log, "--format", "perfetto", "-o", trace).status == .done)
    }
    let answer = try PythonReader.runScript(Self.folder("trace.py"), traces)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output.contains(" s24"), "arrows were looked at: \(answer.output)")
  }

  @Test func aTraceShowsParentsAboveTheirChildren() throws {
    let trace = ToolRun("export", Self.folder("../../../SampleLogs/chat-wide.evlog"), "--format", "perfetto")
    let json = try JSONSerialization.jsonObject(with: Data(trace.output.utf8)) as? [String: Any]
    let events = try #require(json?["traceEvents"] as? [[String: Any]])
    func values<Value>(_ name: String, _ argument: String, of type: Value.Type) -> [Int: Value] {
      Dictionary(
        events.filter { $0["name"] as? String == name }.compactMap { event in
          guard let process = event["pid"] as? Int, let arguments = event["args"] as? [String: Any],
            let value = arguments[argument] as? Value
          else { return nil }
          return (process, value)
        }
      ) { $1 }
    }
    let names = values("process_name", "name", of: String.self)
    let places = values("process_sort_index", "sort_index", of: Int.self)
    #expect(Set(names.keys) == Set(places.keys))
    #expect(
      names.keys.sorted { places[$0] ?? 0 < places[$1] ?? 0 }.dropFirst().map { names[$0] }
        == ["writes", "ChatView", "MessageRow", "MarkdownText"])
  }

  @Test(.enabled(if: PythonReader.hasPython)) func otherProgramsReadAPart() throws {
    let workspace = try Workspace()
    #expect(
      try check(workspace.log(screen), in: workspace, ["--from", "11", "--to", "2ms"]) == [9, 8, 4, 3])
  }

  @Test(.enabled(if: PythonReader.hasPython)) func otherProgramsReadWhateverASessionHolds() throws {
    let seed = testSeed()
    for number in 0..<4 {
      var session = ValidSession(seed: seed &+ UInt64(number))
      let workspace = try Workspace()
      let path = workspace.file("run.evlog")
      let writer = try LogWriter(creating: path)
      for event in session.events(300) { try writer.append(event) }
      try writer.close()
      #expect(try check(path, in: workspace).first == 300, "seed \(seed), log \(number)")
    }
  }

  @Test func jsonLinesAreTheFormWhereNoneIsNamed() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    #expect(ToolRun("export", log).lines.count == 22)
    #expect(ToolRun("export", log).output == ToolRun("export", log, "--format", "jsonl").output)
  }

  @Test func aDatabaseNeedsAFile() throws {
    let run = ToolRun("export", try Workspace().log(screen), "--format", "sqlite")
    #expect(run.status == .refused)
    #expect(run.errors.contains("--format sqlite needs a file; give --output"))
  }

  @Test func whatCannotBeWrittenLeavesNothing() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    for form in ["jsonl", "csv", "perfetto", "sqlite"] {
      let run = ToolRun("export", log, "--format", form, "-o", workspace.file("none/run"))
      #expect(run.status == .refused)
      #expect(run.errors.hasPrefix("replay: cannot write \(workspace.file("none/run")): "), "\(run.errors)")
    }
    #expect(workspace.files == ["run.evlog", "run.evlog.jsonl"])
  }

  @Test func aPipeIsWrittenToAndStaysOne() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let pipe = workspace.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let end = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(end) }
    for form in ["jsonl", "csv", "perfetto"] {
      let run = ToolRun("export", log, "--format", form, "-o", pipe)
      #expect(run.status == .done && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(end, &bytes, bytes.count)
      #expect(count > 0)
      #expect(
        String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
          == ToolRun("export", log, "--format", form).output)
    }
    #expect(
      ToolRun("export", log, "--format", "sqlite", "-o", pipe).errors.hasSuffix(": a database needs a file\n")
    )
    #expect(ToolRun("import", "\(log).jsonl", "-o", pipe).errors.hasSuffix(": a log needs a file\n"))
    #expect(Platform.isStream(pipe))
  }

  @Test func whatALinkLeadsToIsReplacedAndNotTheLink() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let link = workspace.file("link")
    try "old".write(toFile: workspace.file("run.csv"), atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "run.csv")
    #expect(ToolRun("export", log, "--format", "csv", "-o", link, "--replace").status == .done)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "run.csv")
    let written = try String(contentsOfFile: workspace.file("run.csv"), encoding: .utf8)
    #expect(written == ToolRun("export", log, "--format", "csv").output)
  }

  @Test func aLinkToNothingMakesWhatItNames() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let link = workspace.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "run.csv")
    #expect(ToolRun("export", log, "--format", "csv", "-o", link).status == .done)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "run.csv")
    #expect(FileManager.default.fileExists(atPath: workspace.file("run.csv")))
  }

  @Test func csvQuotesWhatMustBeAndEndsLinesAsTheRuleSays() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      #"{"kind":"mark","label":"a \"b\", c\nd"}"# + "\n" + #"{"kind":"mark","label":"plain"}"# + "\n")
    let run = ToolRun("export", log, "--format", "csv")
    #expect(run.output.hasSuffix("\r\n2,0,mark,,,,,,,,,,,,,,,plain,,,\r\n"))
    #expect(run.output.contains("\r\n1,0,mark,,,,,,,,,,,,,,,\"a \"\"b\"\", c\\nd\",,,\r\n"))
    #expect(run.output.hasPrefix("seq,time_ns,kind,cause,site,path,value,"))
  }

  @Test func csvSteersNoTerminalAndRunsInNoSpreadsheet() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      ##"""
      {"kind":"mark","label":"a\u001b[2J\u202e\u061c"}
      {"kind":"mark","label":"=1+1","site":"@SUM(1)"}
      {"kind":"begin","label":"\t=1"}
      {"kind":"mark","label":"\r-1"}
      {"kind":"set","path":"store.x","value":-5}
      {"kind":"set","path":"store.x","value":-1.5}
      {"kind":"set","path":"store.x","value":"=1+1,\u001b\u061c\uD83D\uDE00\uDB40\uDC41"}
      {"kind":"projection","projection":"+cmd","parent":"-cmd"}
      {"kind":"reads","projection":"+cmd","paths":["store[\"\\u202e\"]"]}
      {"kind":"mark","label":"'plain = 1"}

      """##)
    let run = ToolRun("export", log, "--format", "csv")
    let hostile = run.output.unicodeScalars.filter {
      $0.value < 0x20 && $0 != "\r" && $0 != "\n" || [0x202E, 0x61C, 0xE0041].contains($0.value)
    }
    #expect(hostile.isEmpty)
    let lines = run.output.components(separatedBy: "\r\n").dropFirst()
    #expect(
      Array(lines) == [
        #"1,0,mark,,,,,,,,,,,,,,,a\u{1b}[2J\u{202e}\u{61c},,,"#, "2,0,mark,,'@SUM(1),,,,,,,,,,,,,'=1+1,,,",
        #"3,0,begin,,,,,,,,,,,,,,,\t=1,,,"#, #"4,0,mark,,,,,,,,,,,,,,,\r-1,,,"#,
        "5,0,set,,,store.x,-5,,,false,,,,,,,,,,,", "6,0,set,,,store.x,-1.5,,,false,,,,,,,,,,,",
        #"7,0,set,,,store.x,"""=1+1,\u001b\u061c😀\udb40\udc41""",,,false,,,,,,,,,,,"#,
        "8,0,projection,,,,,,,,'+cmd,'-cmd,element,,,,,,,,",
        #"9,0,reads,,,,,,,,'+cmd,,,"[""store[\""\\u202e\""]""]",,,,,,,"#,
        "10,0,mark,,,,,,,,,,,,,,,'plain = 1,,,", "",
      ])
    #expect(ToolRun("export", log, "--format", "csv", width: 80).output == run.output)
  }

  @Test func aDamagedLogGivesWholeFilesOfWhatCanBeRead() throws {
    let workspace = try Workspace()
    var session = ValidSession(seed: 7)
    var options = LogOptions()
    options.blockEvents = 20
    let path = workspace.file("run.evlog")
    let writer = try LogWriter(creating: path, options: options)
    for event in session.events(200) { try writer.append(event) }
    try writer.close()
    let block = try #require(try LogReader(path: path).block(containing: 130))
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[Int(block.offset) + block.compressedSize / 2] ^= 0xFF
    try bytes.write(to: URL(filePath: path))
    let trace = ToolRun("export", path, "--format", "perfetto")
    #expect(trace.status == .damaged)
    let json = try JSONSerialization.jsonObject(with: Data(trace.output.utf8)) as? [String: Any]
    #expect((json?["traceEvents"] as? [Any])?.isEmpty == false)
    let table = ToolRun("export", path, "--format", "csv")
    #expect(table.status == .damaged)
    #expect(table.output.hasSuffix("\r\n"))
    #expect(table.errors.contains("lost: events"), "\(table.errors)")
  }

  @Test func aRunFromBeforeTheFirstTimeKeepsItsDurationInATrace() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"time_ns":1500,"kind":"evaluate","projection":"P","duration_ns":4000}
      {"time_ns":9500,"kind":"evaluate","projection":"P","duration_ns":9500}
      """)
    let json = try JSONSerialization.jsonObject(
      with: Data(ToolRun("export", log, "--format", "perfetto").output.utf8))
    let events = (json as? [String: Any])?["traceEvents"] as? [[String: Any]]
    let runs = (events ?? []).filter { $0["cat"] as? String == "run" }
    #expect(runs.map { $0["ts"] as? Double } == [0, 0])
    #expect(runs.map { $0["dur"] as? Double } == [1.5, 9.5])
    #expect(runs.map { ($0["args"] as? [String: Any])?["duration_ns"] as? Int } == [4000, nil])
  }
}
