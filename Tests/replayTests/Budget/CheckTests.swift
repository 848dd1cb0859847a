import EventLog
import Foundation
import Testing

@testable import ReplayTool

@Suite struct CheckTests {
  @Test func aBudgetWrittenFromARunIsKeptByIt() throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let budget = workspace.file("budget.toml")
    #expect(ToolRun("check", log, "--budget", budget, "--update").status == .done)
    let run = ToolRun("check", log, "--budget", budget)
    #expect(run.status == .done, "\(run.output)\(run.errors)")
    let text = try String(contentsOfFile: budget, encoding: .utf8)
    #expect(text.contains("[projections.Row]\nevaluations = 3\nwasted = 1\n"))
    #expect(text.contains("[cascades.\"transaction \\\"refresh\\\"\"]\nevaluations = 4\nfan_out = 2\n"))
    #expect(workspace.files == ["budget.toml", "run.evlog", "run.evlog.jsonl"])
  }

  @Test func brokenLimitsAreToldWithTheirLines() throws {
    let workspace = try Workspace()
    let budget = try workspace.write(
      """
      [projections.Row]
      evaluations = 2
      wasted = 1
      [projections."*"]
      time = "1us"
      [cascades."*"]
      fan_out = 1

      """, to: "budget.toml")
    let run = ToolRun("check", try workspace.log(screen), "--budget", budget)
    #expect(run.status == .found)
    #expect(run.output.contains("4 limits broken") || run.output.contains("3 of 4 limits broken"))
    #expect(run.output.contains("\(budget):2: Row: evaluations 3, and the limit is 2 (1 over)\n"))
    #expect(run.output.contains("\(budget):5: List: time 1.9 us, and the limit is 1.0 us (900 ns over)\n"))
    #expect(
      run.output.contains(
        "\(budget):7: transaction \"refresh\": fan-out 2, and the limit is 1 (1 over); the one of event 16\n")
    )
  }

  @Test func aBaselineMovesTheLimits() throws {
    let workspace = try Workspace()
    let budget = try workspace.write(
      """
      [projections.ChatView]
      evaluations = "+10%"
      [projections.ChatHeader]
      evaluations = "+301"
      [projections.MessageRow]
      evaluations = "-50%"

      """, to: "budget.toml")
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

  @Test func updatingAFileKeepsItsCommentsAndNames() throws {
    let workspace = try Workspace()
    let budget = try workspace.write(
      """
      # Ours.
      [projections.'R*'] # rows
      evaluations = 2 # two
      [total]
      wasted = 0
      time = "1ns"
      [cascades]
      "*" = { fan_out = 9, evaluations = 1 }

      """, to: "budget.toml")
    let log = try workspace.log(screen)
    let run = ToolRun("check", log, "--budget", budget, "--update")
    #expect(run.output == "\(budget): 5 limits changed\n", "\(run.errors)")
    #expect(
      try String(contentsOfFile: budget, encoding: .utf8) == """
        # Ours.
        [projections.'R*'] # rows
        evaluations = 3 # two
        [total]
        wasted = 1
        time = "4us"
        [cascades]
        "*" = { fan_out = 2, evaluations = 4 }

        """)
    #expect(ToolRun("check", log, "--budget", budget).status == .done)
  }

  @Test(arguments: [
    ("[projection.Row]\nevaluations = 1\n", "1:1: there is no projection; did you mean projections?"),
    ("\n[total]\nevaluation = 1\n", "3:1: there is no limit evaluation here; did you mean evaluations?"),
    ("[total]\nfan_out = 1\n", "2:1: there is no limit fan_out here"),
    ("[total]\ntime = 12\n", #"2:1: write time = "20ms""#),
    ("[total]\nwasted = \"much\"\n", "2:1: write wasted = 300"),
    ("[total]\nwasted = -1\n", "2:1: a limit is 0 or more"),
    ("[total]\nwasted = \"+1%\"\n", "2:1: a limit against a baseline needs one; give --baseline LOG"),
    ("[projections]\nRow = 3\n", "2:1: Row is no table; write [projections.NAME]"),
    ("[projections.'Row#7']\nwasted = 3\n", "1:1: Row#7 is one instance"),
    ("total = 3\n", "1:1: total is no table; write [total]"),
    ("[total\n", "1:7: "), ("", "1:1: no limits"), ("[a]\nx = \"\u{1}\"\n", "2:6: "),
  ]) func aBadBudgetIsRefusedAtItsLine(text: String, reason: String) throws {
    let workspace = try Workspace()
    let budget = try workspace.write(text, to: "budget.toml")
    let run = ToolRun("check", try workspace.log(screen), "--budget", budget)
    #expect(run.status == .refused)
    #expect(run.errors.hasPrefix("\(budget):\(reason)"), "\(run.errors)")
  }

  @Test func jUnitHasACaseForEachLimitWhateverTheNames() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      """
      {"kind":"set","path":"a","value":{"x":1}}
      {"kind":"evaluate","projection":"<P \\u001b\\"&","duration_ns":1}

      """)
    let budget = try workspace.write(
      "[projections.\"<P \\u001b\\\"&\"]\nevaluations = 0\nwasted = 0\n", to: "budget.toml")
    let report = workspace.file("junit.xml")
    let run = ToolRun("check", log, "--budget", budget, "--junit", report)
    #expect(run.status == .found, "\(run.errors)")
    #expect(!run.output.contains("\u{1B}"))
    let parser = try XMLCases(report)
    #expect(parser.cases == ["projections.<P \\u{1b}\"& evaluations", "projections.<P \\u{1b}\"& wasted"])
    #expect(parser.failures.count == 1)
    #expect(parser.failures[0].contains("budget.toml:2: <P \\u{1b}\"&: evaluations 1"))
  }

  @Test func aBudgetThatIsNotThereIsRefused() throws {
    let workspace = try Workspace()
    let run = ToolRun("check", try workspace.log(screen), "--budget", workspace.file("none.toml"))
    #expect(run.status == .refused)
    #expect(run.errors.contains("none.toml: cannot be read"))
  }
}

/// The cases of a JUnit report, found without a parser: Foundation's is a library of its own on Linux.
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
