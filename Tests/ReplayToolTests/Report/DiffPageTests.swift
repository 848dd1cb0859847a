import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import EventLog
@testable import ReplayTool

/// Pages of two runs, read by a program that knows how they are packed but not how they are made.
@Suite struct DiffPageTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "page.py")
    .path

  private static func sample(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../SampleLogs/\(name).evlog")
      .standardized.path
  }

  /// Makes a page, and the output of commands for the logs, and has Python compare them.
  ///
  /// - Returns: How many projections, places, lines of these and differences of the state there were.
  private func compare(_ a: String, _ b: String, in workspace: Workspace, _ options: String...) throws
    -> [Int]
  {
    let file = workspace.file("page.html")
    let all = ToolRun("diff", a, b, "--format", "json", "--events", "--findings", "--limit", "0")
    let run = ToolRun(["diff", a, b, "--html", file, "--replace"] + options)
    #expect(run.status == all.status, "\(run.errors)")
    _ = try workspace.write(all.output, to: "diff.json")
    for (side, log) in [("a", a), ("b", b)] {
      for command in ["cascades", "hot"] {
        _ = try workspace.write(
          ToolRun(command, log, "--format", "json").output, to: "\(command)-\(side).json")
      }
    }
    let answer = try PythonReader.runScript(Self.script, ["diff", file, workspace.path])
    #expect(answer.status == 0, "\(a), \(b): \(answer.output)\(answer.errors)")
    let inert = try PythonReader.runScript(Self.script, ["inert", file])
    #expect(inert.status == 0, "\(inert.output)\(inert.errors)")
    return answer.output.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
  }

  @Test(
    .enabled(if: PythonReader.hasPython),
    arguments: [
      ("chat-wide", "chat-isolated"), ("catalog-single", "catalog-split"), ("list-element", "list-object"),
      ("game-mixed", "game-split"), ("episodes-struct", "episodes-identity"), ("scopes", "mailbox"),
    ])
  func aPageSaysWhatTheCommandSays(a: String, b: String) throws {
    let counts = try compare(Self.sample(a), Self.sample(b), in: Workspace())
    #expect(counts.count == 4 && counts.prefix(3).allSatisfy { $0 > 0 }, "\(counts)")
    _ = try compare(Self.sample(a), Self.sample(b), in: Workspace(), "--values")
    _ = try compare(Self.sample(a), Self.sample(b), in: Workspace(), "--budget", "0.2")
  }

  @Test(.enabled(if: PythonReader.hasPython)) func aPageOfARunAndItselfSaysSo() throws {
    let workspace = try Workspace()
    let counts = try compare(Self.sample("scopes"), Self.sample("scopes"), in: workspace)
    #expect(counts == [0, 0, 0, 0])
  }

  @Test(.enabled(if: PythonReader.hasPython)) func aPageOfRandomSessionsSaysWhatTheCommandSays() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for number in 0..<8 {
      let workspace = try Workspace()
      var logs: [String] = []
      let shared = random.next()
      for name in ["a", "b"] {
        // Two runs with the same beginning, and two unrelated runs.
        var session = ValidSession(seed: number < 4 ? shared : random.next())
        let log = workspace.file(name + ".evlog")
        let writer = try LogWriter(creating: log)
        for event in session.events(Int.random(in: 40...200, using: &random)) { try writer.append(event) }
        try writer.close()
        logs.append(log)
      }
      let counts = try compare(
        logs[0], logs[1], in: workspace, number.isMultiple(of: 2) ? "--values" : "--budget=0.3")
      #expect(counts.count == 4, "TEST_SEED=\(seed): \(counts)")
    }
  }

  @Test func thePageIsBesideWhatIsPrinted() throws {
    let workspace = try Workspace()
    let (a, b) = (Self.sample("catalog-single"), Self.sample("catalog-split"))
    let file = workspace.file("page.html")
    let plain = ToolRun("diff", a, b)
    let run = ToolRun("diff", a, b, "--html", file)
    #expect(run.status == .found && run.errors == plain.errors)
    #expect(run.output.hasPrefix(plain.output) && run.lines.last?.contains(": written, ") == true)
    let json = ToolRun("diff", a, b, "--format", "json", "--html", file, "--replace")
    #expect(json.output == ToolRun("diff", a, b, "--format", "json").output)
    // An existing file stays.
    _ = try workspace.write("mine", to: "page.html")
    #expect(ToolRun("diff", a, b, "--html", file).status == .refused)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(ToolRun("diff", a, b, "--html", a, "--replace").status == .refused)
    #expect(ToolRun("diff", a, b, "--values").status == .refused)
  }

  @Test(.enabled(if: PythonReader.hasPython)) func selectionsAndRulesAreInThePageToo() throws {
    let workspace = try Workspace()
    let file = workspace.file("page.html")
    let run = ToolRun(
      "diff", Self.sample("chat-isolated"), Self.sample("chat-wide"), "--projection", "MessageRow", "--html",
      file,
      "--fail-on", "more-evaluations:10%")
    #expect(run.status == .found)
    let answer = try PythonReader.runScript(Self.script, ["absent", file, "ChatHeader"])
    #expect(answer.status == 0, "\(answer.output)")
    #expect(try PythonReader.runScript(Self.script, ["absent", file, "more-evaluations:10%"]).status == 1)
  }
}
