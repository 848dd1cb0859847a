import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import EventLog
@testable import ReplayTool

/// Pages of runs, read by a program that knows how they are packed and nothing of how they are made.
@Suite struct ReportTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "page.py")
    .path

  private static func sample(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../SampleLogs/\(name).evlog")
      .standardized.path
  }

  private func page(_ arguments: String...) throws -> String {
    let answer = try PythonReader.runScript(Self.script, arguments)
    #expect(answer.status == 0, "\(arguments): \(answer.output)\(answer.errors)")
    return answer.output
  }

  /// Makes a page, and what commands say of the log; lets Python hold one against the other.
  ///
  /// - Returns: How many cascades, chains, rows and states there were.
  private func compare(_ log: String, in workspace: Workspace, _ options: String...) throws -> [Int] {
    let file = workspace.file("page.html")
    let run = ToolRun(["report", log, "-o", file, "--replace"] + options)
    #expect(run.status == .done, "\(run.errors)")
    for command in ["cascades", "hot", "lint", "info"] {
      _ = try workspace.write(ToolRun(command, log, "--format", "json").output, to: command + ".json")
    }
    _ = try workspace.write(ToolRun("export", log).output, to: "export.jsonl")
    var (whys, states) = ("", "")
    for line in try page("questions", file).split(separator: "\n") {
      let words = line.split(separator: "\t").map(String.init)
      if words[0] == "why" {
        whys += ToolRun("why", log, words[1], "--at", words[2], "--format", "json").output
      } else {
        states += ToolRun("state", log, "--at", words[1], "--format", "json").output
      }
    }
    _ = try workspace.write(whys, to: "why.jsonl")
    _ = try workspace.write(states, to: "state.jsonl")
    return try page("check", file, workspace.path).split(separator: " ").compactMap {
      Int($0.filter(\.isNumber))
    }
  }

  @Test(
    .enabled(if: PythonReader.hasPython),
    arguments: ["chat-isolated", "list-trap", "scopes", "mailbox", "episodes-identity", "catalog-split"])
  func aPageSaysWhatTheCommandsSay(name: String) throws {
    let counts = try compare(Self.sample(name), in: Workspace())
    #expect(counts.count == 4 && counts.prefix(3).allSatisfy { $0 > 0 } && counts.last == 0, "\(counts)")
  }

  @Test(.enabled(if: PythonReader.hasPython), arguments: ["scopes", "list-element"])
  func aPageWithValuesSaysWhatTheCommandsSay(name: String) throws {
    let counts = try compare(Self.sample(name), in: Workspace(), "--values")
    #expect(counts.count == 4 && counts.allSatisfy { $0 > 0 }, "\(counts)")
  }

  @Test(.enabled(if: PythonReader.hasPython)) func aPageOfRandomSessionsSaysWhatTheCommandsSay() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for number in 0..<8 {
      let workspace = try Workspace()
      var session = ValidSession(seed: random.next())
      let log = workspace.file("run.evlog")
      let writer = try LogWriter(creating: log)
      for event in session.events(Int.random(in: 40...200, using: &random)) { try writer.append(event) }
      try writer.close()
      let counts = try compare(log, in: workspace, number.isMultiple(of: 2) ? "--values" : "--budget=1")
      #expect(counts.count == 4, "TEST_SEED=\(seed): \(counts)")
    }
  }

  @Test(.enabled(if: PythonReader.hasPython)) func hostileNamesAreNothingButText() throws {
    let workspace = try Workspace()
    let hostile = [
      "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "{{script}}{{data}}",
      "]]>--><!--",
      "\u{202E}evil\u{2066}", "a\u{0}b\u{7}", "\u{1B}[2J", "'\"`${x}", "__proto__", "constructor",
      String(repeating: "long", count: 1 << 18),
    ]
    var lines = ""
    var seq = 0
    func add(_ fields: [String: Any]) throws {
      seq += 1
      let line = try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
      lines += String(decoding: line, as: UTF8.self) + "\n"
    }
    for name in hostile {
      let path = Path(root: .named("store"), components: [.key(name)]).description
      try add(["kind": "mark", "label": name])
      try add(["kind": "begin", "label": name])
      try add(["kind": "end"])
      try add(["kind": "projection", "projection": name, "tracking": "element"])
      try add(["kind": "reads", "projection": name, "paths": [path]])
      try add(["kind": "evaluate", "projection": name, "duration_ns": 5])
      try add(["kind": "set", "path": path, "value": name, "site": name])
      try add(["kind": "evaluate", "projection": name, "duration_ns": 7, "changed": false, "cause": seq])
    }
    lines = #"{"kind":"set","path":"store","value":{"$object":"S","x":1}}"# + "\n" + lines
    let log = workspace.file("<script>alert(1)\u{202E}&.evlog")
    let made = ToolRun("import", try workspace.write(lines), "-o", log)
    try #require(made.status == .done, "\(made.errors)")
    for options in [[], ["--values"]] {
      let file = workspace.file("page.html")
      let run = ToolRun(["report", log, "-o", file, "--replace"] + options)
      #expect(run.status == .done, "\(run.errors)")
      #expect(try page("inert", file).contains(" "))
    }
  }

  @Test(.enabled(if: PythonReader.hasPython)) func valuesAreInAPageOnlyWhereTheyAreAskedFor() throws {
    let workspace = try Workspace()
    let lines = screen.replacing(#""count":0"#, with: #""count":"planted-one""#)
      .replacing(#""value":1,"#, with: #""value":"planted-two","#)
      .replacing(#"[{"id":9,"count":0}]"#, with: #"[{"id":9,"count":"planted-three"}]"#)
      .replacing(#"[{"id":9,"count":"planted-one"}]"#, with: #"[{"id":9,"count":"planted-three"}]"#)
    let log = try workspace.log(lines)
    let secrets = ["planted-one", "planted-two", "planted-three"]
    let file = workspace.file("page.html")
    #expect(ToolRun("report", log, "-o", file).status == .done)
    #expect(try PythonReader.runScript(Self.script, ["absent", file] + secrets).status == 0)
    #expect(ToolRun("report", log, "-o", file, "--replace", "--values").status == .done)
    for secret in secrets {
      let answer = try PythonReader.runScript(Self.script, ["absent", file, secret])
      #expect(answer.status == 1, "\(secret) is not found where it should be")
    }
  }

  @Test(.enabled(if: PythonReader.hasPython)) func aPageWithoutNamesHasNoneOfThem() throws {
    let workspace = try Workspace()
    // Enough of it that lint finds something.
    var lines =
      #"{"kind":"set","path":"planted0","value":{"$object":"planted1","planted2":0,"planted3":{"k":1}}}"#
      + "\n"
    lines +=
      #"{"kind":"projection","projection":"planted4#planted5","tracking":"element","site":"planted6:1"}"#
      + "\n"
    lines += #"{"kind":"reads","projection":"planted4#planted5","paths":["planted0.planted2"]}"# + "\n"
    lines += #"{"kind":"mark","label":"planted7"}"# + "\n"
    for number in 0..<40 {
      let begin = 5 * number + 5
      lines += #"{"kind":"begin","label":"planted8"}"# + "\n"
      lines +=
        #"{"kind":"set","path":"planted0.planted2","value":"planted9-\#(number)","site":"planted6:2"}"# + "\n"
      lines += #"{"kind":"set","path":"planted0.planted3","value":{"planted10":1}}"# + "\n"
      lines += #"{"kind":"end"}"# + "\n"
      lines +=
        #"{"kind":"evaluate","projection":"planted4#planted5","duration_ns":9,"changed":false,"cause":\#(begin + 3)}"#
        + "\n"
    }
    let log = try workspace.log(lines, "planted11.evlog")
    let file = workspace.file("page.html")
    #expect(ToolRun("report", log, "-o", file, "--redact", "paths").status == .done)
    #expect(try page("absent", file, "planted").contains("\n"))
    let counts = try page("inert", file)
    #expect(counts.contains(" "))
    // The same search finds all of them where they are.
    #expect(ToolRun("report", log, "-o", file, "--replace", "--values").status == .done)
    for number in [0, 1, 2, 4, 5, 6, 7, 8, 9, 11] {
      #expect(
        try PythonReader.runScript(Self.script, ["absent", file, "planted\(number)"]).status == 1, "\(number)"
      )
    }
    #expect(ToolRun("report", log, "-o", file, "--values", "--redact", "paths").status == .refused)
  }

  @Test func aPageOfADamagedLogSaysSo() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let whole = try Data(contentsOf: URL(filePath: log))
    try whole.dropLast(10).write(to: URL(filePath: log))
    let run = ToolRun("report", log, "-o", workspace.file("page.html"))
    #expect(run.status == .damaged)
    #expect(workspace.files.contains("page.html"))
  }

  @Test func whatCannotBeWrittenLeavesNothing() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let file = workspace.file("page.html")
    _ = try workspace.write("mine", to: "page.html")
    let run = ToolRun("report", log, "-o", file)
    #expect(run.status == .refused)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(ToolRun("report", log, "-o", log, "--replace").status == .refused)
    #expect(ToolRun("report", log, "-o", workspace.path).status == .refused)
  }
}

/// What a page is packed by.
@Suite struct PackingTests {
  /// From FIPS 180-4 and the Secure Hash Standard's examples.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ])
  func hashesAreThoseOfTheStandard(text: String, hash: String) {
    let found = SHA256.hash(Array(text.utf8)).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    #expect(found == hash)
  }

  @Test func textOfBytesIsFoundations() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 77 &+ count) }
      #expect(String(decoding: Packing.base64(bytes), as: UTF8.self) == Data(bytes).base64EncodedString())
    }
  }
}
