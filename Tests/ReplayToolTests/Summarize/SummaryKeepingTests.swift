import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import SystemPackage
import Testing

@testable import ReplayTool

/// What a run of `summarize` does not touch, counts only once, and keeps private.
@Suite struct SummaryKeepingTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test(arguments: ["jsonl", "parquet"]) func aRunKeepsTheFailuresOfAnother(format: String) throws {
    let (a, b) = (workspace.file("a.evlog"), workspace.file("b.evlog"))
    for log in [a, b] { try "not a log".write(toFile: log, atomically: false, encoding: .utf8) }
    let folder = workspace.file("t")
    for log in [a, b, b] {
      #expect(ToolRun("summarize", log, "-o", folder, "--format", format).status == .damaged)
    }
    #expect(files(folder, "failures", "log-").count == 3, "one each, and one without rows")
    if format == "jsonl" {
      #expect(Tables(folder).rows("failures").map { $0["log_uri"] }.sorted { $0! < $1! } == [a, b])
    }
    // Now it is complete.
    try FileManager.default.removeItem(atPath: a)
    _ = try workspace.record("a", [:])
    #expect(ToolRun("summarize", a, "-o", folder, "--format", "jsonl").status == .done)
    #expect(!Tables(folder).rows("failures").contains { $0["log_uri"] == a })
    #expect(Tables(folder).rows("sessions").map { $0["log_uri"] } == [a])
  }

  @Test func aRunKeepsTheSessionsOfAnotherThatSayNoDay() throws {
    // An imported log does not have the time of its recording.
    let logs = try ["a", "b", "c"].map {
      try workspace.log(screen + #"{"kind":"mark","label":"\#($0)"}"# + "\n", "\($0).evlog")
    }
    let folder = workspace.file("t")
    for log in logs + logs {
      #expect(ToolRun("summarize", log, "-o", folder, "--format", "jsonl").status == .done)
    }
    let tables = Tables(folder)
    #expect(tables.rows("sessions").map { $0["log_uri"] ?? "" }.sorted() == logs)
    #expect(tables.rows("projections").count == 3 * 3)
    // Every table has a file, so that readers find it.
    for table in SummaryTable.allCases { #expect(!tables.files(table.rawValue).isEmpty) }
  }

  // MARK: Places

  @Test func aPlaceKeepsWhatItHadWhereTheNewCannotTakeIt() throws {
    struct Refused: Error {}
    let (home, names) = (workspace.file("données"), ["a", "b", "c"])
    // A rename notes what is to be done. Without an exchange of folders, each place then takes two; any of them may
    // fail, and so may the renames that restore the old tables.
    for refused in 1...7 {
      for alsoLater in [false, true] {
        try? FileManager.default.removeItem(atPath: home)
        for name in names { try Self.fill("\(home)/\(name)/x/y", "old") }
        var count = 0
        var moves = FolderMoves()
        moves.exchange = { _, _ in false }
        moves.rename = { a, b in
          count += 1
          if count == refused || alsoLater && count > refused { throw Refused() }
          try SystemFileSystem().rename(a, to: b)
        }
        do {
          let staging = try StagingFolder(in: home, moves)
          for name in names { try Self.fill("\(staging.path)/\(name)/x/y", "new") }
          #expect(throws: Refused.self) { try staging.publish(names.map { ("\($0)/x/y", "\($0)/x/y") }) }
        }
        // Tables that could not be restored are restored by the next run.
        try StagingFolder.removeLeftovers(in: home)
        for name in names {
          let found = try? String(contentsOfFile: "\(home)/\(name)/x/y/file", encoding: .utf8)
          #expect(found == "old", "\(refused)")
        }
        #expect(hidden(home) == [])
      }
    }
  }

  @Test(arguments: ["t", "données/été 🗂️"]) func placesAreTakenWithAndWithoutAnExchange(name: String) throws {
    for exchanges in [true, false] {
      let home = workspace.file("\(name)-\(exchanges)")
      try Self.fill("\(home)/a/x/y", "old")
      var moves = FolderMoves()
      if !exchanges { moves.exchange = { _, _ in false } }
      do {
        let staging = try StagingFolder(in: home, moves)
        for name in ["a", "b"] { try Self.fill("\(staging.path)/\(name)/x/y", "new") }
        try staging.publish(["a", "b"].map { ("\($0)/x/y", "\($0)/x/y") })
      }
      for name in ["a", "b"] {
        #expect(try String(contentsOfFile: "\(home)/\(name)/x/y/file", encoding: .utf8) == "new")
      }
      #expect(hidden(home) == [])
    }
  }

  @Test(arguments: ["t", "données/été 🗂️", "donne\u{301}es"])
  func whatAKilledRunLeftIsRemovedAndWhatItTookIsPutBack(home: String) throws {
    let folder = workspace.file(home)
    let dead = "\(folder)/.writing-00000000000000aa"
    try Self.fill("\(dead)/sessions/day=2020-01-01/version=1", "new")
    try Self.fill("\(dead)/old/sessions/day=2020-01-01/version=1", "old")
    try "".write(toFile: dead + ".lock", atomically: false, encoding: .utf8)
    let living = try StagingFolder(in: folder)
    #expect(ToolRun("summarize", try workspace.record("a", [:]), "-o", folder).status == .done)
    #expect(hidden(folder) == [LogPath(living.path).name, LogPath(living.path).name + ".lock"])
    let kept = "\(folder)/sessions/day=2020-01-01/version=1/file"
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "old")
    withExtendedLifetime(living) {}
  }

  @Test(arguments: ["t", "données"]) func whatCannotBePutBackIsKept(home: String) throws {
    let folder = workspace.file(home)
    let dead = "\(folder)/.writing-00000000000000aa"
    let place = "sessions/day=2020-01-01/version=1"
    try Self.fill("\(dead)/old/\(place)", "old")
    try "".write(toFile: dead + ".lock", atomically: false, encoding: .utf8)
    // A file in the way of the table's folder.
    try "".write(toFile: "\(folder)/sessions", atomically: false, encoding: .utf8)
    try StagingFolder.removeLeftovers(in: folder)
    #expect(try String(contentsOfFile: "\(dead)/old/\(place)/file", encoding: .utf8) == "old")
    try FileManager.default.removeItem(atPath: "\(folder)/sessions")
    try StagingFolder.removeLeftovers(in: folder)
    #expect(try String(contentsOfFile: "\(folder)/\(place)/file", encoding: .utf8) == "old")
    #expect(hidden(folder) == [])
  }

  @Test func tablesThatTwoRunsPutInPlaceAtOnceAreAllOfOne() throws {
    let names = (0..<8).map { "\($0)/x/y" }
    for round in 0..<10 {
      let home = workspace.file("t\(round)")
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      // In opposite orders: without a lock the first place would have the table of one run and the last that
      // of the other.
      let runs = [("a", names), ("b", names.reversed())]
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        let (text, order) = runs[index]
        do {
          var moves = FolderMoves()
          moves.exchange = { a, b in
            Platform.sleep(milliseconds: 1)
            return Platform.exchange(a, b)
          }
          moves.rename = { a, b in
            Platform.sleep(milliseconds: 1)
            try SystemFileSystem().rename(a, to: b)
          }
          let staging = try StagingFolder(in: home, moves)
          for name in names { try Self.fill("\(staging.path)/\(name)", text) }
          try staging.publish(order.map { ($0, $0) })
        } catch { Issue.record(error) }
      }
      let found = try names.map { try String(contentsOfFile: "\(home)/\($0)/file", encoding: .utf8) }
      #expect(Set(found).count == 1, "round \(round): \(found)")
      #expect(hidden(home) == [])
    }
  }

  @Test func theNamesOfFoldersThatWereMadeAreSynced() throws {
    let home = workspace.file("t")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    var synced: Set<String> = []
    var moves = FolderMoves()
    moves.sync = { folder in
      synced.insert(folder)
      try SystemFileSystem().syncDirectory(folder)
    }
    let staging = try StagingFolder(in: home, moves)
    for name in ["a/x/y", "b/x/y"] { try Self.fill("\(staging.path)/\(name)", "new") }
    try staging.publish([("a/x/y", "a/x/y")])
    try staging.publishFiles(of: ["b/x/y"])
    #expect(synced.isSuperset(of: ["", "/a", "/a/x", "/b", "/b/x", "/b/x/y"].map { home + $0 }))
  }

  // MARK: Once

  @Test func aSessionCountsOnceByWhateverNamesItsLogIsGiven() throws {
    let log = try workspace.record("a", ["session_id": "s", "version": "1"])
    let files = FileManager.default
    try files.createSymbolicLink(atPath: workspace.file("link.evlog"), withDestinationPath: log)
    try files.linkItem(atPath: log, toPath: workspace.file("hard.evlog"))
    try files.copyItem(atPath: log, toPath: workspace.file("copy.evlog"))
    // A copy that was cut short; it comes first.
    let whole = try Data(contentsOf: URL(filePath: log))
    try whole.dropLast(40).write(to: URL(filePath: workspace.file("0.evlog")))
    let folder = workspace.file("t")
    let run = ToolRun(
      "summarize", workspace.file("*.evlog"), "\(workspace.path)/./a.evlog", "-o", folder, "--format", "jsonl"
    )
    #expect(run.status == .done, "\(run.errors)")
    #expect(run.output.contains("1 log in 1 partition, 5 copies left out"), "\(run.output)")
    let sessions = Tables(folder).rows("sessions")
    #expect(sessions.map { $0.text("session_id", "log_state") } == ["s clean"])
  }

  @Test func theCopyThatHasAllItsFilesIsRead() throws {
    var options = LogOptions()
    (options.segmentBytes, options.blockEvents) = (2_000, 4)
    options.metadata = ["session_id": "s"]
    let writer = try LogWriter(creating: workspace.file("whole.evlog"), options: options)
    for index in 0..<400 { try writer.append(.mark(label: "mark \(index)"), time: UInt64(index)) }
    try writer.close()
    #expect(workspace.files.contains("whole.0003.evlog"))
    // The first file alone, under a name that comes first, and made longer.
    var first = try Data(contentsOf: URL(filePath: workspace.file("whole.evlog")))
    first.append(Data(count: 100))
    try first.write(to: URL(filePath: workspace.file("a.evlog")))
    for logs in [["a", "whole"], ["whole", "a"]] {
      let folder = workspace.file("t-\(logs[0])")
      let run = ToolRun(
        ["summarize", "-o", folder, "--format", "jsonl"] + logs.map { workspace.file("\($0).evlog") })
      #expect(run.status == .done, "\(run.errors)")
      #expect(Tables(folder).rows("sessions").map { $0["events"] } == ["400"])
    }
  }

  @Test func twoLogsOfOneSessionAreOneAndAFailure() throws {
    let logs = try ["a", "b"].map { try workspace.record($0, ["session_id": "s"]) }
    let folder = workspace.file("t")
    #expect(ToolRun(["summarize", "-o", folder, "--format", "jsonl"] + logs).status == .damaged)
    let tables = Tables(folder)
    #expect(tables.rows("sessions").map { $0["log_uri"] } == [logs[0]])
    #expect(
      tables.rows("failures").map { $0.text("session_id", "code", "log_uri") } == ["s duplicate \(logs[1])"])
  }

  @Test func aFolderOfLogsIsListedOnce() throws {
    let logs = try (0..<20).map { try workspace.record("\($0)", [:]) }
    var options = LogOptions()
    options.segmentBytes = 2_000
    options.blockEvents = 4
    let writer = try LogWriter(creating: workspace.file("long.evlog"), options: options)
    for index in 0..<400 { try writer.append(.mark(label: "mark \(index)"), time: UInt64(index)) }
    try writer.close()
    #expect(workspace.files.contains("long.0003.evlog"))
    let fileSystem = ListedFileSystem()
    let plan = SummaryPlan(logs + [workspace.file("long.evlog")], in: fileSystem)
    var events: [String] = []
    for log in plan.partitions.flatMap(\.logs) {
      let rows = SummaryRows(of: log, in: fileSystem)
      events += rows.summary.map { ["\($0.events)"] } ?? []
    }
    #expect(events.sorted() == (logs.map { _ in "22" } + ["400"]).sorted())
    #expect(fileSystem.listings == 1)
  }

  // MARK: Who may see what

  @Test func messagesOfFailuresHaveNoPathsAndNoKeys() throws {
    let secret = "anna@example.com"
    let folder = workspace.file(secret)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let misfit = "\(folder)/misfit.evlog"
    let writer = try LogWriter(creating: misfit)
    try writer.append(.set(Path(root: .named(secret)), .int(1), sameValue: false), time: 1)
    try writer.close()
    func bytes(_ name: String) throws -> Data {
      try Data(contentsOf: URL(filePath: workspace.record(name, [:])))
    }
    let whole = try bytes("torn")
    try whole.dropLast(whole.count / 3).write(to: URL(filePath: "\(folder)/torn.evlog"))
    var damaged = try bytes("damaged")
    damaged[damaged.count / 2] ^= 0xFF
    try damaged.write(to: URL(filePath: "\(folder)/damaged.evlog"))
    try Data("x".utf8).write(to: URL(filePath: "\(folder)/none.evlog"))
    let output = workspace.file("t")
    let run = ToolRun(
      ["misfit", "torn", "damaged", "none", "missing"].reduce([
        "summarize", "-o", output, "--format", "jsonl",
      ]) {
        $0 + ["\(folder)/\($1).evlog"]
      })
    #expect(run.status == .damaged)
    let failures = Tables(output).rows("failures")
    #expect(failures.count == 5)
    for row in failures {
      let message = try #require(row["message"])
      #expect(!message.contains(secret) && !message.contains("/"), "\(message)")
      #expect(message.count < 100)
    }
    #expect(failures.first { $0["code"] == "misfit" }?["unread_seq"] == "1")
  }

  @Test func tablesAreTheirOwnersAlone() throws {
    let folder = workspace.file("t")
    #expect(ToolRun("summarize", try workspace.record("a", [:]), "-o", folder).status == .done)
    let all = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
    #expect(all.count > 8)
    for name in all + [""] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
      #expect(mode == (attributes[.type] as? FileAttributeType == .typeDirectory ? 0o700 : 0o600), "\(name)")
    }
  }

  @Test func whichNumberWasTooLargeIsSaidTheSameEachTime() throws {
    let log = try LogSource(path: workspace.record("a", [:]))
    var summary = try SessionSummary(log)
    summary.duration = .max
    for index in summary.projections.indices { summary.projections[index].exemplar = .max }
    for index in summary.cascades.indices { summary.cascades[index].exemplar = .max }
    // Tables are checked in their order, that of sessions first.
    #expect { try SummaryRows(summary, uri: "") } throws: { "\($0)".hasPrefix("duration_ns ") }
  }

  // MARK: Help

  private static func fill(_ folder: String, _ text: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try text.write(toFile: "\(folder)/file", atomically: false, encoding: .utf8)
  }

  private func files(_ folder: String, _ table: String, _ prefix: String) -> [String] {
    Tables(folder).files(table).filter { LogPath($0).name.hasPrefix(prefix) }
  }

  private func hidden(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasPrefix(".") }
      .sorted()
  }
}
