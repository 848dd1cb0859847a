import EventLog
import Foundation
import Parquet
import ReplayAnalysis

/// Reads the tables that `summarize` wrote, without a query engine. It reads one partition at a time, and
/// keeps only that partition's sessions in memory. The files are untrusted input.
struct SummaryReader {
  let folder: String
  /// The version of the app whose sessions are read; nil for all.
  let version: String?
  /// The app whose sessions are read; nil for all.
  private let app: String?
  /// The paths of the partitions in the folder of a table.
  private let partitions: [String]

  /// - Parameter argument: A folder, optionally with a version: `summaries@1.5`. A version may have an @ too, and so may a
  ///   folder: the longest part that is a folder is one.
  init(_ argument: String, app: String? = nil) throws {
    self.app = app
    var (folder, version) = (argument, nil as String?)
    var end = argument.endIndex
    while !Platform.isFolder(folder), let at = argument[..<end].lastIndex(of: "@") {
      (folder, version) = (String(argument[..<at]), String(argument[argument.index(after: at)...]))
      end = at
    }
    self.folder = folder
    self.version = version
    let sessions = "\(folder)/\(SummaryTable.sessions.rawValue)"
    guard Platform.isFolder(sessions) else {
      throw ToolError("\(argument): no folder of tables; replay summarize makes one")
    }
    partitions = Self.names(in: sessions).flatMap { day in
      Self.names(in: "\(sessions)/\(day)").map { "\(day)/\($0)" }
    }
  }

