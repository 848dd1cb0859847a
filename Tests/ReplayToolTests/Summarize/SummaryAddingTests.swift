import EventLog
import Foundation
import LogGenerator
import ReplayAnalysis
import SystemPackage
import Testing

@testable import ReplayTool

/// Sessions are added to the tables that are there, whatever runs came before.
@Suite struct SummaryAddingTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test func afterAnyRunsTheTablesAreThoseOfTheLastLogOfEachSession() throws {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    for program in 0..<6 {
      let folder = workspace.file("t\(program)")
      // For each session the tables of its log alone, and how many events that has.
      var expected: [String: (tables: Tables, events: Int)] = [:]
      for run in 0..<8 {
        var logs: [String] = []
        for session in Set(
          (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 0..<7, using: &random) })
        {
          let events = Int.random(in: 0...6, using: &random)
          let log = try record(
            "\(program)-\(run)-\(session)", session: session, marks: events, in: "logs-\(session % 3)")
          logs.append(log)
          if let known = expected["s\(session)"], known.events > events { continue }
          expected["s\(session)"] = (try alone(log), events)
        }
        let format = Bool.random(using: &random) ? "jsonl" : "parquet"
        let done = ToolRun(["summarize", "-o", folder, "--format", format] + logs.shuffled(using: &random))
        #expect(done.status == .done, "seed \(seed): \(done.errors)")
      }
      // As lines, in which tests can look.
      let last = try #require(expected.first).value.tables.rows("sessions")[0]["log_uri"]!
      #expect(ToolRun("summarize", last, "-o", folder, "--format", "jsonl").status == .done)
      let tables = Tables(folder)
      for table in SummaryTable.allCases where table != .durations && table != .shapes {
        #expect(
          texts(tables.rows(table.rawValue))
            == texts(expected.values.flatMap { $0.tables.rows(table.rawValue) }),
          "seed \(seed), program \(program), \(table)")
      }
      // These are of all sessions of a file.
      #expect(sums(tables) == sums(expected.values.map(\.tables)), "seed \(seed), program \(program)")
      #expect(
        Set(tables.rows("shapes").map { $0["shape_hash"] })
          == Set(tables.rows("cascades").map { $0["shape_hash"] }))
      let ids = Set(tables.rows("sessions").map { $0["session_id"] })
      #expect(tables.rows("shapes").allSatisfy { ids.contains($0["session_id"]) })
    }
  }

  @Test(arguments: ["jsonl", "parquet"]) func sessionsOneByOneGiveTheSameBytesAsAllAtOnce(format: String)
    throws
  {
    let logs = try (0..<6).map { try record("\($0)", session: $0, marks: $0 % 3, in: "logs") }
    let (one, all) = (workspace.file("one"), workspace.file("all"))
    for log in [3, 0, 5, 1, 4, 2, 3].map({ logs[$0] }) {
      #expect(ToolRun("summarize", log, "-o", one, "--format", format).status == .done)
    }
    #expect(ToolRun(["summarize", "-o", all, "--format", format] + logs).status == .done)
    #expect(try Tables(one).bytes() == Tables(all).bytes())
    // And they are one file, not one a run.
    #expect(Tables(one).files("sessions").count == 1)
  }

  @Test func aFullFileStaysAndAFewSessionsAreJoined() throws {
    let limits = SummaryLimits(sessions: 4)
    let logs = try (0..<11).map { try record("\($0 + 10)", session: $0, marks: 0, in: "logs") }
    let home = workspace.file("t")
    #expect(Platform.makePrivateFolder(home) == nil)
    func add(_ logs: ArraySlice<String>) throws {
      let rows = logs.map { SummaryRows(of: SummaryLog(path: $0), in: SystemFileSystem()) }
      let files = SummaryFiles(
        try StagingFolder(in: home), SummaryPartition(rows[0].summary?.identity), .jsonl, limits)
      for (log, rows) in zip(logs, rows) { try files.add(rows, of: SummaryLog(path: log)) }
      try files.finish()
    }
    var names: [[String]] = []
    for logs in [logs[0..<5], logs[5..<6], logs[6..<7], logs[7..<11], logs[0..<1]] {
      try add(logs)
      names.append(Tables(home).files("sessions").map { String($0.suffix(16)) })
    }
    // Four and one; the one becomes two, which is half of what a file has, and stays. Then one, which becomes five. At last
    // one in the first file comes again.
    #expect(names.prefix(4).map(\.count) == [2, 2, 3, 4], "\(names)")
    #expect(names[0][0] == names[3][0], "\(names)")
    let rows = Tables(home).rows("sessions").map { $0["session_id"] ?? "" }
    #expect(rows.sorted() == (0..<11).map { "s\($0)" }.sorted(), "\(names)")
  }

  @Test func aTornCopyThatComesLateDoesNotReplaceTheWholeLog() throws {
    let log = try record("a", session: 1, marks: 5, in: "logs")
    let folder = workspace.file("t")
    #expect(ToolRun("summarize", log, "-o", folder, "--format", "jsonl").status == .done)
    let before = try Tables(folder).bytes()
    let torn = workspace.file("torn.evlog")
    try Data(contentsOf: URL(filePath: log)).dropLast(200).write(to: URL(filePath: torn))
    #expect(ToolRun("summarize", torn, "-o", folder, "--format", "jsonl").status == .damaged)
    #expect(try Tables(folder).bytes() == before)
    // The other way round the failure goes with the torn log.
    let other = workspace.file("u")
    #expect(ToolRun("summarize", torn, "-o", other, "--format", "jsonl").status == .damaged)
    #expect(Tables(other).rows("failures").count == 1)
    #expect(ToolRun("summarize", log, "-o", other, "--format", "jsonl").status == .done)
    #expect(Tables(other).rows("failures") == [])
    #expect(Tables(other).rows("sessions").map { $0["log_uri"] } == [log])
  }

  @Test func tablesOfAnotherProgramAreNotAddedTo() throws {
    let log = try record("a", session: 1, marks: 1, in: "logs")
    let folder = workspace.file("t")
    #expect(ToolRun("summarize", log, "-o", folder).status == .done)
    let file = try #require(Tables(folder).files("sessions").first)
    let foreign = LogPath(file).directory + "/part-00000-4f2a.c000.parquet"
    try FileManager.default.copyItem(atPath: file, toPath: foreign)
    let run = ToolRun("summarize", log, "-o", folder)
    #expect(run.status == .refused && run.errors.contains("another program made it"), "\(run.errors)")
    #expect(run.errors.contains("--replace"))
    #expect(ToolRun("summarize", log, "-o", folder, "--replace").status == .done)
    #expect(!FileManager.default.fileExists(atPath: foreign))
  }

  // MARK: Dimensions

  @Test(arguments: ["jsonl", "parquet"]) func whatAnAppTellsItsSessionsApartByAreColumns(format: String)
    throws
  {
    let folder = workspace.file("t")
    let metadata: [[String: String]] = [
      ["dim.experiment": "new-list", "dim.Screen": "inbox"],
      ["dim.experiment": "old-list", "dim.a b": "x", "dim.": "y"],
      ["dim.third": "", "dim.zip": "0"], [:],
    ]
    for (number, metadata) in metadata.enumerated() {
      let own = ["session_id": "s\(number)", "version": "1"].merging(metadata) { $1 }
      let log = try workspace.record("\(number)", own)
      #expect(ToolRun("summarize", log, "-o", folder, "--format", format).status == .done)
    }
    let file = try #require(Tables(folder).files("sessions").first)
    let rows = try TableRows(file, of: .sessions)
    #expect(rows.dimensions == ["dim_experiment", "dim_screen", "dim_zip"])
    var found: [[String?]] = []
    while let row = try rows.next() { found.append(row.suffix(3).map(\.text)) }
    #expect(
      found == [["new-list", "inbox", nil], ["old-list", nil, nil], [nil, nil, "0"], [nil, nil, nil]])
  }

  // MARK: Killed, and at the same time as others

  @Test(arguments: [true, false]) func aRunThatIsKilledAtAnyStepLeavesAllOfItOrNothing(exchanges: Bool) throws
  {
    let logs = try (0..<4).map { try record("\($0)", session: $0, marks: $0, in: "logs") }
    let home = workspace.file("home")
    #expect(ToolRun(["summarize", "-o", home, "--format", "jsonl"] + logs.prefix(3)).status == .done)
    let before = try Tables(home).bytes()
    let after = workspace.file("after")
    #expect(ToolRun(["summarize", "-o", after, "--format", "jsonl"] + logs).status == .done)
    let whole = try Tables(after).bytes()
    // What lies in the folder before each step is what a run that is killed there leaves.
    let seen = Snapshots(home, workspace.file("killed"))
    var moves = FolderMoves()
    moves.exchange = { a, b in
      seen.take()
      return exchanges && Platform.exchange(a, b)
    }
    moves.rename = { a, b in
      seen.take()
      try SystemFileSystem().rename(a, to: b)
    }
    moves.sync = { folder in
      seen.take()
      try SystemFileSystem().syncDirectory(folder)
    }
    let rows = SummaryRows(of: SummaryLog(path: logs[3]), in: SystemFileSystem())
    let files = SummaryFiles(
      try StagingFolder(in: home, moves), SummaryPartition(rows.summary?.identity), .jsonl,
      dimensions: ["dim_experiment"])
    try files.add(rows, of: SummaryLog(path: logs[3]))
    try files.finish()
    #expect(try Tables(home).bytes() == whole)
    var completed = 0
    #expect(seen.count > 20)
    for number in 0..<seen.count {
      let folder = "\(seen.path)-\(number)"
      try StagingFolder.removeLeftovers(in: folder)
      let found = try Tables(folder).bytes()
      #expect(found == before || found == whole, "killed at step \(number)")
      if found == whole { completed += 1 }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.allSatisfy { !$0.hasPrefix(".") }, "killed at step \(number): \(names)")
      // And whichever it was, the same run again makes it whole.
      #expect(ToolRun("summarize", logs[3], "-o", folder, "--format", "jsonl").status == .done)
      #expect(try Tables(folder).bytes() == whole, "killed at step \(number)")
    }
    #expect(completed > 5 && completed < seen.count)
  }

  @Test func runsThatAddToOnePartitionAtOnceLoseNothing() throws {
    let logs = try (0..<8).map { try record("\($0)", session: $0, marks: $0, in: "logs") }
    let (home, all) = (workspace.file("t"), workspace.file("all"))
    #expect(Platform.makePrivateFolder(home) == nil)
    let rows = logs.map { SummaryRows(of: SummaryLog(path: $0), in: SystemFileSystem()) }
    DispatchQueue.concurrentPerform(iterations: logs.count) { index in
      do {
        let files = SummaryFiles(
          try StagingFolder(in: home), SummaryPartition(rows[index].summary?.identity), .jsonl,
          dimensions: ["dim_experiment"])
        try files.add(rows[index], of: SummaryLog(path: logs[index]))
        try files.finish()
      } catch { Issue.record(error) }
    }
    #expect(ToolRun(["summarize", "-o", all, "--format", "jsonl"] + logs).status == .done)
    #expect(try Tables(home).bytes() == Tables(all).bytes())
  }

  // MARK: Help

  /// A log of a session, with some marks at its end. All are of one day and version.
  private func record(_ name: String, session: Int, marks: Int, in folder: String) throws -> String {
    let lines =
      screen + String(repeating: #"{"kind":"mark","label":"m"}"# + "\n", count: marks)
      + (session % 2 == 0
        ? #"{"kind":"evaluate","projection":"Spinner","duration_ns":\#(session + 1)}"# + "\n" : "")
    try FileManager.default.createDirectory(
      atPath: workspace.file(folder), withIntermediateDirectories: true)
    let imported = try workspace.log(lines, "\(name).imported")
    var options = LogOptions()
    options.metadata = [
      "session_id": "s\(session)", "version": "1.4", "device_class": ["phone", "tablet"][session / 2 % 2],
      "sampling_weight": "\(session % 3 + 1)",
    ]
    options.metadata["dim.experiment"] = session % 4 == 0 ? nil : "e\(session % 4)"
    let path = workspace.file("\(folder)/\(name).evlog")
    let writer = try LogWriter(creating: path, options: options)
    try LogReader(path: imported).forEachEvent { try writer.append($0) }
    try writer.close()
    return path
  }

  private func alone(_ log: String) throws -> Tables {
    let folder = workspace.file(UUID().uuidString)
    let run = ToolRun("summarize", log, "-o", folder, "--format", "jsonl")
    try #require(run.status == .done, "\(run.errors)")
    return Tables(folder)
  }

  private func texts(_ rows: [[String: String]]) -> [String] {
    rows.map { row in row.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
      .sorted()
  }

  private func sums(_ tables: Tables...) -> [String: Double] { sums(tables) }

  private func sums(_ tables: [Tables]) -> [String: Double] {
    var sums: [String: Double] = [:]
    for row in tables.flatMap({ $0.rows("durations") }) {
      let key = row.text("app", "device_class", "kind", "bucket", "low_ns", "high_ns")
      for column in ["count", "weighted_count"] {
        sums["\(key) \(column)", default: 0] += Double(row[column]!)!
      }
    }
    return sums
  }
}

/// Copies of a folder.
private final class Snapshots {
  let path: String
  private(set) var count = 0
  private let folder: String

  init(_ folder: String, _ path: String) { (self.folder, self.path) = (folder, path) }

  func take() {
    do {
      try FileManager.default.copyItem(atPath: folder, toPath: "\(path)-\(count)")
      count += 1
    } catch { Issue.record(error) }
  }
}
