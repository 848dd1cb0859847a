import Foundation
import LogGenerator
import PythonReader
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool

/// Every problem is found in its bad sample, and none in its fixed twin.
@Suite struct LintSampleTests {
  private static let shapes: [String: Set<LintRule>] = [
    "chat-wide": [.hotParent], "chat-isolated": [], "scopes": [],
    "list-object": [.wholeCollection], "list-trap": [.wholeCollection], "list-property": [],
    "list-element": [],
    "episodes-struct": [.hotParent], "episodes-identity": [],
    "catalog-single": [.mixedReads], "catalog-split": [],
    "stream-wide": [.hotParent], "stream-input": [],
    "feed-stale": [.staleAnswer], "feed-latest": [],
  ]

  @Test(arguments: shapes.keys.sorted())
  func whatASampleShows(name: String) throws {
    let rules = try #require(Self.shapes[name])
    let run = ToolRun("lint", sample(name), "--format", "json")
    #expect(run.status == (rules.isEmpty ? .done : .found))
    let report = try JSONDecoder().decode(LintReport.self, from: Data(run.output.utf8))
    #expect(Set(report.findings.map(\.rule)) == rules)
    #expect(report.findings.count == rules.count)
    #expect(report.rules == LintRule.allCases)
  }

  @Test(arguments: [
    "list-object", "list-trap", "episodes-struct", "catalog-single", "game-mixed", "stream-wide",
  ])
  func theCommandThatPricesTheFixSaysThatItHelps(name: String) throws {
    for finding in try LintReport.of(sample(name)).findings where !finding.isNote {
      try finding.expectThatTheFixHelps()
    }
  }

