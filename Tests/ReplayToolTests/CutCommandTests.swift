import EventLog
import Foundation
import LogGenerator
import SampleApps
import Testing

@testable import ReplayTool

/// Cutting by paths and projections, held against what the whole log says of these.
@Suite struct CutCommandTests {
  /// What `timeline --path` says, without the numbers of events, which a cut changes.
  private func invalidations(_ log: String, by path: String) throws -> [String] {
    try ToolRun("timeline", log, "--path", path, "--format", "json").lines.map { line in
      let entry = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return "\(try #require(entry?["time_ns"])) \(try #require(entry?["projection"]))"
    }.sorted()
  }

  /// The kinds of paths that a run writes most.
  private func paths(_ log: String, most: Int) throws -> [String] {
    let json = try JSONSerialization.jsonObject(
      with: Data(ToolRun("hot", log, "--format", "json").output.utf8))
    let lines = try #require((json as? [String: Any])?["paths"] as? [[String: Any]])
    return lines.prefix(most).compactMap { $0["path"] as? String }
  }

  @Test(arguments: sampleNames.filter { $0 != "chat-wide" && !$0.hasPrefix("game") })
  func whatAPathWokeIsTheSameInAPartWithThatPath(name: String) throws {
    let workspace = try Workspace()
    let (log, part) = (sample(name), workspace.file("part.evlog"))
    for path in try paths(log, most: 4) {
      let cut = ToolRun("cut", log, "-o", part, "--path", path, "--replace")
      try #require(cut.status == .done, "\(path): \(cut.errors)")
      let verify = ToolRun("verify", part)
      #expect(verify.status == .done, "\(path): \(verify.output)")
      #expect(try invalidations(part, by: path) == invalidations(log, by: path), "\(path)")
    }
  }

  @Test func theExampleOfTheHelpKeepsTheRows() throws {
    let workspace = try Workspace()
    let part = workspace.file("rows.evlog")
    #expect(
      ToolRun("cut", sample("list-trap"), "-o", part, "--path", "store.rows[*].count").status == .done)
    let timeline = ToolRun("timeline", part, "--path", "store.rows[*].count")
    #expect(timeline.output.contains("3,003 invalidations"), "\(timeline.errors)")
    // Of rows that are followed each by itself, only those whose count was written.
    let few = ToolRun(
      "cut", sample("list-element"), "-o", part, "--path", "store.rows[id: 42].count", "--replace")
    #expect(few.status == .done, "\(few.errors)")
    let rows = ToolRun("hot", part).lines.filter { $0.hasPrefix("Row ") }
    #expect(rows.count == 1 && rows[0].split(separator: " ")[1] == "1", "\(rows)")
  }

  @Test(arguments: [
    (["--projection", "Rwo"], "there is no projection Rwo; did you mean Row?"),
    (["--projection", "Row", "--projection", "Nosuch*"], "there is no projection Nosuch*"),
    (["--path", "store.isLoadin"], "no event writes or reads store.isLoadin; did you mean store.isLoading?"),
    (["--path", "nosuch.**"], "no event writes or reads nosuch.**"),
    (["--from", "3ms", "--path", "nosuch"], "no event writes or reads nosuch"),
    (["--from", "3ms", "--to", "1ms"], "--to (event 12) lies before --from (event 20)"),
  ])
  func aNameThatNothingHasIsRefused(options: [String], reason: String) throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let run = ToolRun(["cut", log, "-o", workspace.file("part.evlog")] + options)
    #expect(run.status == .refused)
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(!workspace.files.contains("part.evlog"))
  }
}