  private static func names(in folder: String) -> [String] {
    let names = (try? SystemFileSystem().names(in: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted { ExactString($0) < ExactString($1) }
  }

  /// Adds up the contents of the tables.
  ///
  /// - Parameter dimensions: The columns by which sessions are told apart, besides their class of devices.
  /// - Throws: `ToolError` if there are sessions of several apps, which have nothing to do with each other.
  func tally(
    _ progress: AnalysisProgress, per unit: FleetUnit = .session, by dimensions: [String] = []
  ) throws -> FleetTally {
    defer { progress.finish() }
    var tally = FleetTally(per: unit)
    for (index, partition) in partitions.enumerated() {
      progress.report(UInt64(index), of: UInt64(partitions.count), "reading \(folder)")
      try add(partition, dimensions, to: &tally)
    }
    if tally.apps.count > 1 {
      let names = tally.apps.sorted().prefix(Self.versionsMax).joined(separator: ", ")
      throw ToolError("\(folder): there are sessions of several apps, \(names); choose one by --app")
    }
    return tally
  }

  /// The dimensions of the sessions: how many have a value of each, and these values, of which some are enough.
  func dimensions() throws -> (sessions: Int, of: [String: (count: Int, values: Set<String>)]) {
    var (sessions, found) = (0, [String: (count: Int, values: Set<String>)]())
    for partition in partitions {
      try forEachFile(of: .sessions, partition) { path in
        let names = try TableRows(path, of: .sessions, columns: []).dimensions
        let rows = try TableRows(path, of: .sessions, columns: ["app", "app_version"] + names)
        while let row = try rows.next() {
          guard isAsked(app: row[0].text, version: row[1].text) else { continue }
          sessions += 1
          for (name, value) in zip(names, row.dropFirst(2)) {
            guard let value = value.text else { continue }
            found[name, default: (0, [])].count += 1
            if found[name]?.values.count ?? 0 <= Self.versionsMax { found[name]?.values.insert(value) }
          }
        }
      }
    }
    return (sessions, found)
  }

  /// The sessions by version and by day, in order. Logs that are not whole are left out.
  func trends() throws -> (versions: [FleetReport.Point], days: [FleetReport.Point]) {
    var versions: [String?: FleetReport.Point] = [:]
    var days: [String?: FleetReport.Point] = [:]
    for partition in partitions {
      let folder = String(partition.prefix { $0 != "/" })
      let day = folder == SummaryPartition.undated ? nil : String(folder.dropFirst("day=".count))
      try forEachRow(
        of: .sessions, partition, "app", "app_version", "sampling_weight", "total_ns", "wasted_ns",
        "log_state"
      ) { row in
        guard isAsked(app: row[0].text, version: row[1].text), !Self.partialStates.contains(row[5].text ?? "")
        else {
          return
        }
        let weight = SessionIdentity.samplingWeight(row[2].double ?? 1)
        func count(_ points: inout [String?: FleetReport.Point], _ name: String?) {
          if points[name] == nil, points.count >= Self.pointsMax { return }
          points[name, default: FleetReport.Point(name)].add(
            weight: weight, time: row[3].count, wasted: row[4].count)
        }
        count(&versions, row[1].text)
        count(&days, day)
      }
    }
    func sorted(_ points: [String?: FleetReport.Point]) -> [FleetReport.Point] {
      points.values.sorted { a, b in
        guard let first = a.name else { return b.name != nil }
        guard let second = b.name else { return false }
        let order = first.compare(second, options: .numeric)
        return order == .orderedSame ? ExactString(first) < ExactString(second) : order == .orderedAscending
      }
    }
    return (sorted(versions), sorted(days))
  }

  /// More versions, or days, than a page shows.
  private static let pointsMax = 5_000

  /// The number of sessions in the folders of days: `day=2026-11-23`.
  func sessionCount(inDays days: Set<String>) throws -> Int {
    var count = 0
    for partition in partitions where days.contains(String(partition.prefix { $0 != "/" })) {
      try forEachRow(of: .sessions, partition, "session_id") { _ in count += 1 }
    }
    return count
  }

  private func isAsked(app: String?, version: String?) -> Bool {
    (self.app == nil || app == self.app) && (self.version == nil || version == self.version)
  }

  /// Says that there are no such sessions, and of which versions there are some. Cost: reading those again.
  func absence() throws -> String {
    let ofApp = app.map { " of the app \($0)" } ?? ""
    guard let version else { return "\(folder): there are no sessions\(ofApp)" }
    var known: Set<String> = []
    for partition in partitions where known.count < Self.versionsMax {
      try forEachRow(of: .sessions, partition, "app_version") { row in
        if let other = row[0].text, known.count < Self.versionsMax { known.insert(other) }
      }
    }
    let others = known.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    return "\(folder): no session\(ofApp) is of version \(version)"
      + (others.isEmpty ? "" : "; there are \(others.joined(separator: ", "))")
  }

  /// More are not named in a message.
  private static let versionsMax = 20

  private func add(_ partition: String, _ dimensions: [String], to tally: inout FleetTally) throws {
    var tickets: [String: FleetTally.Ticket] = [:]
    var seen: Set<String> = []
    let columns = [
      "session_id", "app", "app_version", "device_class", "sampling_weight", "log_uri", "log_state",
      "duration_ns", "writes",
    ]
    try forEachFile(of: .sessions, partition) { path in
      // A file has the dimensions of its own sessions.
      let has = Set(try TableRows(path, of: .sessions, columns: []).dimensions)
      let own = dimensions.filter { has.contains($0) }
      let rows = try TableRows(path, of: .sessions, columns: columns + own)
      while let row = try rows.next() {
        let id = try Self.session(row)
        guard let log = row[5].text, isAsked(app: row[1].text, version: row[2].text) else { continue }
        // Each session has a unique id in tables that `summarize` wrote, so further rows are ignored.
        guard seen.insert(id).inserted else { continue }
        if let app = row[1].text { tally.add(app: app) }
        guard !Self.partialStates.contains(row[6].text ?? "") else {
          tally.addPartial()
          continue
        }
        var session = FleetSession(
          id: id, version: row[2].text, deviceClass: row[3].text,
          weight: SessionIdentity.samplingWeight(row[4].double ?? 1), log: log, duration: row[7].count,
          writes: row[8].count)
        for (name, value) in zip(own, row.dropFirst(columns.count)) { session.dimensions[name] = value.text }
        tickets[id] = tally.add(session)
      }
    }
    let isOfVersion =
      version.map { partition.hasSuffix("/" + SummaryPartition.folder("version", $0)) } ?? true
    try forEachRow(of: .failures, partition, "session_id", "code") { row in
      // Of a log that could not be read at all, the app is not known.
      if isOfVersion, app == nil || row[0].text.map({ seen.contains($0) }) ?? true {
        tally.addFailure(row[1].text ?? "")
      }
    }
    if tickets.isEmpty { return }
    try forEachRow(of: .paths, partition, "session_id", "path_kind", "wasted_ns") { row in
      guard let ticket = tickets[try Self.session(row)], let kind = row[1].text else { return }
      tally.add(FleetSubject(.write, kind), cost: row[2].count, seq: nil, in: ticket)
    }
    try forEachRow(of: .projections, partition, "session_id", "kind", "total_ns", "exemplar_seq") { row in
      guard let ticket = tickets[try Self.session(row)], let kind = row[1].text else { return }
      tally.add(FleetSubject(.projection, kind), cost: row[2].count, seq: row[3].count, in: ticket)
    }
    try forEachRow(
      of: .actions, partition, "session_id", "kind", "total_ns", "p50_ns", "p95_ns", "exemplar_seq"
    ) { row in
      guard let ticket = tickets[try Self.session(row)], let kind = row[1].text else { return }
      // Without an exemplar nothing ran after such an action.
      let seq: UInt64? = row[5] == .null ? nil : row[5].count
      let settled = seq.map { _ in (p50: row[3].count, p95: row[4].count) }
      tally.add(FleetSubject(.action, kind), cost: row[2].count, seq: seq, settled: settled, in: ticket)
    }
    try forEachRow(
      of: .cascades, partition, "session_id", "shape_hash", "root_path_kind", "count", "total_ns",
      "exemplar_seq"
    ) { row in
      guard let ticket = tickets[try Self.session(row)], let shape = row[1].text else { return }
      tally.addCascades(
        shape: shape, root: row[2].text, count: row[3].count, time: row[4].count, seq: row[5].count,
        in: ticket)
    }
  }

  /// The session id of a row. `summarize` writes none without it; and a small file may contain very many such
  /// rows, so the first is an error.
  private static func session(_ row: [ParquetValue]) throws -> String {
    guard let id = row[0].text else { throw ToolError("a row has no session_id") }
    return id
  }

  /// The states of logs that are not whole. That of a program which was killed is: it ended there.
  private static let partialStates: Set<String> = ["torn", "damaged", "recording"]

  /// Calls the body for the rows of a partition in a table, in the order of the files' names.
  private func forEachRow(
    of table: SummaryTable, _ partition: String, _ columns: String..., body: ([ParquetValue]) throws -> Void
  ) throws {
    try forEachFile(of: table, partition) { path in
      let rows = try TableRows(path, of: table, columns: columns)
      while let row = try rows.next() { try body(row) }
    }
  }

  /// Calls the body for the files of a partition in a table, in the order of their names.
  ///
  /// - Throws: `ToolError`, which names the file.
  private func forEachFile(
    of table: SummaryTable, _ partition: String, _ body: (String) throws -> Void
  ) throws {
    let folder = "\(folder)/\(table.rawValue)/\(partition)"
    for name in Self.names(in: folder) where SummaryFormat(ofFile: name) != nil {
      let path = "\(folder)/\(name)"
      do { try body(path) } catch let error as ToolError
        where error.isLocated || error.description.hasPrefix(path)
      { throw error } catch { throw ToolError("\(path): \(error)") }
    }
  }
}
