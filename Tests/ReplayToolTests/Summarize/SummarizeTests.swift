import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import Testing

@testable import ReplayTool

/// The tables of many logs agree with the output of the other commands for each log.
@Suite struct SummarizeTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test(arguments: samples) func rowsAddUpToWhatTheReportsSay(sample: String) throws {
    let tables = try summarize([sample])
    let log = try LogSource(path: sample)
    let session = try #require(tables.rows("sessions").first)
    let info = LogSummary(log)
    #expect(session["events"] == "\(info.events)")
    #expect(session["log_uri"] == sample)
    let hot = try HotReport(log, Selection(from: nil, to: nil, in: log))
    let writes = hot.paths.map { "\($0.path) \($0.sets) \($0.sameValue)" }
    #expect(
      tables.rows("paths").filter { $0["writes"] != "0" }.map { $0.text("path_kind", "writes", "same_value") }
        .sorted() == writes.sorted())
    #expect(session["writes"] == "\(hot.paths.reduce(0) { $0 + $1.sets })")
    let runs = hot.projections.filter { $0.evaluations > 0 }.map {
      "\($0.name) \($0.evaluations) \($0.wasted) \($0.time) \($0.wastedTime)"
    }
    #expect(
      tables.rows("projections").map { $0.text("kind", "runs", "wasted", "total_ns", "wasted_ns") }.sorted()
        == runs.sorted())
    #expect(session["runs"] == "\(hot.projections.reduce(0) { $0 + $1.evaluations })")
    let cascades = try CascadeReport(log, Selection(from: nil, to: nil, in: log))
    let found = tables.rows("cascades")
    for (column, sum) in [
      ("count", cascades.lines.reduce(0) { $0 + $1.count }),
      ("runs", cascades.lines.reduce(0) { $0 + $1.evaluations }),
      ("wasted_runs", cascades.lines.reduce(0) { $0 + $1.wasted }),
      ("total_ns", Int(cascades.lines.reduce(0) { $0 + $1.time })),
    ] { #expect(found.reduce(0) { $0 + (Int($1[column] ?? "") ?? 0) } == sum, "\(column)") }
    #expect(Set(found.map { $0["shape_hash"] }) == Set(tables.rows("shapes").map { $0["shape_hash"] }))
    #expect(found.count <= cascades.lines.count)
    let lint = try LintReport(log, LintRule.allCases, LintThresholds(), in: 0..<UInt64.max)
    #expect(
      tables.rows("findings").map { $0.text("rule", "saves_ns") }
        == lint.findings.map { "\($0.rule.rawValue) \($0.evidence.wastedTime)" })
    #expect(tables.rows("failures") == [])
  }

  @Test func histogramsOfAllSessionsHaveEachRunInItsBucket() throws {
    let tables = try summarize(Self.samples)
    var expected: [String: Int] = [:]
    for sample in Self.samples {
      let log = try LogReader(path: sample)
      let app = SessionIdentity(log.header).app
      try log.forEachEvent { event in
        guard case .evaluate(let name, let duration, _, _, _) = event.body else { return }
        let kind = name.split(separator: "#", maxSplits: 1).first.map(String.init) ?? name
        expected["\(app) \(kind) \(DurationHistogram.bucket(of: duration))", default: 0] += 1
      }
    }
    let found = tables.rows("durations").map {
      ($0.text("app", "kind", "bucket"), Int($0["count"] ?? "") ?? 0)
    }
    // Samples of different days are in different files.
    #expect(Dictionary(found, uniquingKeysWith: +) == expected)
  }

  @Test func theSameLogsGiveTheSameBytesInAnyOrderAndForm() throws {
    for format in ["parquet", "jsonl"] {
      let first = try summarize(Self.samples, format).bytes()
      let second = try summarize(Self.samples.reversed() + Self.samples.prefix(3), format).bytes()
      #expect(!first.isEmpty)
      #expect(first == second, "\(format)")
    }
  }

  @Test func aRunChangesItsPartitionsAndNoOthers() throws {
    let (a, b) = (try record("a", ["version": "1.4"]), try record("b", ["version": "1.5"]))
    let folder = workspace.file("tables")
    #expect(ToolRun("summarize", a, b, "-o", folder, "--format", "jsonl").status == .done)
    let old = Tables(folder)
    #expect(old.rows("sessions").map { $0["app_version"] }.sorted { $0! < $1! } == ["1.4", "1.5"])
    let c = try record("c", ["version": "1.5", "session_id": "c"])
    let added = ToolRun("summarize", c, "-o", folder, "--format", "jsonl")
    #expect(
      added.status == .done && added.output.contains("; 1 session kept"), "\(added.output) \(added.errors)")
    #expect(Set(Tables(folder).rows("sessions").map { $0["log_uri"] }) == [a, b, c])
    // A file in the way within a partition is removed with the partition.
    let partition = try #require(old.files("sessions").first { $0.contains("version=1.5") })
    try "{}\n".write(toFile: partition + ".stale.jsonl", atomically: false, encoding: .utf8)
    #expect(ToolRun("summarize", c, "-o", folder, "--format", "jsonl").status == .refused)
    #expect(ToolRun("summarize", c, "-o", folder, "--format", "jsonl", "--replace").status == .done)
    let new = Tables(folder)
    #expect(new.files("sessions").count == 2)
    #expect(Set(new.rows("sessions").map { $0["log_uri"] }) == [a, c])
    #expect(new.rows("paths").filter { $0["session_id"] == "c" }.count > 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix(".") })
  }

  @Test(arguments: ["jsonl", "parquet"]) func aLateLogIsAddedToTheOthers(format: String) throws {
    let folder = workspace.file("tables")
    let logs = try (0..<5).map { try record("\($0)", ["version": "1.4", "session_id": "s\($0)"]) }
    let other = try record("other", ["version": "1.5", "session_id": "o"])
    let all = ["summarize", "-o", folder, "--format", format] + logs + [other]
    #expect(ToolRun(all).status == .done)
    let late = try record("late", ["version": "1.4", "session_id": "late"])
    for given in [[late], [late, other], [late] + logs.dropFirst()] {
      let run = ToolRun(["summarize", "-o", folder, "--format", format] + given)
      #expect(run.status == .done, "\(run.errors)")
      let ranking = ToolRun("fleet", "top", "\(folder)@1.4")
      #expect(ranking.status == .done && ranking.output.contains("of 6 sessions"), "\(ranking.output)")
    }
    #expect(ToolRun(all).status == .done && ToolRun(all + [late]).status == .done)
    #expect(ToolRun("summarize", late, "-o", folder, "--format", format, "--replace").status == .done)
    let ranking = ToolRun("fleet", "top", "\(folder)@1.4")
    #expect(ranking.status == .done && ranking.output.contains("of 1 session"), "\(ranking.output)")
  }

  @Test func tablesThatCannotBeReadAreReplacedOnlyWhenAsked() throws {
    let folder = workspace.file("tables")
    let log = try record("a", ["version": "1.4", "session_id": "a"])
    #expect(ToolRun("summarize", log, "-o", folder).status == .done)
    let file = try #require(Tables(folder).files("sessions").first)
    try "no table".write(toFile: file, atomically: false, encoding: .utf8)
    let run = ToolRun("summarize", log, "-o", folder)
    #expect(run.status == .refused && run.errors.contains("--replace"), "\(run.errors)")
    #expect(ToolRun("summarize", log, "-o", folder, "--replace").status == .done)
  }

  @Test func aBadLogIsARowOfFailuresAndStopsNothing() throws {
    let good = try record("good", [:])
    let noLog = workspace.file("none.evlog")
    try "not a log".write(toFile: noLog, atomically: false, encoding: .utf8)
    let missing = workspace.file("missing.evlog")
    let torn = workspace.file("torn.evlog")
    let whole = try Data(contentsOf: URL(filePath: record("whole", [:])))
    try whole.dropLast(whole.count / 3).write(to: URL(filePath: torn))
    // A root must be an object, which no writer checks.
    let misfit = workspace.file("misfit.evlog")
    let writer = try LogWriter(creating: misfit)
    try writer.append(.set(Path(root: .named("a")), .int(1), sameValue: false), time: 1)
    try writer.close()
    let run = ToolRun(
      "summarize", good, noLog, missing, torn, misfit, "-o", workspace.file("t"), "--format", "jsonl")
    #expect(run.status == .damaged)
    #expect(run.output.contains("5 logs"))
    let tables = Tables(workspace.file("t"))
    let failures = Dictionary(
      tables.rows("failures").map { ($0["log_uri"] ?? "", $0["code"] ?? "") }, uniquingKeysWith: { a, _ in a }
    )
    #expect(failures == [noLog: "not-a-log", missing: "io", torn: "torn", misfit: "misfit"])
    #expect(Set(tables.rows("sessions").map { $0["log_uri"] }).isSuperset(of: [good, torn]))
  }

  @Test func aNumberThatNoColumnHoldsFailsItsLogAlone() throws {
    let lines = """
      {"kind":"projection","projection":"P","tracking":"element"}
      {"kind":"evaluate","projection":"P","duration_ns":9223372036854775808}

      """
    let log = try workspace.log(lines, "long.evlog")
    let other = try record("other", [:])
    let folder = workspace.file("t")
    for format in ["parquet", "jsonl"] {
      let run = ToolRun("summarize", log, other, "-o", folder, "--format", format)
      #expect(run.status == .damaged, "\(run.errors)")
      #expect(run.output.contains("2 logs"), "\(run.output)")
    }
    let failure = Tables(folder).rows("failures").first { $0["log_uri"] == log }
    #expect(failure?["code"] == "too-large")
  }

  @Test func logsComeFromAListAndFromPatterns() throws {
    let logs = try ["a", "b", "c"].map { try record($0, [:]) }
    let list = try workspace.write(logs.prefix(2).joined(separator: "\n") + "\n\n", to: "list.txt")
    let folder = workspace.file("t")
    let run = ToolRun(
      "summarize", workspace.file("[bc].evlog"), "--files-from", list, "-o", folder, "--format", "jsonl")
    #expect(run.status == .done, "\(run.errors)")
    #expect(Tables(folder).rows("sessions").map { $0["log_uri"] } == logs)
    #expect(ToolRun("summarize", workspace.file("x*"), "-o", folder).status == .refused)
    #expect(ToolRun("summarize", "--files-from", workspace.file("no.txt"), "-o", folder).status == .refused)
    #expect(ToolRun("summarize", "-o", folder).status == .refused)
  }

  @Test func aFolderStandsForTheLogsInItAndInItsFolders() throws {
    let top = workspace.file("logs")
    for folder in ["", "/1/a", "/1/B", "/.hidden"] {
      try FileManager.default.createDirectory(atPath: top + folder, withIntermediateDirectories: true)
    }
    let names = [
      "2.evlog", "1/a/x.evlog", "1/B/x.evlog", "10.evlog", ".hidden/x.evlog", "1/.y.evlog", "1/z.log",
    ]
    for (number, name) in names.enumerated() {
      let log = try record("\(number)", ["session_id": "\(number)"])
      try FileManager.default.moveItem(atPath: log, toPath: "\(top)/\(name)")
    }
    let expected = names.prefix(4).map { "\(top)/\($0)" }
    let tables = try summarize([top])
    #expect(tables.rows("sessions").map { $0["log_uri"] ?? "" }.sorted() == expected.sorted())
    #expect(try tables.bytes() == summarize(expected.reversed()).bytes())
    // What is named twice is read once, with a slash or without.
    #expect(try tables.bytes() == summarize([expected[0], top + "/", top]).bytes())
    // What a tool does not know the name of may be a log all the same.
    #expect(try summarize(["\(top)/1/z.log"]).rows("sessions").count == 1)
    let empty = workspace.file("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let run = ToolRun("summarize", empty, "-o", workspace.file("t"))
    #expect(run.status == .refused && run.errors.contains("no file in this folder"), "\(run.errors)")
  }

  @Test func aFileHasSoManySessionsAndNoMore() throws {
    let logs = try (0..<5).map { try record("\($0)", ["session_id": "\($0)"]) }
    let tables = try summarize(logs, SummaryLimits(sessions: 2))
    #expect(tables.files("sessions").map { $0.suffix(16) } == (0...2).map { "part-0000\($0).jsonl" })
    #expect(tables.rows("sessions").map { $0["session_id"] } == ["0", "1", "2", "3", "4"])
    // Each file can be read by itself.
    #expect(tables.rows("shapes").count == 3 * Set(tables.rows("shapes").map { $0["shape_hash"] }).count)
  }

  @Test func aFileIsClosedWhenItsNamesTakeTooMuchMemory() throws {
    let logs = try (0..<4).map { try record("\($0)", ["session_id": "\($0)"]) }
    #expect(try summarize(logs, SummaryLimits(nameBytes: 1)).files("durations").count == 4)
    #expect(try summarize(logs, SummaryLimits(rows: 1)).files("sessions").count == 4)
    #expect(try summarize(logs, SummaryLimits()).files("sessions").count == 1)
  }

  @Test func partitionsAreNamedAsOthersReadThem() {
    #expect(Self.path("1.5") == "day=2025-11-23/version=1.5")
    #expect(Self.path(nil) == "day=2025-11-23/version=__HIVE_DEFAULT_PARTITION__")
    #expect(Self.path("1/../x=é 2") == "day=2025-11-23/version=1%2F..%2Fx%3D%C3%A9%202")
    #expect(Self.path("RC") == "day=2025-11-23/version=%52%43")
    #expect(SummaryPartition(nil).path.hasPrefix("day=__HIVE_DEFAULT_PARTITION__/"))
  }

  @Test func versionsThatAFileSystemTakesForOneHaveFoldersOfTheirOwn() {
    let versions = [
      nil, "1.5b", "1.5B", "é", "e\u{301}", "É", "__HIVE_DEFAULT_PARTITION__", "__hive_default_partition__",
      "%5F", "_", "ß", "SS", "ss", "ſ", "s", "K", "\u{212A}", "k",
    ]
    let folders = versions.map { Self.path($0) }
    // The comparison of names in the file systems of Apple and Windows.
    let compared = folders.map { $0.decomposedStringWithCompatibilityMapping.lowercased() }
    #expect(Set(compared).count == versions.count)
    // And as readers decode them, except Spark, which decodes bytes and not UTF-8.
    for (version, folder) in zip(versions, folders) where version != nil {
      let name = folder.components(separatedBy: "/version=")[1]
      #expect(name.removingPercentEncoding.map { Array($0.utf8) } == version.map { Array($0.utf8) })
    }
  }

  private static func path(_ version: String?) -> String {
    var header = LogHeader(program: "", salt: 1, created: 1_763_900_000_000_000_000, metadata: [:])
    header.metadata["version"] = version
    return SummaryPartition(SessionIdentity(header)).path
  }

  // MARK: Help

  private static let samples = [
    "catalog-single", "chat-wide", "game-mixed", "list-trap", "mailbox", "scopes",
  ].map { root + "SampleLogs/\($0).evlog" }

  private func summarize(_ logs: [String], _ format: String = "jsonl") throws -> Tables {
    let folder = workspace.file(UUID().uuidString)
    let run = ToolRun(["summarize"] + logs + ["-o", folder, "--format", format])
    try #require(run.status == .done, "\(run.errors)")
    return Tables(folder)
  }

  /// The tables of logs of one partition.
  private func summarize(_ logs: [String], _ limits: SummaryLimits) throws -> Tables {
    let folder = workspace.file(UUID().uuidString)
    #expect(Platform.makePrivateFolder(folder) == nil)
    let logs = logs.map { SummaryLog(path: $0) }
    let rows = logs.map { SummaryRows(of: $0, in: SystemFileSystem()) }
    let files = SummaryFiles(
      try StagingFolder(in: folder), SummaryPartition(rows[0].summary?.identity), .jsonl, limits)
    for (log, rows) in zip(logs, rows) { try files.add(rows, of: log) }
    try files.finish()
    return Tables(folder)
  }

  private func record(_ name: String, _ metadata: [String: String]) throws -> String {
    try workspace.record(name, metadata)
  }
}