  /// A game is drawn as often as the display on purpose, so sixty sets a second are no flood. Both coordinates are set in each
  /// frame, so they are one change.
  @Test func aViewThatReadsWhereItIsBesideWhatItIsIsFound() throws {
    let mixed = try LintReport.of(sample("game-mixed")).findings
    #expect(mixed.map(\.rule) == [.mixedReads])
    let finding = try #require(mixed.first)
    #expect(finding.projection == "EntityView" && finding.path == "game.entities[*].x")
    #expect(
      finding.changes == ["x", "y"].map { Change(.isolate, "EntityView:game.entities[*].\($0)") })
    // Each of 50 entities in each of 60 frames, for each coordinate, and a nameplate and a health bar for each of these.
    #expect(finding.evidence.writes == 6_000)
    #expect(finding.evidence.evaluations == 18_000)
    #expect(finding.message.contains("beside game.entities[*].kind, which never changed"))
    #expect(finding.message.hasSuffix("ran along 12,000 times, each time to draw the same."))
    #expect(try LintReport.of(sample("game-split")).findings.isEmpty)
  }

  @Test func aTokenThatParsesEveryMessageIsFound() throws {
    let finding = try #require(try LintReport.of(sample("stream-wide")).findings.first)
    #expect(
      finding.message
        == "ChatView reads chat.messages as a whole, and chat.messages[*].text woke it 150 times: MarkdownRow ran"
        + " along 7,500 times, 7,350 of them to draw the same.")
    #expect(finding.whatIf.hasSuffix(" --input MarkdownRow"))
  }

  @Test func textHasTheSentenceTheEventsAndTheCommand() throws {
    let run = ToolRun("lint", sample("chat-wide"))
    #expect(run.status == .found)
    let lines = run.lines
    #expect(lines.first == "hot-parent")
    #expect(
      lines[1]
        == "  ChatView reads chat.tts.audioLevel, which woke it 300 times: MarkdownText and MessageRow ran along"
        + " 30,000 times, each time to draw the same.")
    #expect(lines[2].hasPrefix("  events 207, 310, 413 ... 31004 at SampleApps/ChatWide.swift:12; "))
    #expect(lines[4].hasPrefix("  predicted: 30,401 runs -> 402, "))
    #expect(
      lines[5] == "  try: replay what-if \(sample("chat-wide")) --isolate ChatView:chat.tts.audioLevel")
    #expect(
      lines.suffix(2) == [
        "1 finding",
        "30,401 runs, 639.6 ms: 401 needed (74.2 ms), 30,000 needless (565.4 ms: all drew the same)",
      ])
    #expect(
      ToolRun("lint", sample("chat-isolated")).output == "nothing found\n402 runs, 15.5 ms: all needed\n")
    let narrow = ToolRun("lint", sample("chat-wide"), width: 60).lines
    #expect(narrow.filter { !$0.contains("try:") && !$0.contains("events") }.allSatisfy { $0.count <= 60 })
  }

  @Test func whereNothingIsFoundTheLargestLinesAreNamed() {
    let log = sample("catalog-split")
    #expect(
      ToolRun("lint", log).lines == [
        "nothing found; most of the time that is not known to be needed:",
        "  1 run drew the same, 411.0 us",
        "    replay hot \(log) --line drew-same --by time",
        "    replay why \(log) ProductList --at 177",
        "71 runs, 993.1 us: 70 needed (582.1 us), 1 needless (411.0 us: all drew the same); 1 of 28 writes needless"
          + " (all led to needless runs alone)",
      ])
  }

  /// The finding is about Row, and List took most of the needless time.
  @Test func whatAFindingDoesNotExplainIsNamedToo() {
    let log = sample("list-trap")
    #expect(
      ToolRun("lint", log).lines.suffix(6) == [
        "1 finding",
        "most of the time that is not known to be needed:",
        "  3,000 runs drew the same, 7.9 ms",
        "    replay hot \(log) --line drew-same --by time",
        "    replay why \(log) List --at 5009",
        "4,004 runs, 18.0 ms: 1,004 needed (10.0 ms), 3,000 needless (7.9 ms: all drew the same)",
      ])
  }

  @Test func rulesAndThresholdsAreChosen() throws {
    func rules(_ name: String, _ options: String...) throws -> [String] {
      let run = ToolRun(["lint", sample(name), "--format", "json"] + options)
      let report = try JSONDecoder().decode(LintReport.self, from: Data(run.output.utf8))
      #expect(run.status == (report.isWorthChanging ? .found : .done))
      return report.findings.map(\.rule.rawValue)
    }
    #expect(try rules("episodes-struct", "--rule", "hot-parent", "--from", "mark:play") == ["hot-parent"])
    #expect(try rules("episodes-struct", "--rule", "flood") == [])
    #expect(try rules("episodes-struct", "--to", "mark:play") == [])
    #expect(try rules("list-trap", "--ignore-rule", "whole-collection") == [])
    #expect(try rules("list-trap", "--threshold", "fan-out=1001") == ["excess-reads"])
    #expect(try rules("list-trap", "--threshold", "wasted=100") == [])
    #expect(try rules("catalog-single", "--threshold", "count=21") == [])
    #expect(try rules("catalog-single", "--threshold", "count=20") == ["mixed-reads"])
    let log = sample("catalog-single")
    for wrong in ["fan-out", "fan-out=", "fan-out=-1", "fan=1", "fan-out=9999999999"] {
      #expect(ToolRun("lint", log, "--threshold", wrong).status == .refused)
    }
    #expect(ToolRun("lint", log, "--rule", "floods").status == .refused)
  }

  @Test func helpNamesEveryRuleAndEveryThreshold() {
    let help = ToolRun("lint", "--help").output
    for rule in LintRule.allCases { #expect(help.contains(rule.rawValue)) }
    for text in LintThresholds.texts { #expect(help.contains(text)) }
  }

  @Test(.enabled(if: PythonReader.hasPython)) func sarifHasNothingThatTheSchemaForbids() throws {
    let workspace = try Workspace()
    let named = workspace.file("a:b [100 %] é.evlog")
    try FileManager.default.copyItem(atPath: sample("episodes-struct"), toPath: named)
    let files = try (["chat-wide", "list-trap", "catalog-single", "chat-isolated"].map(sample) + [named]).map
    { log in
      let run = ToolRun("lint", log, "--format", "sarif")
      return try workspace.write(run.output, to: "\(UUID()).sarif")
    }
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "sarif.py").path
    let answer = try PythonReader.runScript(script, files)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(Int(answer.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 >= 4)
  }

  @Test func sarifHasWhatTheSchemaRequires() throws {
    let run = ToolRun("lint", sample("episodes-struct"), "--format", "sarif")
    #expect(run.status == .found)
    let log = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(log["version"] as? String == "2.1.0")
    #expect((log["$schema"] as? String)?.hasSuffix("sarif-2.1.0.json") == true)
    let runs = try #require(log["runs"] as? [[String: Any]])
    #expect(runs.count == 1)
    let driver = try #require((runs.first?["tool"] as? [String: Any])?["driver"] as? [String: Any])
    #expect(driver["name"] as? String == "replay")
    let rules = try #require(driver["rules"] as? [[String: Any]])
    #expect(rules.compactMap { $0["id"] as? String } == LintRule.allCases.map(\.rawValue))
    let results = try #require(runs.first?["results"] as? [[String: Any]])
    #expect(results.count == 1)
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
      #expect(["none", "note", "warning", "error"].contains(result["level"] as? String))
      #expect(((result["message"] as? [String: Any])?["text"] as? String)?.isEmpty == false)
      let locations = try #require(result["locations"] as? [[String: Any]])
      let place = try #require(locations.first?["physicalLocation"] as? [String: Any])
      let artifact = try #require(place["artifactLocation"] as? [String: Any])
      #expect((artifact["uri"] as? String)?.isEmpty == false)
    }
    let clean = ToolRun("lint", sample("chat-isolated"), "--format", "sarif")
    #expect(clean.status == .done)
    #expect(clean.output.contains(#""results":[]"#))
  }
}

extension LintReport {
  static func of(_ log: String) throws -> LintReport {
    let run = ToolRun("lint", log, "--format", "json")
    return try JSONDecoder().decode(LintReport.self, from: Data(run.output.utf8))
  }
}

extension LintReport.Finding {
  /// Runs the command that computes the saving of the fix: the projection that the finding names, or all of
  /// them, must run less.
  func expectThatTheFixHelps() throws {
    let words: [String] = whatIf.split(separator: " ").map { String($0).replacing("'", with: "") }
    guard words.prefix(2) == ["replay", "what-if"] else {
      Issue.record("\(rule) has no change")
      return
    }
    let predicted = try Predicted(words[2], Array(words.dropFirst(3)))
    var (before, after) = (predicted.before.values.reduce(0, +), predicted.after.values.reduce(0, +))
    // A derived value runs in place of what it saves.
    if let projection, ["--isolate", "--tracking", "--derived"].contains(where: whatIf.contains) {
      (before, after) = (predicted.before[projection] ?? 0, predicted.after[projection] ?? 0)
    }
    #expect(after < before, "\(whatIf)")
  }
}
