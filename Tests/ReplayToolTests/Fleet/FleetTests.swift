import EventLog
import Foundation
import LogGenerator
import PythonReader
import ReplayAnalysis
import Testing

@testable import ReplayTool

/// `replay fleet`, sessions by their ids, and the questions for engines, on the same sessions.
@Suite struct FleetTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test func bothFormsOfTablesGiveTheSameAnswers() throws {
    let folders = try summaries(sessions: 90)
    for arguments in [["fleet", "top"], ["fleet", "top", "--limit", "1"]] {
      let answers = folders.map { ToolRun(arguments + [$0]) }
      #expect(answers[0].status == .done, "\(answers[0].errors)")
      #expect(answers[0].output == answers[1].output)
    }
    let answers = folders.map { ToolRun("fleet", "diff", "\($0)@1.4", "\($0)@1.5", "--least", "5") }
    #expect(answers[0].status == .found, "\(answers[0].errors)")
    #expect(answers[0].output == answers[1].output)
    // Both findings are that fault, and cost about the same.
    for line in ["write store.b", "projection Slow"] {
      #expect(answers[0].lines.dropFirst().prefix(2).contains { $0.hasPrefix(line) }, "\(answers[0].output)")
    }
    #expect(ToolRun("fleet", "diff", folders[0], folders[0]).status == .done)
  }

  @Test func ranksAreThoseOfTheRows() throws {
    let folder = try summaries(sessions: 40)[1]
    let tables = Tables(folder)
    let weights = Dictionary(
      tables.rows("sessions").map { ($0["session_id"]!, Double($0["sampling_weight"]!)!) },
      uniquingKeysWith: { a, _ in a })
    var costs: [String: Double] = [:]
    for row in tables.rows("projections") {
      costs[row["kind"]!, default: 0] += Double(row["total_ns"]!)! * weights[row["session_id"]!]!
    }
    let sum = weights.values.reduce(0, +)
    let json = ToolRun("fleet", "top", folder, "--format", "json").output
    let ranking = try JSONDecoder().decode(FleetRanking.self, from: Data(json.utf8))
    #expect(ranking.sessions == 40)
    #expect(Set(ranking.projections.map(\.kind)) == Set(costs.keys))
    for line in ranking.projections {
      #expect(abs(line.time - costs[line.kind]! / sum) < 1e-6 * line.time, "\(line.kind)")
    }
    #expect(ranking.projections.map(\.time) == ranking.projections.map(\.time).sorted(by: >))
  }

  @Test func theSessionsThatArePrintedCanBeOpenedAtTheirEvents() throws {
    let folder = try summaries(sessions: 20)[0]
    let lines = ToolRun("fleet", "top", folder).lines
    let commands = lines.filter { $0.hasPrefix("  replay report ") }
    #expect(commands.count > 1)
    var pages: [String: String] = [:]
    for command in commands {
      let words = command.split(separator: " ").map(String.init)
      // Each session has a page of its own, and an event is to be opened in that of its session.
      #expect(pages.updateValue(words[4], forKey: words[2]) ?? words[4] == words[4], "\(command)")
      #expect(command.contains("then open \(words[4])#event="), "\(command)")
      let run = ToolRun("report", words[2], "-o", workspace.file(words[4]), "--replace")
      #expect(run.status == .done, "\(command): \(run.errors)")
      // The event of the page's address is one of that log.
      let seq = try #require(command.split(separator: "#event=").last.flatMap { UInt64($0) })
      #expect(try LogSource(path: words[2]).event(seq) != nil, "\(command)")
    }
    #expect(Set(pages.values).count == pages.count, "two sessions have one page: \(pages)")
  }

  @Test func tooFewSessionsToTellAreAnAnswerOfTheirOwn() throws {
    let folders = try summaries(sessions: 24)
    for folder in folders {
      for (sides, least, reason) in [
        (["\(folder)@1.4", "\(folder)@2"], "2", "no session is of version 2; there are 1.4, 1.5, 1.6"),
        (["\(folder)@2", "\(folder)@1.5"], "2", "no session is of version 2"),
        (["\(folder)@1.4", "\(folder)@1.5"], "30", ""),
      ] {
        let run = ToolRun(["fleet", "diff", "--least", least] + sides)
        #expect(run.status == .undecided, "\(sides): \(run.output) \(run.errors)")
        #expect(run.output.hasPrefix("too few sessions to compare: "), "\(run.output)")
        #expect(reason.isEmpty || run.errors.contains(reason), "\(run.errors)")
        let json = ToolRun(["fleet", "diff", "--format", "json", "--least", least] + sides)
        #expect(json.status == .undecided && json.output.contains(#""worse":[]"#), "\(json.output)")
      }
      #expect(ToolRun("fleet", "diff", "\(folder)@1.4", "\(folder)@1.4", "--least", "2").status == .done)
    }
  }

  @Test func whereNothingGotWorseItSaysWhatWouldHaveBeenFound() throws {
    for folder in try summaries(sessions: 90) {
      let sides = ["\(folder)@1.4", "\(folder)@1.4"]
      let run = ToolRun(["fleet", "diff", "--least", "5"] + sides)
      #expect(run.lines.first == "nothing got worse, as far as these sessions tell", "\(run.output)")
      let sentence = run.lines.dropFirst().first ?? ""
      // Fast, Slow and what store.a wastes; store.b wastes nothing.
      #expect(sentence.contains(" times the cost would have been found for half of 3 kinds"), "\(run.output)")
      #expect(sentence.hasSuffix(" (95 % power)"), "\(run.output)")
      let check = ToolRun("fleet", "check", sides[0], "--baseline", sides[1], "--least", "5")
      #expect(check.status == .done && check.lines.dropFirst().first == sentence, "\(check.output)")
      let json = ToolRun(["fleet", "diff", "--least", "5", "--format", "json"] + sides).output
      let detectable = try #require(
        try JSONDecoder().decode(FleetDifference.self, from: Data(json.utf8)).detectable)
      #expect(json.contains(#""detectable":{"#) && detectable.sentence == sentence, "\(json)")
      // Where it cannot be told what got worse, it cannot be told what would have been found.
      let few = ToolRun(["fleet", "diff", "--least", "1000"] + sides)
      #expect(few.status == .undecided && !few.output.contains("would have been found"), "\(few.output)")
    }
    // Rounded up, and said if there is none.
    let half = "1.25 times the cost would have been found for half of 2 kinds"
    let not = "not even 64 times"
    for (ratios, sentence) in [
      (#""half": 1.241, "nine_of_ten": 3.051"#, "\(half), 3.06 times for 9 in 10 (95 % power)"),
      (#""half": 1.25"#, "\(half); for 9 in 10 \(not) is enough (95 % power)"),
      (#""half": null"#, "for half of 2 kinds \(not) the cost is enough to be found (95 % power)"),
    ] {
      let text = #"{"kinds": 2, \#(ratios)}"#
      let detectable = try JSONDecoder().decode(FleetDetectable.self, from: Data(text.utf8))
      #expect(detectable.sentence == sentence)
    }
    let none = try JSONDecoder().decode(FleetDetectable.self, from: Data(#"{"kinds": 0}"#.utf8))
    #expect(none.sentence == "no kind that costs anything is in enough sessions to be compared")
  }

  @Test func whatIsNoTableIsRefused() throws {
    let folder = try summaries(sessions: 6)[0]
    #expect(ToolRun("fleet", "top", workspace.file("none")).status == .refused)
    let none = ToolRun("fleet", "top", "\(folder)@9")
    #expect(none.output == "there are no such sessions\n" && none.status == .undecided)
    #expect(none.errors == "replay: \(folder): no session is of version 9; there are 1.4, 1.5, 1.6\n")
    #expect(ToolRun("fleet").status != .done || ToolRun("fleet").output.contains("top"))
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    let file = try #require(
      (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
        .first { $0.hasPrefix("sessions/") && $0.hasSuffix(".parquet") })
    let whole = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0..<3 {
        bytes[.random(in: bytes.indices, using: &random)] = UInt8(truncatingIfNeeded: random.next())
      }
      try bytes.prefix(.random(in: bytes.count / 2...bytes.count, using: &random)).write(
        to: URL(filePath: "\(folder)/\(file)"))
      let run = ToolRun("fleet", "top", folder)
      if run.status == .refused { #expect(run.errors.contains(file), "seed \(seed): \(run.errors)") }
    }
    let lines = try summaries(sessions: 6)[1]
    let listed = try #require(Tables(lines).files("paths").first)
    for text in ["{", "[]\n", "7\n", "{\"session_id\":1}\n", String(repeating: "x", count: 2 << 20)] {
      try text.write(toFile: listed, atomically: false, encoding: .utf8)
      let run = ToolRun("fleet", "top", lines)
      #expect(run.status == .refused, "\(text.prefix(20))")
    }
  }

  // MARK: What is compared

  @Test func whatIsNewIsListedApartAndTheMeansStandBesideWhatMostSessionsCost() throws {
    let folder = try summaries(sessions: 120)[0]
    let run = ToolRun(
      "fleet", "diff", "\(folder)@1.5", "\(folder)@1.6", "--least", "10", "--confidence", "99.9")
    #expect(run.status == .found, "\(run.output) \(run.errors)")
    let lines = run.lines
    #expect(
      lines[0].hasPrefix("WORSE") && lines[0].contains("MORE, 99.9 % BETWEEN")
        && lines[0].contains("P95 BEFORE"))
    #expect(lines[1].hasPrefix("projection Fast") && lines[1].contains("  all "), "\(run.output)")
    let new = try #require(lines.firstIndex { $0.hasPrefix("NEW ") })
    #expect(lines[new + 1].hasPrefix("projection Added"), "\(run.output)")
    #expect(!lines[..<new].contains { $0.contains("Added") })
    // And from the other side it is gone, and the rest better.
    let back = ToolRun("fleet", "diff", "\(folder)@1.6", "\(folder)@1.5", "--least", "10")
    #expect(back.status == .done, "\(back.output)")
    #expect(back.lines.contains { $0.hasPrefix("GONE") } && back.lines.contains { $0.hasPrefix("BETTER") })
  }

  @Test func aVersionMayHaveAnAtSign() throws {
    let folder = workspace.file("tables@home")
    for (number, version) in ["1@2", "1@3"].enumerated() {
      let log = try workspace.record("\(number)", ["session_id": "\(number)", "version": version])
      #expect(ToolRun("summarize", log, "-o", folder).status == .done)
      let run = ToolRun("fleet", "top", "\(folder)@\(version)")
      #expect(run.status == .done && run.output.contains("of 1 session"), "\(run.output) \(run.errors)")
    }
    #expect(ToolRun("fleet", "top", folder).output.contains("of 2 sessions"))
    #expect(
      ToolRun("fleet", "top", "\(folder)@1").errors.contains("no session is of version 1; there are 1@2, 1@3")
    )
  }

  @Test func sessionsOfTwoAppsAreNotAddedUp() throws {
    let folder = workspace.file("t")
    let logs = try ["chat", "mail"].map {
      try workspace.record($0, ["session_id": $0, "app": $0, "version": "1"])
    }
    #expect(ToolRun(["summarize", "-o", folder] + logs).status == .done)
    for arguments in [["top", folder], ["diff", "\(folder)@1", "\(folder)@1"]] {
      let run = ToolRun(["fleet"] + arguments)
      #expect(
        run.status == .refused && run.errors.contains("several apps, chat, mail; choose one by --app"),
        "\(run.errors)")
    }
    #expect(ToolRun("fleet", "top", folder, "--app", "mail").output.contains("of 1 session"))
    let none = ToolRun("fleet", "top", folder, "--app", "other")
    #expect(
      none.status == .undecided && none.errors.contains("no sessions of the app other"), "\(none.errors)")
  }

  @Test(arguments: ["jsonl", "parquet"]) func logsThatAreNotWholeAreNotCountedAsSessions(format: String)
    throws
  {
    let folder = workspace.file("t")
    let whole = try workspace.record("a", ["session_id": "a", "version": "1"])
    let bytes = try Data(
      contentsOf: URL(filePath: workspace.record("b", ["session_id": "b", "version": "1"])))
    let torn = workspace.file("torn.evlog")
    try bytes.dropLast(bytes.count / 3).write(to: URL(filePath: torn))
    #expect(ToolRun("summarize", whole, torn, "-o", folder, "--format", format).status == .damaged)
    let top = ToolRun("fleet", "top", "\(folder)@1")
    #expect(top.output.contains("of 1 session\n1 session not counted"), "\(top.output)")
    #expect(top.output.contains("1 failure: 1 torn"), "\(top.output)")
    let diff = ToolRun("fleet", "diff", "\(folder)@1", "\(folder)@1")
    #expect(diff.status == .undecided && diff.output.contains("before: 1 failure: 1 torn"), "\(diff.output)")
  }

  @Test func whatIsComparedIsAskedForByOptions() throws {
    let folder = try summaries(sessions: 90)[0]
    let sides = ["fleet", "diff", "\(folder)@1.4", "\(folder)@1.5", "--least", "5"]
    func diff(_ options: String...) throws -> FleetDifference {
      let run = ToolRun(sides + options + ["--format", "json"])
      return try JSONDecoder().decode(FleetDifference.self, from: Data(run.output.utf8))
    }
    let all = try diff().worse
    let slow = try #require(all.first { $0.kind == "Slow" })
    // Sessions have 15 to 23 writes.
    let perWrite = try diff("--per", "write")
    let part = try #require(perWrite.worse.first { $0.kind == "Slow" })
    #expect(perWrite.unit == .write && (14..<24).contains(slow.before / part.before))
    #expect(ToolRun(sides + ["--per", "write"]).output.contains("costs are per write"))
    // Slow costs less than the elevenfold, and nothing a second more. Of so few sessions some of it may be chance.
    #expect(try !diff("--growth", "1000").worse.contains { $0.kind == "Slow" })
    #expect(try diff("--floor", "1000000").worse.isEmpty)
    #expect(try diff("--fdr", "0.000000000000000001").worse.count < all.count)
    for options in [
      ["--per", "hour"], ["--growth", "-1"], ["--floor", "-1"], ["--fdr", "0"], ["--fdr", "0.6"],
      ["--fdr", "nan"],
      ["--confidence", "100"], ["--confidence", "nan"], ["--least", "1"],
    ] {
      #expect(ToolRun(["fleet", "diff", folder, folder] + options).status == .refused, "\(options)")
    }
  }

  @Test func sessionsAreToldApartByTheDimensionsThatNearlyAllHaveWithFewValues() throws {
    let folder = workspace.file("t")
    let logs = try (0..<24).map { number in
      var metadata = ["session_id": "s\(number)", "version": "\(number % 2 + 1)"]
      metadata["dim.list"] = number % 4 < 2 ? "new" : "old"
      // Too many values, and only some of the sessions.
      metadata["dim.user"] = "\(number)"
      metadata["dim.rare"] = number % 3 == 0 ? "yes" : nil
      return try workspace.record("\(number)", metadata)
    }
    #expect(ToolRun(["summarize", "-o", folder] + logs).status == .done)
    for (by, told) in [([], "list"), (["none"], nil), (["rare"], "rare"), (["list", "rare"], "list, rare")] {
      let run = ToolRun(
        ["fleet", "diff", "\(folder)@1", "\(folder)@2", "--least", "2"] + by.flatMap { ["--by", $0] })
      let line = run.lines.first { $0.hasPrefix("told apart by ") }
      #expect(line == told.map { "told apart by \($0)" }, "\(by): \(run.output) \(run.errors)")
    }
  }

  @Test func dimensionsThatAreNotThereAreNamed() throws {
    let folder = workspace.file("t")
    let log = try workspace.record("a", ["session_id": "a", "version": "1", "dim.list": "new"])
    #expect(ToolRun("summarize", log, "-o", folder).status == .done)
    let run = ToolRun("fleet", "diff", folder, folder, "--by", "lst")
    #expect(
      run.status == .refused && run.errors.contains("no session has a dimension lst; there are list"),
      "\(run.errors)")
    for by in ["list", "none"] {
      #expect(ToolRun("fleet", "diff", folder, folder, "--by", by).status == .undecided)
    }
  }

  // MARK: For CI

  @Test func whatCostsMoreThanTheBaselineFailsUnlessItIsAccepted() throws {
    let folder = try summaries(sessions: 90)[0]
    let arguments = ["fleet", "check", "\(folder)@1.5", "--baseline", "\(folder)@1.4", "--least", "5"]
    let run = ToolRun(arguments)
    #expect(run.status == .found, "\(run.output) \(run.errors)")
    #expect(run.output.contains("2 costs more than accepted"), "\(run.output)")
    #expect(run.lines.contains { $0.hasPrefix("  write store.b @ phone: ") }, "\(run.output)")
    // The same version has nothing more than it has.
    let same = ["fleet", "check", "\(folder)@1.4", "--baseline", "\(folder)@1.4", "--least", "5"]
    #expect(ToolRun(same).status == .done)
    // Accepted in several ways, with a line that nothing needs.
    for lines in [
      "# Known.\n\nwrite store.b\nprojection Slow @ phone\nprojection Slow @ tablet\n", "* *\nwrite a\n",
      "write st*.b @ ph*\r\nprojection   Sl*w\nprojection Sl*x\n",
    ] {
      let file = try workspace.write(lines, to: "accepted.txt")
      let accepted = ToolRun(arguments + ["--accepted", file])
      #expect(accepted.status == .done, "\(lines): \(accepted.output) \(accepted.errors)")
      #expect(accepted.output.contains("accepted: 2 lines that got worse"), "\(accepted.output)")
      #expect(accepted.output.contains("nothing that got worse is"), "\(accepted.output)")
    }
    // The file can be written by the tool, and is added to.
    let file = workspace.file("new.txt")
    #expect(ToolRun(arguments + ["--accepted", file]).status == .refused)
    let written = ToolRun(arguments + ["--accepted", file, "--update"])
    #expect(
      written.status == .done && written.output.contains("2 lines added"),
      "\(written.output) \(written.errors)")
    #expect(ToolRun(arguments + ["--accepted", file]).status == .done)
    #expect(ToolRun(arguments + ["--accepted", file, "--update"]).output.contains("0 lines added"))
    for line in ["store.b", "view Slow", "projection", "write a @ b @ c"] {
      let bad = try workspace.write("write a\n\(line)\n", to: "bad.txt")
      let refused = ToolRun(arguments + ["--accepted", bad])
      #expect(
        refused.status == .refused && refused.errors.contains("bad.txt:2:1: "), "\(line): \(refused.errors)")
    }
  }

  @Test func aCheckIsWrittenForContinuousIntegration() throws {
    let folder = try summaries(sessions: 90)[0]
    let file = try workspace.write("write store.b\n", to: "accepted.txt")
    let report = workspace.file("report.xml")
    let arguments = [
      "fleet", "check", "\(folder)@1.5", "--baseline", "\(folder)@1.4", "--accepted", file, "--junit", report,
    ]
    #expect(ToolRun(arguments + ["--least", "5"]).status == .found)
    func cases() throws -> [(name: String, content: [String])] {
      let text = try String(contentsOfFile: report, encoding: .utf8)
      return text.components(separatedBy: "<testcase ").dropFirst().map { part in
        let name = part.components(separatedBy: "name=\"").last?.prefix { $0 != "\"" } ?? ""
        return (String(name), ["failure", "skipped"].filter { part.contains("<\($0) ") })
      }
    }
    let found = try cases()
    #expect(
      found.map(\.name) == [
        "there are enough sessions to compare", "projection Slow @ phone", "write store.b @ phone",
      ])
    #expect(found.map(\.content) == [[], ["failure"], ["skipped"]])
    // Nothing is overwritten unless asked; and that nothing can be told is a failure too.
    #expect(ToolRun(arguments).status == .refused)
    #expect(ToolRun(arguments + ["--replace", "--least", "1000"]).status == .undecided)
    #expect(try cases().map(\.content) == [["failure"]])
  }

  // MARK: A page

  @Test func aPageIsMadeOfTheLastTwoVersionsThatHaveEnoughSessions() throws {
    let folder = try summaries(sessions: 120)[0]
    let page = workspace.file("fleet.html")
    let run = ToolRun("fleet", "report", folder, "-o", page, "--least", "10")
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output.contains("of version 1.6, compared with 1.5"), "\(run.output)")
    let text = try String(contentsOfFile: page, encoding: .utf8)
    // It asks nothing of any network, and its data is in it.
    #expect(
      text.contains("default-src 'none'") && text.contains(#"id="data-fleet""#) && !text.contains("https://"))
    #expect(
      ToolRun("fleet", "report", folder, "-o", page).status == .refused, "nothing is overwritten unless asked"
    )
    let chosen = ToolRun(
      "fleet", "report", folder, "-o", page, "--replace", "--least", "10", "--before", "1.4", "--after", "1.6"
    )
    #expect(chosen.output.contains("of version 1.6, compared with 1.4"), "\(chosen.output)")
    #expect(
      ToolRun("fleet", "report", folder, "-o", workspace.file("b.html"), "--before", "1.4").status == .refused
    )
    // Without two versions there is still a page.
    let few = ToolRun("fleet", "report", folder, "-o", workspace.file("few.html"), "--least", "1000")
    #expect(few.status == .done && !few.output.contains("compared"), "\(few.output) \(few.errors)")
  }

  @Test func trendsAreThoseOfTheRows() throws {
    let folder = try summaries(sessions: 60)[1]
    let rows = Tables(folder).rows("sessions")
    let (versions, days) = try SummaryReader(folder).trends()
    #expect(versions.map(\.name) == [nil, "1.4", "1.5", "1.6"])
    #expect(days.reduce(0) { $0 + $1.sessions } == rows.count)
    for point in versions {
      let own = rows.filter { $0["app_version"] == point.name }
      #expect(point.sessions == own.count)
      let weight = own.reduce(0) { $0 + Double($1["sampling_weight"]!)! }
      for (column, mean) in [("total_ns", point.time), ("wasted_ns", point.wasted)] {
        let sum = own.reduce(0) { $0 + Double($1[column]!)! * Double($1["sampling_weight"]!)! }
        #expect(abs(mean - sum / weight) <= 1e-9 * sum, "\(point.name ?? "") \(column)")
      }
    }
  }

  // MARK: Old days

  @Test func oldDaysAreRemovedAndNothingElse() throws {
    let folder = workspace.file("t")
    let log = try workspace.record("a", ["session_id": "a", "version": "1"])
    let undated = try workspace.log(screen, "undated.evlog")
    #expect(ToolRun("summarize", log, undated, "-o", folder, "--format", "jsonl").status == .done)
    // The same rows on other days.
    let day = try #require(
      FileManager.default.contentsOfDirectory(atPath: "\(folder)/sessions").first { !$0.contains("HIVE") })
    let days = ["day=2026-01-31", "day=2026-02-01", "day=2026-02-02", "day=2026-02-30", "other"]
    for table in SummaryTable.allCases {
      for other in days {
        try FileManager.default.copyItem(
          atPath: "\(folder)/\(table.rawValue)/\(day)", toPath: "\(folder)/\(table.rawValue)/\(other)")
      }
      try FileManager.default.moveItem(
        atPath: "\(folder)/\(table.rawValue)/\(day)", toPath: "\(folder)/\(table.rawValue)/day=2026-03-03")
    }
    func left(_ table: SummaryTable) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(table.rawValue)").sorted()
    }
    let all = try left(.sessions)
    let arguments = ["fleet", "prune", folder, "--keep", "30d", "--as-of", "2026-03-03"]
    #expect(ToolRun(arguments + ["--dry-run"]).output.contains("would remove 2 days with 2 sessions"))
    #expect(try left(.sessions) == all)
    let run = ToolRun(arguments)
    #expect(
      run.status == .done && run.output.contains("removed 2 days with 2 sessions"),
      "\(run.output) \(run.errors)")
    for table in SummaryTable.allCases {
      #expect(try left(table) == all.filter { $0 != "day=2026-01-31" && $0 != "day=2026-02-01" }, "\(table)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix(".") })
    #expect(ToolRun(arguments).output.contains("removed 0 days with 0 sessions"))
    for keep in ["", "d", "0d", "-1d", "3", "3m", "1.5d", "99999999999999999999d"] {
      #expect(ToolRun("fleet", "prune", folder, "--keep", keep).status == .refused, "\(keep)")
    }
    #expect(ToolRun("fleet", "prune", folder, "--keep", "1d", "--as-of", "2026-02-30").status == .refused)
    #expect(ToolRun("fleet", "prune", workspace.file("none"), "--keep", "1d").status == .refused)
  }

  // MARK: Sessions by their ids

  @Test func aLogIsOpenedByItsSession() throws {
    let logs = workspace.file("logs")
    try FileManager.default.createDirectory(atPath: logs + "/deep/er", withIntermediateDirectories: true)
    for (name, place) in [("a", "logs"), ("b", "logs/deep/er")] {
      let log = try workspace.record(name, ["session_id": "session-\(name)"])
      try FileManager.default.moveItem(atPath: log, toPath: workspace.file("\(place)/\(name).evlog"))
    }
    let b = workspace.file("logs/deep/er/b.evlog")
    #expect(ToolRun("info", "\(logs)#session-b").output == ToolRun("info", b).output)
    for command in ["hot", "cascades", "timeline"] {
      #expect(ToolRun(command, "\(logs)/#session-b").output == ToolRun(command, b).output, "\(command)")
    }
    #expect(ToolRun("report", "\(logs)#session-a", "-o", workspace.file("a.html")).status == .done)
    let missing = ToolRun("info", "\(logs)#session-c")
    #expect(
      missing.errors.hasPrefix("replay: no log in \(logs) is of session session-c"), "\(missing.errors)")
    // The log is not overwritten, whatever name it was given by.
    let budget = try workspace.write("projections:\n  Row:\n    evaluations: 1000000\n", to: "budget.yaml")
    let over = ToolRun("check", "\(logs)#session-b", "--budget", budget, "--junit", b, "--replace")
    #expect(over.status == .refused, "\(over.output)")
    #expect(ToolRun("info", b).status == .done)
    // A copy counts as the same log; another log does not.
    try FileManager.default.copyItem(atPath: b, toPath: logs + "/z.evlog")
    #expect(ToolRun("info", "\(logs)#session-b").output == ToolRun("info", b).output)
    // A copy that was cut short is not read, even if it comes first.
    let whole = try Data(contentsOf: URL(filePath: b))
    try whole.dropLast(40).write(to: URL(filePath: logs + "/0.evlog"))
    #expect(ToolRun("info", "\(logs)#session-b").output == ToolRun("info", b).output)
    let other = try workspace.record("other", ["session_id": "session-b"])
    try FileManager.default.moveItem(atPath: other, toPath: logs + "/other.evlog")
    #expect(ToolRun("info", "\(logs)#session-b").errors.contains("are both of session session-b"))
    // A file with that name comes first.
    let named = try workspace.record("odd#name", [:])
    #expect(ToolRun("info", named).status == .done)
  }

  // MARK: Questions

  @Test(.enabled(if: Questions.areAvailable, "\(Questions.areMissing)"))
  func enginesAnswerTheQuestionsAsTheRowsSay() throws {
    let folders = try summaries(sessions: 240)
    let (status, output, errors) = try PythonReader.runScript(Self.questions, folders)
    #expect(status == 0, "\(output)\n\(errors)")
  }

  @Test(.enabled(if: Questions.areAvailable, "\(Questions.areMissing)"))
  func whatGotWorseBySQLIsWhatFleetDiffSays() throws {
    let folders = try summaries(sessions: 600, isMixed: true)
    let fault = ["projection Slow phone", "write store.b phone"]
    let slower = ["projection Fast all"]
    var cases: [String] = []
    for (before, after, app, dimensions, worse) in [
      // Of the list that costs more there are more sessions: no regression where sessions are told apart by it.
      ("1.4", "1.5", "main", [], slower + fault), ("1.4", "1.5", "main", ["list"], fault),
      ("1.5", "1.6", "main", ["list"], slower), ("1.5", "1.6", "main", [], slower),
      ("1.4", "1.6", "main", ["list"], slower + fault), ("1.4", "1.6", "main", [], slower + fault),
      // The other app costs more, there are more sessions of it, and it has no fault.
      ("1.4", "1.5", "other", [], []), ("1.5", "1.6", "other", [], []), ("1.4", "1.6", "other", ["list"], []),
    ] {
      let sides = [before, after].map { "\(folders[0])@\($0)" }
      let by = (dimensions.isEmpty ? ["none"] : dimensions).flatMap { ["--by", $0] }
      let run = ToolRun(["fleet", "diff", "--app", app, "--format", "json"] + by + sides)
      let difference = try JSONDecoder().decode(FleetDifference.self, from: Data(run.output.utf8))
      let found = difference.worse.map { "\($0.role.rawValue) \($0.kind) \($0.devices)" }
      #expect(found.sorted() == worse, "from \(before) to \(after) of \(app) by \(by)")
      let columns = dimensions.map { "\"dim_\($0)\"" }.joined(separator: ", ")
      cases.append(
        """
        {"before": "\(before)", "after": "\(after)", "app": "\(app)", "dimensions": [\(columns)], "difference": \(run.output)}
        """)
    }
    let file = try workspace.write("[\(cases.joined(separator: ", "))]", to: "differences.json")
    let (status, output, errors) = try PythonReader.runScript(Self.questions, folders + [file])
    #expect(status == 0, "\(output)\n\(errors)")
  }

  private static let questions =
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "questions.py").path

  // MARK: Help

  /// Tables of sessions of three versions, on two classes of devices, in both formats. In the last two
  /// versions, on phones, a set of `store.b` runs `Slow` unnecessarily. In the last one `Fast` is slower, and `Added` is new.
  ///
  /// - Parameter isMixed: Some of the sessions are of another app, without the faults, and some of those with them have another
  ///   list; both cost more, and there are more of them from the second version on. The sessions are the same each time.
  private func summaries(sessions: Int, isMixed: Bool = false) throws -> [String] {
    var random = SplitMix64(seed: isMixed ? 1 : testSeed())
    let folder = workspace.file("logs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<sessions {
      // Some sessions lack the version or the class of devices.
      let version = number % 13 == 12 ? nil : ["1.4", "1.5", "1.6"][number % 3]
      let device = number % 17 == 16 ? nil : ["phone", "tablet"][number / 3 % 2]
      var options = LogOptions()
      options.metadata = [
        "session_id": "s\(number)", "sampling_weight": number % 4 == 0 ? "1" : "5",
      ]
      options.metadata["version"] = version
      options.metadata["device_class"] = device
      options.timeUnit = .nanoseconds
      var (isOther, isNewList) = (false, false)
      if isMixed {
        isOther = Double.random(in: 0..<1, using: &random) < (version == "1.4" ? 0.25 : 0.4)
        isNewList = !isOther && Double.random(in: 0..<1, using: &random) < (version == "1.4" ? 0.25 : 0.75)
        options.metadata["app"] = isOther ? "other" : "main"
        options.metadata["dim.list"] = isNewList ? "new" : "old"
      }
      let writer = try LogWriter(creating: "\(folder)/\(number).evlog", options: options)
      let isFaulty = version != nil && version != "1.4" && device == "phone" && !isOther
      let isNew = version == "1.6" && !isOther
      let fast = isOther ? 20_000 : (isNew ? 6_000 : 2_000) * (isNewList ? 2 : 1)
      for event in try Self.events(isFaulty: isFaulty, isNew: isNew, fast: fast, &random) {
        try writer.append(event)
      }
      try writer.close()
    }
    return try ["parquet", "jsonl"].map { format in
      let tables = workspace.file("tables-\(UUID().uuidString)")
      let run = ToolRun("summarize", "\(folder)/*.evlog", "-o", tables, "--format", format)
      try #require(run.status == .done, "\(run.errors)")
      return tables
    }
  }

  private static func events(
    isFaulty: Bool, isNew: Bool, fast: Int, _ random: inout SplitMix64
  ) throws -> [Event] {
    var lines = [
      #"{"kind":"set","path":"store","value":{"$object":"Store","a":0,"b":0}}"#,
      #"{"kind":"projection","projection":"Fast","tracking":"element"}"#,
      #"{"kind":"projection","projection":"Slow","tracking":"element"}"#,
      #"{"kind":"reads","projection":"Fast","paths":["store.a"]}"#,
      #"{"kind":"evaluate","projection":"Fast","duration_ns":100}"#,
      #"{"kind":"reads","projection":"Slow","paths":["store.a"\#(isFaulty ? #","store.b""# : "")]}"#,
      #"{"kind":"evaluate","projection":"Slow","duration_ns":1000}"#,
    ]
    if isNew {
      lines += [
        #"{"kind":"projection","projection":"Added","tracking":"element"}"#,
        #"{"kind":"reads","projection":"Added","paths":["store.a"]}"#,
        #"{"kind":"evaluate","projection":"Added","duration_ns":70}"#,
      ]
    }
    // The lengths differ little enough that a few sessions suffice to find the fault, whatever the seed.
    for step in 1...Int.random(in: 14...22, using: &random) {
      let isB = step % 2 == 0
      lines.append(#"{"kind":"set","path":"store.\#(isB ? "b" : "a")","value":\#(step)}"#)
      let cause = lines.count
      func run(_ name: String, _ most: Int, changed: Bool) {
        let duration = Int.random(in: most / 2...most, using: &random)
        lines.append(
          #"{"kind":"evaluate","projection":"\#(name)","duration_ns":\#(duration),"changed":\#(changed),"cause":\#(cause)}"#
        )
      }
      if !isB {
        run("Fast", fast, changed: true)
        run("Slow", 30_000, changed: step % 3 == 0)
        if isNew { run("Added", 5_000, changed: true) }
      } else if isFaulty {
        run("Slow", 30_000, changed: false)
      }
    }
    let workspace = try Workspace()
    let log = try workspace.log(lines.joined(separator: "\n") + "\n")
    var events: [Event] = []
    try LogReader(path: log).forEachEvent { events.append($0) }
    return events
  }
}

/// The packages that the engines of this test need.
private enum Questions {
  static let areMissing = "Python's duckdb is not here: make test-python installs it"

  static let areAvailable: Bool =
    (try? PythonReader.runScript("-c", ["import duckdb"])).map { $0.status == 0 } ?? false
}
