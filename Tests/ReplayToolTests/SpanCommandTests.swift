import LogGenerator
import Testing

@testable import ReplayTool

/// Totals and selection by action, transaction and mark, as a user sees them.
@Suite struct SpanCommandTests {
  private let feed = sample("feed-stale")

  @Test func hotTotalsByAction() {
    let run = ToolRun("hot", feed, "--by", "action")
    let lines = run.lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init) }
    #expect(
      lines[0] == [
        "ACTION", "TIMES", "WRITES", "EVALUATIONS", "WASTED", "TIME", "P50", "P95", "LONGEST", "AT",
      ])
    #expect(lines[1].prefix(5) == ["Refresh", "2", "6", "18", "0"])
    #expect(lines[2].prefix(5) == ["Search", "3", "6", "11", "0"])
    #expect(lines[3].prefix(6) == ["Load", "more", "2", "1", "5", "0"])
    #expect(run.output.hasSuffix("times up to the last run; 1 threw\n"))
    #expect(ToolRun("hot", feed, "--by", "transaction").output == "no transaction is there\n")
    #expect(ToolRun("hot", feed, "--by", "mark", "--from", "mark:type").lines[1].hasPrefix("type"))
    #expect(
      ToolRun("hot", feed, "--by", "action", "--format", "json").output.hasPrefix(
        #"{"forgotten":0,"kind":"action","lines":[{"cancelled":0,"count":2,"#))
  }

  @Test func anActionSelectsWhatItLedTo() {
    let timeline = ToolRun("timeline", feed, "--action", "Search").lines
    #expect(
      timeline.dropFirst().dropLast().map { $0.split(separator: " ")[3] } == [
        "SearchField", "SearchField", "SearchField", "FeedList", "FeedList",
      ])
    #expect(ToolRun("hot", feed, "--action", "Search").output.contains("FeedList"))
    #expect(!ToolRun("hot", feed, "--action", "Search").output.contains("Spinner"))
    let cascades = ToolRun("cascades", feed, "--action", "Load*")
    #expect(cascades.output.hasPrefix("action \"Load more\"  event 117\n  1 write, 5 evaluations, "))
    #expect(cascades.lines.count { !$0.hasPrefix(" ") } == 1)
    let events = ToolRun("events", feed, "--action", "Search", "--kind", "set,splice", "--limit", "0").lines
    #expect(events.map { String($0.split(separator: " ")[0]) } == ["53", "57", "61", "64", "66", "78"])
    for command in ["hot", "timeline", "cascades", "events"] {
      let run = ToolRun(command, feed, "--action", "Serch")
      #expect(run.status == .refused)
      #expect(run.errors.contains(#"there is no action "Serch"; did you mean Search?"#), "\(run.errors)")
    }
  }

  @Test func cascadesOfOneActionAreOne() {
    let lines = ToolRun("cascades", feed).lines
    #expect(lines[0].hasPrefix("2 x action \"Refresh\"  events 16 to 95"))
    #expect(lines[1].hasPrefix("  6 writes, 18 evaluations, "))
    #expect(ToolRun("cascades", feed, "--limit", "0").lines.count { $0.hasPrefix("action \"Search\"") } == 3)
  }

  @Test func aBudgetLimitsActions() throws {
    let workspace = try Workspace()
    func check(_ budget: String) throws -> ToolRun {
      try budget.write(toFile: workspace.file("budget.yaml"), atomically: true, encoding: .utf8)
      return ToolRun("check", feed, "--budget", workspace.file("budget.yaml"))
    }
    let kept = try check("actions:\n  Search:\n    evaluations: 8\n    until_settled: 1s\n    time: 1s\n")
    #expect(kept.status == .done, "\(kept.output)")
    let broken = try check("actions:\n  Search:\n    evaluations: 7\n    until_settled: 500ms\n")
    #expect(broken.status == .found)
    #expect(
      broken.output.contains(
        #"action "Search": evaluations 8, and the limit is 7 (1 over); the one of event 56"#))
    #expect(broken.output.contains(#"action "Search": time to the last run 5"#), "\(broken.output)")
    #expect(try check("actions:\n  Serch:\n    evaluations: 7\n").output.contains("Search"))
    let written = ToolRun("check", feed, "--budget", workspace.file("new.yaml"), "--update")
    #expect(written.status == .done)
    let text = try String(contentsOfFile: workspace.file("new.yaml"), encoding: .utf8)
    #expect(text.contains("actions:\n  Load more:\n    evaluations: 5\n    wasted: 0\n  Refresh:"), "\(text)")
  }

  @Test func everyExportHasTheOutcome() throws {
    #expect(ToolRun("export", feed, "--format", "csv").output.contains(",finish,95,"))
    #expect(ToolRun("export", feed, "--format", "csv").output.contains(",threw,\r\n"))
  }
}
