import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

@Suite struct CheckTests {
  @Test func aBudgetWrittenFromARunIsKeptByIt() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let budget = workspace.file("budget.yaml")
    #expect(ToolRun("check", log, "--budget", budget, "--update").status == .done)
    let run = ToolRun("check", log, "--budget", budget)
    #expect(run.status == .done, "\(run.output)\(run.errors)")
    let text = try String(contentsOfFile: budget, encoding: .utf8)
    #expect(text.contains("\n  Row:\n    evaluations: 3\n    wasted: 1\n"))
    #expect(text.contains("\n  transaction \"refresh\":\n    evaluations: 4\n    fan_out: 2\n"))
    #expect(workspace.files == ["budget.yaml", "run.evlog", "run.evlog.jsonl"])
  }

  /// Also not if they are sessions in a folder.
  @Test func noReportReplacesWhatWasChecked() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let budget = workspace.file("budget.yaml")
    #expect(ToolRun("check", log, "--budget", budget, "--update").status == .done)
    let session = SessionIdentity(try LogHeader(ofLogAt: log)).id
    let other = try workspace.log(screen.replacing("refresh", with: "reload"), "other.evlog")
    for inputs in [["\(workspace.path)#\(session)"], [other, "--baseline", "\(workspace.path)#\(session)"]] {
      let run = ToolRun(["check"] + inputs + ["--budget", budget, "--junit", log, "--replace"])
      #expect(run.status == .refused)
      #expect(run.errors.contains("the new file is made of this one"), "\(inputs): \(run.errors)")
    }
  }

  @Test func brokenLimitsAreToldWithTheirLines() throws {
    let workspace = try Workspace()
    let budget = try workspace.write(
      """
      projections:
        Row:
          evaluations: 2
          wasted: 1
        "*":
          time: 1us
      cascades:
        "*":
          fan_out: 1

      """, to: "budget.yaml")
    let run = ToolRun("check", try workspace.log(screen), "--budget", budget)
    #expect(run.status == .found)
    #expect(run.output.contains("4 limits broken") || run.output.contains("3 of 4 limits broken"))
    #expect(run.output.contains("\(budget):3: Row: evaluations 3, and the limit is 2 (1 over)\n"))
    #expect(run.output.contains("\(budget):6: List: time 1.9 us, and the limit is 1.0 us (900 ns over)\n"))
    #expect(
      run.output.contains(
        "\(budget):9: transaction \"refresh\": fan-out 2, and the limit is 1 (1 over); the one of event 16\n")
    )
  }

  @Test func aBaselineMovesTheLimits() throws {
    let workspace = try Workspace()
    let budget = try workspace.write(
      """
      projections:
        ChatView:
          evaluations: +10%
        ChatHeader:
          evaluations: "+301"
        MessageRow:
          evaluations: -50%

      """, to: "budget.yaml")
    let (wide, isolated) = (sample("chat-wide"), sample("chat-isolated"))
    func broken(_ log: String, _ baseline: String) throws -> [String] {
      let run = ToolRun("check", log, "--budget", budget, "--baseline", baseline, "--format", "json")
      let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      let limits = try #require(json?["limits"] as? [[String: Any]])
      #expect(run.status == (limits.contains { $0["broken"] as? Bool == true } ? .found : .done))
      return limits.filter { $0["broken"] as? Bool == true }.compactMap { $0["name"] as? String }
    }
    #expect(try broken(wide, wide) == ["MessageRow"])
    #expect(try broken(wide, isolated) == ["ChatView", "MessageRow"])
    #expect(try broken(isolated, wide) == [])
  }

  @Test func aLimitOfANameThatIsNotInTheRunIsNotKept() throws {
    let workspace = try Workspace()
    let text = """
      projections:
        Rwo:
          evaluations: 9
          wasted: 0
        Row:
          evaluations: 9
      cascades:
        "set store.nosuch*":
          evaluations: 9

      """
    let budget = try workspace.write(text, to: "budget.yaml")
    let log = try workspace.log(screen)
    let run = ToolRun("check", log, "--budget", budget)
    #expect(run.status == .found)
    #expect(run.lines[0] == "\(log): of 4 limits 2 missing")
    #expect(run.output.contains("\(budget):3: nothing in the run is called Rwo; did you mean Row?\n"))
    #expect(run.output.contains("\(budget):9: nothing in the run is called set store.nosuch*"))
    #expect(run.lines.count { $0.hasPrefix("missing  ") } == 2, "not the one of 0: \(run.output)")
    let json = ToolRun("check", log, "--budget", budget, "--format", "json").output
    #expect(json.contains(#""missing":2"#) && json.contains(#""nearest":"Row""#))
    #expect(ToolRun("check", log, "--budget", budget, "--baseline", log).status == .found)
    let report = workspace.file("report.xml")
    #expect(ToolRun("check", log, "--budget", budget, "--junit", report).status == .found)
    #expect(try String(contentsOfFile: report, encoding: .utf8).contains(#"tests="4" failures="2">"#))
    #expect(ToolRun("check", log, "--budget", budget, "--allow-missing").status == .done)
    // Nor does an update turn it off.
    let update = ToolRun("check", log, "--budget", budget, "--update")
    #expect(update.errors.contains("\(budget):3: nothing in the run is called Rwo; did you mean Row?; left"))
    #expect(
      try String(contentsOfFile: budget, encoding: .utf8)
        == text.replacing("Row:\n    evaluations: 9", with: "Row:\n    evaluations: 3"))
  }

  @Test func updatingAFileKeepsItsCommentsAndNames() throws {
    let workspace = try Workspace()
    let budget = try workspace.write(
      """
      # Ours.
      projections:
        'R*': # rows, é
          evaluations: 2 # two
      total:
        wasted: "0"
        time:   1ns
      cascades: { é: {fan_out: 0}, "*": { fan_out: 9, evaluations: 1} }

      """, to: "budget.yaml")
    let log = try workspace.log(screen)
    let run = ToolRun("check", log, "--budget", budget, "--update")
    #expect(run.output == "\(budget): 5 limits changed\n", "\(run.errors)")
    #expect(
      try String(contentsOfFile: budget, encoding: .utf8) == """
        # Ours.
        projections:
          'R*': # rows, é
            evaluations: 3 # two
        total:
          wasted: "1"
          time:   4us
        cascades: { é: {fan_out: 0}, "*": { fan_out: 2, evaluations: 4} }

        """)
    #expect(ToolRun("check", log, "--budget", budget).status == .done)
  }

  @Test(arguments: [
    ("projection:\n", "1:1: there is no projection; did you mean projections?"),
    ("\ntotal:\n  evaluation: 1\n", "3:3: there is no limit evaluation here; did you mean evaluations?"),
    ("total:\n  fan_out: 1\n", "2:3: there is no limit fan_out here"),
    ("total:\n  time: 12\n", "2:9: a limit is a time, as time: 20ms"),
    ("total:\n  wasted: much\n", "2:11: a limit is a whole number, as wasted: 300"),
    ("total:\n  wasted: -1\n", "2:11: a limit is"), ("total:\n  wasted: ++1\n", "2:11: a limit is"),
    ("total:\n  wasted: 18446744073709551616\n", "2:11: a limit is"),
    ("total:\n  wasted:\n", "2:10: a limit is"),
    ("total:\n  wasted: [1]\n", "2:11: a limit is"), ("total:\n  wasted: {}\n", "2:11: a limit is"),
    ("total:\n  wasted: +1%\n", "2:11: a limit against a baseline needs one; give --baseline LOG"),
    ("projections:\n  Row: 3\n", "2:8: limits are written below Row"),
    ("projections: [Row]\n", "1:14: names are written below projections"),
    ("projections:\n  [Row]: 3\n", "2:3: a key is a name"),
    ("projections:\n  Row#7:\n    wasted: 3\n", "2:3: Row#7 is one instance; a budget is for all, as Row:"),
    ("total: 3\n", "1:8: limits are written below total"), ("total\n", "1:1: a budget begins with total:"),
    ("total:\n  wasted: 1\n  wasted: 2\n", "2:3: wasted is here twice"),
    ("projections:\n  1: {time: 1s}\n  '1': {time: 1s}\n", "2:3: 1 is here twice"),
    ("total: {wasted: 1}\n---\ntotal: {wasted: 2}\n", "2:1: expected a single document"),
    ("total: [\n", "2:1: while parsing"), ("", "1:1: no limits"), ("total:\n# wasted: 3\n", "1:1: no limits"),
    ("é:\r\n  é: \u{1}\n", "2:7: control characters are not allowed"),
    ("total: \(String(repeating: "[", count: 100_000))", "1:9: while parsing"),
    ("projections:\n  *:\n    wasted: 1\n", "2:4: while scanning an alias"),
  ]) func aBadBudgetIsRefusedAtItsPlace(text: String, reason: String) throws {
    let workspace = try Workspace()
    let budget = try workspace.write(text, to: "budget.yaml")
    let run = ToolRun("check", try workspace.log(screen), "--budget", budget)
    #expect(run.status == .refused)
    #expect(run.errors.hasPrefix("\(budget):\(reason)"), "\(run.errors)")
  }

  /// Each line expands to twice the previous one.
  @Test func anAliasIsRefusedBeforeItIsMultiplied() throws {
    let lines = (1..<60).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
    for text in [
      ["a0: &a0 1"] + lines + ["? *a59", ": 1"], ["projections:", "  A: &a", "    wasted: 1", "  B: *a"],
    ] {
      let error = #expect(throws: ToolError.self) { try Budget(text.joined(separator: "\n"), file: "b.yaml") }
      #expect(error?.description.contains("; a budget has no anchors and aliases") == true)
    }
  }

  @Test func aFileOfMoreThanABudgetIsNotRead() throws {
    let workspace = try Workspace()
    let budget = try workspace.write("", to: "budget.yaml")
    try #require(FileHandle(forWritingAtPath: budget)).truncate(atOffset: 17 << 20)
    let run = ToolRun("check", try workspace.log(screen), "--budget", budget)
    #expect(run.status == .refused)
    #expect(run.errors == "\(budget):1:1: the line is too long; at most 16.0 MiB are read\n")
  }

  /// Characters that have a meaning in YAML.
  private static let pieces = [
    "*", "&", "\u{E9}", "e\u{301}", " ", "#", ": ", "- ", "? ", "\n", "\r", "\t", "\"", "'", "\\", "\u{85}",
    "\u{2028}", "\u{FEFF}", "\u{0}", "\u{7F}", "\u{E026}", "\u{FFFE}", "\u{1F600}", "[", "{", "}", ",", "|",
    ">", "%", "@", "!", "~", "null", "12", "<<", "...", "Row", String(repeating: "long ", count: 300),
  ]

  @Test func aBudgetWrittenFromARunHasItsNamesByteForByte() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    var runs: [ExactString: UInt64] = [:]
    var lines: [String] = []
    for _ in 0..<150 {
      let count = Int.random(in: 1...4, using: &random)
      let name = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
      runs[ExactString(name.projectionGroup), default: 0] += 1
      lines.append(#"{"kind":"evaluate","projection":\#(Value.string(name).json),"duration_ns":1}"#)
    }
    let workspace = try Workspace()
    let once = try workspace.log(lines.map { $0 + "\n" }.joined(), "once.evlog")
    let twice = try workspace.log((lines + lines).map { $0 + "\n" }.joined(), "twice.evlog")
    let budget = workspace.file("budget.yaml")
    #expect(ToolRun("check", once, "--budget", budget, "--update").status == .done, "seed \(seed)")
    let limits = try Budget(Budget.text(ofFile: budget), file: budget).limits
    let written = limits.filter { $0.scope == .projection && $0.measure == .evaluations }
    let bounds = Dictionary(written.map { (ExactString($0.name), $0.bound) }) { first, _ in first }
    #expect(bounds == runs.mapValues { .absolute($0) }, "seed \(seed)")
    let update = ToolRun("check", twice, "--budget", budget, "--update")
    #expect(update.output == "\(budget): \(runs.count + 1) limits changed\n", "seed \(seed)")
    #expect(ToolRun("check", twice, "--budget", budget).status == .done, "seed \(seed)")
  }

  @Test func jUnitHasACaseForEachLimitWhateverTheNames() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"x":1}}
      {"kind":"evaluate","projection":"<P \\u001b\\"&","duration_ns":1}

      """)
    let budget = try workspace.write(
      "projections:\n  \"<P \\u001b\\\"&\":\n    evaluations: 0\n    wasted: 0\n", to: "budget.yaml")
    let report = workspace.file("junit.xml")
    let run = ToolRun("check", log, "--budget", budget, "--junit", report)
    #expect(run.status == .found, "\(run.errors)")
    #expect(!run.output.contains("\u{1B}"))
    let parser = try XMLCases(report)
    #expect(parser.cases == ["projections.<P \\u{1b}\"& evaluations", "projections.<P \\u{1b}\"& wasted"])
    #expect(parser.failures.count == 1)
    #expect(parser.failures[0].contains("budget.yaml:3: <P \\u{1b}\"&: evaluations 1"))
  }

  @Test func aBudgetThatIsNotThereIsRefused() throws {
    let workspace = try Workspace()
    let run = ToolRun("check", try workspace.log(screen), "--budget", workspace.file("none.yaml"))
    #expect(run.status == .refused)
    #expect(run.errors.contains("none.yaml: cannot be read"))
  }
}

/// The cases of a JUnit report, found without a parser: on Linux, Foundation's is in a separate library.
private struct XMLCases {
  var cases: [String] = []
  var failures: [String] = []

  init(_ path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in text.split(separator: "\n") {
      if line.contains("<testcase ") {
        cases.append("\(try attribute("classname", in: line)) \(try attribute("name", in: line))")
      }
      if line.contains("<failure ") { failures.append(Self.plain(String(line))) }
    }
  }

  private func attribute(_ name: String, in line: Substring) throws -> String {
    let start = try #require(line.firstRange(of: " \(name)=\"")).upperBound
    return Self.plain(String(line[start...].prefix { $0 != "\"" }))
  }

  private static func plain(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&amp;", with: "&")
  }
}
