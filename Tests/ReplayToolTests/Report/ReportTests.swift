import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import EventLog
@testable import ReplayTool

/// Pages of runs, read by a program that knows how they are packed but not how they are made.
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

  /// Makes a page, and the output of commands for the log, and has Python compare them.
  ///
  /// - Returns: How many cascades, chains, rows and states there were.
  private func compare(_ log: String, in workspace: Workspace, _ options: String...) throws -> [Int] {
    let file = workspace.file("page.html")
    let run = ToolRun(["report", log, "-o", file, "--replace"] + options)
    #expect(run.status == .done, "\(run.errors)")
    for command in ["cascades", "hot", "lint", "info"] {
      // The cascades of a page are in order of waste.
      let order = command == "cascades" ? ["--by", "waste"] : []
      let run = ToolRun([command, log, "--format", "json"] + order)
      _ = try workspace.write(run.output, to: command + ".json")
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
      let counts = try compare(log, in: workspace, number.isMultiple(of: 2) ? "--values" : "--budget=0.4")
      #expect(counts.count == 4, "TEST_SEED=\(seed): \(counts)")
    }
  }

  /// A name that is first a label, and then a projection and a path, appears in the lanes of each kind.
  @Test(.enabled(if: PythonReader.hasPython)) func aLabelMayBeCalledAsAProjectionIs() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"mark","label":"Inbox"}
      {"kind":"set","path":"Inbox","value":{"$object":"S","x":1}}
      {"kind":"projection","projection":"Inbox","tracking":"element"}
      {"kind":"reads","projection":"Inbox","paths":["Inbox.x"]}
      {"kind":"evaluate","projection":"Inbox","duration_ns":5}
      {"kind":"mark","label":"Inbox.x"}
      {"kind":"set","path":"Inbox.x","value":2}
      {"kind":"evaluate","projection":"Inbox","duration_ns":5,"cause":7,"changed":true}

      """)
    #expect(try compare(log, in: workspace) == [1, 1, 8, 0])
  }

  /// More than a picture has lanes for.
  @Test(.enabled(if: PythonReader.hasPython)) func allWritesAreThoseToHiddenPathsToo() throws {
    let workspace = try Workspace()
    var lines = ""
    for number in 0..<300 {
      lines += #"{"kind":"set","path":"p\#(number)","value":{"$object":"S","x":1}}"# + "\n"
    }
    let log = try workspace.log(lines)
    #expect(try compare(log, in: workspace) == [0, 0, 300, 0])
  }

  /// At most as many shapes as a page has are left out for lack of room, whatever the budget.
  @Test(.enabled(if: PythonReader.hasPython)) func aPageOfManyShapesIsWhole() throws {
    let workspace = try Workspace()
    var lines = #"{"kind":"set","path":"store","value":{"$object":"S"}}"# + "\n"
    lines += #"{"kind":"projection","projection":"P","tracking":"element"}"# + "\n"
    let reads = (0..<310).map { #""store.p\#($0)""# }.joined(separator: ",")
    lines += #"{"kind":"reads","projection":"P","paths":[\#(reads)]}"# + "\n"
    lines += #"{"kind":"evaluate","projection":"P","duration_ns":5}"# + "\n"
    for number in 0..<310 {
      lines += #"{"kind":"set","path":"store.p\#(number)","value":1}"# + "\n"
      lines +=
        #"{"kind":"evaluate","projection":"P","duration_ns":5,"changed":true,"cause":\#(2 * number + 5)}"#
        + "\n"
    }
    let log = try workspace.log(lines)
    let file = workspace.file("page.html")
    let run = ToolRun("report", log, "-o", file)
    #expect(run.status == .done && run.errors == "", "\(run.errors)")
    #expect(try page("summary", file).hasPrefix("300 10 "))
  }

  @Test(.enabled(if: PythonReader.hasPython)) func whatDoesNotFitIsSaidToBeLeftOut() throws {
    let workspace = try Workspace()
    let file = workspace.file("page.html")
    let run = ToolRun("report", Self.sample("chat-wide"), "-o", file, "--budget", "0.38")
    #expect(run.status == .done)
    #expect(run.errors == "replay: not all is in the page; a larger --budget takes in more\n")
    let counts = try page("summary", file).split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    #expect(counts[4] < 31_106 && counts[5] == 1, "\(counts)")
    let bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    #expect(bytes <= 390_000, "\(bytes)")
    #expect(ToolRun("report", Self.sample("scopes"), "-o", file, "--budget", "0.1").status == .refused)
  }

  @Test(.enabled(if: PythonReader.hasPython)) func longNamesAndValuesAreCut() throws {
    let workspace = try Workspace()
    let name = String(repeating: "name", count: 5000)
    let projections = (0..<2).map { "\(name)\($0)#\(name)" }
    var lines = #"{"kind":"set","path":"store","value":{"$object":"S","\#(name)":0}}"# + "\n"
    for projection in projections {
      lines += #"{"kind":"projection","projection":"\#(projection)","tracking":"element"}"# + "\n"
      lines += #"{"kind":"reads","projection":"\#(projection)","paths":["store.\#(name)"]}"# + "\n"
      lines += #"{"kind":"evaluate","projection":"\#(projection)","duration_ns":5}"# + "\n"
    }
    for number in 0..<30 {
      let label = "\(name)\(number)"
      let begin = lines.split(separator: "\n").count + 1
      lines += #"{"kind":"mark","label":"\#(label)"}"# + "\n"
      lines += #"{"kind":"begin","label":"\#(label)"}"# + "\n"
      lines +=
        #"{"kind":"set","path":"store.\#(name)","value":"\#(label)","site":"\#(label):1"}"# + "\n"
      lines += #"{"kind":"end"}"# + "\n"
      for projection in projections {
        lines +=
          #"{"kind":"evaluate","projection":"\#(projection)","duration_ns":9,"changed":false,"cause":\#(begin + 3)}"#
          + "\n"
      }
    }
    let log = try workspace.log(lines)
    let file = workspace.file("page.html")
    for options in [[], ["--values"], ["--redact", "paths"]] {
      #expect(ToolRun(["report", log, "-o", file, "--replace"] + options).status == .done)
      let longest = try #require(Int(try page("longest", file).filter(\.isNumber)))
      // Values are as long as a chain needs, sentences as long as several names.
      #expect(longest <= (options == ["--values"] ? 4001 : 1201), "\(options): \(longest)")
      #expect(
        ToolRun(["diff", log, Self.sample("scopes"), "--html", file, "--replace"] + options).status == .found)
      let longestOfDiff = try #require(Int(try page("longest", file).filter(\.isNumber)))
      #expect(longestOfDiff <= (options == ["--values"] ? 4001 : 401), "\(options): \(longestOfDiff)")
    }
  }

  @Test(.enabled(if: PythonReader.hasPython)) func moreFindingsThanAPageHasAreCounted() throws {
    let workspace = try Workspace()
    var lines = #"{"kind":"set","path":"store","value":{"$object":"S"}}"# + "\n"
    var seq = 1
    for number in 0..<230 {
      lines += #"{"kind":"projection","projection":"P\#(number)","tracking":"element"}"# + "\n"
      lines += #"{"kind":"reads","projection":"P\#(number)","paths":["store.p\#(number)"]}"# + "\n"
      lines += #"{"kind":"evaluate","projection":"P\#(number)","duration_ns":5}"# + "\n"
      seq += 3
      for _ in 0..<12 {
        seq += 2
        lines += #"{"kind":"set","path":"store.p\#(number)","value":\#(seq)}"# + "\n"
        lines +=
          #"{"kind":"evaluate","projection":"P\#(number)","duration_ns":5,"changed":false,"cause":\#(seq - 1)}"#
          + "\n"
      }
    }
    let log = try workspace.log(lines)
    let found =
      ToolRun("lint", log, "--format", "json").output.components(separatedBy: #""rule":""#).count - 1
    try #require(found > 200, "\(found)")
    _ = try compare(log, in: workspace)
    let counts = try page("summary", workspace.file("page.html")).split(separator: " ").map { String($0) }
    #expect(counts[2] == "200" && counts[3] == "\(found - 200)", "\(counts) of \(found)")
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

  /// A log in which every field that may hold a text has a different text, recorded by a program in a folder
  /// whose name must stay hidden; the log is in such a folder as well.
  ///
  /// - Parameter build: Distinguishes the program's build from others.
  /// - Returns: The log, and the texts in pages with names, in pages with values, and in some pages with
  ///   values.
  private func planted(_ workspace: Workspace, build: Int = 1) throws -> (
    log: String, names: [String], values: [String], innerValues: [String]
  ) {
    let folder = workspace.file("planted-folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var options = LogOptions()
    options.program = "/home/planted-home/planted-program"
    options.metadata = [
      "PLANTED-ENVIRONMENT": "planted-metadata", "PLANTED-build": "planted-build-\(build)",
      "planted-of-swift": "planted-swift-\(build)", "planted-more-swift": "planted-swift-\(build)",
    ]
    let log = folder + "/planted-file.evlog"
    let writer = try LogWriter(creating: log, options: options)
    var seq: UInt64 = 0
    func add(_ body: Event.Body, cause: UInt64? = nil, site: String? = nil) throws {
      seq += 1
      var event = Event(seq: seq, time: seq * 1000, cause: cause, site: site, body: body)
      event.origin = Origin(thread: "planted-thread", task: "planted-task", stack: nil)
      try writer.append(event)
    }
    let store = Path(root: .named("planted-root"))
    let count = store.appending(.property("planted-property"))
    let entry = store.appending(.property("entries")).appending(.key("planted-key"))
    let definition = ObjectDefinition(
      id: ObjectID(1), type: "planted-type",
      fields: [
        "planted-property": .int(0),
        "entries": .map(["planted-key": .string("planted-first"), "planted-inner": .string("planted-nested")]
        ),
      ])
    try add(.set(store, .object(definition), sameValue: false))
    for name in ["planted-parent", "planted-child#planted-id"] {
      try add(
        .projection(
          name: name, parent: name == "planted-parent" ? nil : "planted-parent", tracking: .element),
        site: "/home/planted-home/planted-source.swift:1")
      try add(.reads(projection: name, .paths([count, entry])))
      try add(.evaluate(projection: name, duration: 5, changed: nil))
    }
    try add(.mark(label: "planted-mark"))
    try add(.mark(label: ReportedDiagnostic("planted-diagnostic").label))
    for number in 0..<40 {
      try add(.begin(label: "planted-label"), site: "/home/planted-home/planted-begin.swift:3")
      try add(
        .set(count, .string("planted-value-\(number)"), sameValue: false),
        site: "/home/planted-home/planted-place.swift:2")
      try add(.set(entry, .string("planted-other-\(number)"), sameValue: false))
      try add(.end)
      let end = seq
      for name in ["planted-child#planted-id", "planted-parent"] {
        try add(.evaluate(projection: name, duration: 9, changed: false), cause: end)
      }
    }
    try writer.close()
    return (
      log,
      [
        "planted-root", "planted-property", "planted-key", "planted-parent", "planted-child", "planted-id",
        "planted-mark", "planted-label", "planted-diagnostic", "planted-place", "planted-file",
        "planted-program",
      ],
      [
        "planted-metadata", "planted-value", "planted-other", "planted-build-", "planted-swift-",
        "PLANTED-ENVIRONMENT", "PLANTED-build", "planted-of-swift", "planted-more-swift",
      ],
      ["planted-first", "planted-nested"]
    )
  }

  private func isIn(_ file: String, _ text: String) throws -> Bool {
    try PythonReader.runScript(Self.script, ["absent", file, text]).status == 1
  }

  @Test(.enabled(if: PythonReader.hasPython), arguments: [false, true])
  func secretsAreInAPageOnlyWhereTheyAreAskedFor(isOfTwo: Bool) throws {
    let workspace = try Workspace()
    let (log, names, values, innerValues) = try planted(workspace)
    let other = try Workspace()
    let otherLog = try planted(other, build: 2).log
    let cut = other.file("shorter.evlog")
    #expect(ToolRun("cut", otherLog, "-o", cut, "--to", "200").status == .done)
    let file = workspace.file("page.html")
    func make(_ options: String...) throws {
      let arguments = isOfTwo ? ["diff", log, cut, "--html", file] : ["report", log, "-o", file]
      let run = ToolRun(arguments + ["--replace"] + options)
      #expect(run.status == (isOfTwo ? .found : .done), "\(run.errors)")
    }
    let folders = ["planted-home", "planted-folder", workspace.path, other.path]
    try make()
    for text in values + innerValues + folders { #expect(try !isIn(file, text), "\(text)") }
    if isOfTwo { #expect(try isIn(file, #""builds":[{"key":"build"},{"key":"swift"}]"#)) }
    for text in names where !isOfTwo || !["planted-diagnostic", "planted-mark"].contains(text) {
      #expect(try isIn(file, text), "\(text) is not found where it should be")
    }
    try make("--redact", "values")
    for text in values + innerValues + folders { #expect(try !isIn(file, text), "\(text)") }
    try make("--redact", "paths")
    for text in ["planted", "PLANTED", workspace.path, other.path] {
      #expect(try !isIn(file, text), "\(text)")
    }
    #expect(try page("inert", file).contains(" "))
    try make("--values")
    for text in folders { #expect(try !isIn(file, text), "\(text)") }
    for text in values { #expect(try isIn(file, text), "\(text) is not found where it should be") }
    let both = ToolRun(["report", log, "-o", file, "--values", "--redact", "paths", "--replace"])
    #expect(both.status == .refused)
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

/// The compression that pages use.
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
      #expect(String(decoding: Base64.encode(bytes), as: UTF8.self) == Data(bytes).base64EncodedString())
    }
  }
}
