import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// What `diff` says of more than two runs, and the pages that it writes beside that of two.
@Suite struct RunsTableTests {
  private static func sample(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../SampleLogs/\(name).evlog")
      .standardized.path
  }

  /// A log in which a badge ran so often after one write, and so often for nothing, by a build of a commit.
  private func log(
    _ name: String, commit: String?, runs: Int, wasted: Int, in workspace: Workspace
  ) throws -> String {
    var options = LogOptions()
    if let commit { options.metadata = ["git_commit": commit] }
    let path = workspace.file("\(name).evlog")
    let writer = try LogWriter(creating: path, options: options)
    try writer.append(.projection(name: "Badge", parent: nil, tracking: .property), time: 1)
    for number in 0..<runs {
      try writer.append(
        .evaluate(projection: "Badge", duration: 10, changed: number >= wasted), time: UInt64(2 + number))
    }
    try writer.close()
    return path
  }

  @Test func aTableHasAColumnForEachRunUnderItsCommit() throws {
    let workspace = try Workspace()
    let logs = [
      try log("a", commit: "1a2b", runs: 1, wasted: 0, in: workspace),
      try log("b", commit: "3c4d", runs: 8, wasted: 8, in: workspace),
      try log("c", commit: nil, runs: 2, wasted: 0, in: workspace),
    ]
    let run = ToolRun(["diff"] + logs)
    #expect(run.status == .done, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines[0] == ["PROJECTION", "1a2b", "3c4d", "c.evlog"])
    #expect(lines[1] == ["Badge", "1", "8", "(8)", "2"])
  }

  @Test func whatBecameWorseComesFirst() throws {
    let run = ToolRun(
      "diff", Self.sample("chat-isolated"), Self.sample("chat-isolated"), Self.sample("chat-wide"))
    let names = run.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first }
    #expect(names.prefix(2).sorted() == ["MarkdownText", "MessageRow"])
    #expect(names.dropFirst(3).first == "ChatHeader")
  }

  @Test func optionsForTwoLogsAreRefusedForMore() throws {
    let (a, b) = (Self.sample("chat-wide"), Self.sample("chat-isolated"))
    for option in [["--events"], ["--findings"], ["--fail-on", "state"], ["--ignore", "Row"]] {
      let run = ToolRun(["diff", a, b, a] + option)
      #expect(run.status == .refused && run.errors.contains("for two logs"), "\(option)")
    }
  }

  @Test func pagesOfBothRunsAreBesideThatOfTheTwoAndReplaceNothing() throws {
    let workspace = try Workspace()
    let (a, b) = (Self.sample("catalog-single"), Self.sample("catalog-split"))
    let page = workspace.file("two.html")
    let existing = try workspace.write("kept", to: "two-b.html")
    let refused = ToolRun("diff", a, b, "--html", page, "--pages")
    #expect(refused.status == .refused)
    #expect(!FileManager.default.fileExists(atPath: page))
    #expect(try String(contentsOfFile: existing, encoding: .utf8) == "kept")
    let run = ToolRun("diff", a, b, "--html", page, "--pages", "--replace")
    #expect(run.status == .found, "\(run.errors)")
    for name in ["two.html", "two-a.html", "two-b.html"] {
      #expect(try String(contentsOfFile: workspace.file(name), encoding: .utf8).hasPrefix("<!doctype html>"))
    }
    let alone = ToolRun("diff", a, b, "--pages")
    #expect(alone.status == .refused && alone.errors.contains("are for --html"))
  }
}
