import EventLog
import Foundation
import Parquet
import ReplayAnalysis
import SystemPackage

/// Reads the tables that `summarize` wrote, without a query engine. It reads one partition at a time, and
/// keeps only that partition's sessions in memory. The files are untrusted input.
struct SummaryReader {
  let folder: String
  /// The version of the app whose sessions are read; nil for all.
  let version: String?
  /// The paths of the partitions in the folder of a table.
  private let partitions: [String]

  /// - Parameter argument: A folder, optionally with a version: `summaries@1.5`.
  init(_ argument: String) throws {
    var (folder, version) = (argument, nil as String?)
    if !Platform.isFolder(argument), let at = argument.lastIndex(of: "@") {
      (folder, version) = (String(argument[..<at]), String(argument[argument.index(after: at)...]))
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
  func tally(_ progress: AnalysisProgress) throws -> FleetTally {
    defer { progress.finish() }
    var tally = FleetTally()
    for (index, partition) in partitions.enumerated() {
      progress.report(UInt64(index), of: UInt64(partitions.count), "reading \(folder)")
      try add(partition, to: &tally)
    }
    return tally
  }

  /// Says that there are no such sessions, and of which versions there are some. Cost: reading those again.
  func absence() throws -> String {
    guard let version else { return "\(folder): there are no sessions" }
    var known: Set<String> = []
    for partition in partitions where known.count < Self.versionsMax {
      try forEachRow(of: .sessions, partition, "app_version") { row in
        if let other = row[0].text, known.count < Self.versionsMax { known.insert(other) }
      }
    }
    let others = known.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    return "\(folder): no session is of version \(version)"
      + (others.isEmpty ? "" : "; there are \(others.joined(separator: ", "))")
  }

  /// More are not named in a message.
  private static let versionsMax = 20

  private func add(_ partition: String, to tally: inout FleetTally) throws {
    var tickets: [String: FleetTally.Ticket] = [:]
    try forEachRow(
      of: .sessions, partition, "session_id", "app_version", "device_class", "sampling_weight", "log_uri"
    ) { row in
      let id = try Self.session(row)
      guard let log = row[4].text, version == nil || row[1].text == version else { return }
      // Each session has a unique id in tables that `summarize` wrote, so further rows are ignored.
      guard tickets[id] == nil else { return }
      let weight = row[3].double ?? 1
      let session = FleetSession(
        id: id, version: row[1].text, deviceClass: row[2].text,
        weight: SessionIdentity.samplingWeight(weight), log: log)
      tickets[id] = tally.add(session)
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

  /// Calls the body for the rows of a partition in a table, in the order of the files' names.
  private func forEachRow(
    of table: SummaryTable, _ partition: String, _ columns: String..., body: ([ParquetValue]) throws -> Void
  ) throws {
    let folder = "\(folder)/\(table.rawValue)/\(partition)"
    for name in Self.names(in: folder) where SummaryFormat(ofFile: name) != nil {
      let rows = try TableRows("\(folder)/\(name)", of: table, columns: columns)
      do {
        while let row = try rows.next() { try body(row) }
      } catch let error as ToolError where error.isLocated || error.description.hasPrefix(folder) {
        throw error
      } catch { throw ToolError("\(folder)/\(name): \(error)") }
    }
  }
}