extension Workspace {
  /// A log of a screen, with metadata.
  func record(_ name: String, _ metadata: [String: String], _ lines: String = screen) throws -> String {
    let imported = try log(lines, "\(name).imported")
    var options = LogOptions()
    options.metadata = metadata
    let writer = try LogWriter(creating: file("\(name).evlog"), options: options)
    try LogReader(path: imported).forEachEvent { try writer.append($0) }
    try writer.close()
    return file("\(name).evlog")
  }
}

/// The files of a folder of tables in lines, and their rows as text.
struct Tables {
  let folder: String

  init(_ folder: String) { self.folder = folder }

  func files(_ table: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: "\(folder)/\(table)")?.allObjects as? [String] ?? []
    return all.filter { $0.contains("part-") || $0.contains("log-") }.sorted().map {
      "\(folder)/\(table)/\($0)"
    }
  }

  func rows(_ table: String) -> [[String: String]] {
    files(table).filter { $0.hasSuffix(".jsonl") }.flatMap { file in
      ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map { line in
        let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
        return object.filter { !($0.value is NSNull) }.mapValues { "\($0)" }
      }
    }
  }

  /// The content of each file, by its name in the folder.
  func bytes() throws -> [String: Data] {
    var bytes: [String: Data] = [:]
    for table in SummaryTable.allCases {
      for file in files(table.rawValue) {
        bytes[String(file.dropFirst(folder.count))] = try Data(contentsOf: URL(filePath: file))
      }
    }
    return bytes
  }
}

extension [String: String] {
  func text(_ columns: String...) -> String {
    columns.map { self[$0] ?? "null" }.joined(separator: " ")
  }
}

private let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/"
