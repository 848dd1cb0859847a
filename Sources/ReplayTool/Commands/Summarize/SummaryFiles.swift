import EventLog
import Parquet
import ReplayAnalysis

/// The limits of one file of a table. They also bound memory, since the distinct names in a file are kept
/// until it is closed.
struct SummaryLimits {
  var sessions = 10_000
  /// The total over all tables.
  var rows = 8_000_000
  /// The size of the names of shapes and of the rollup of durations, in bytes.
  var nameBytes = 48 << 20
}

/// Writes the tables of one partition to a staging folder, and then moves them into place.
///
///     DIR/sessions/day=2026-11-23/version=1.5/part-00000.parquet
///
/// The partition of a day is replaced as a whole. Logs without a day have a file each, so that one run of the
/// command does not replace what another has written:
///
///     DIR/failures/day=__HIVE_DEFAULT_PARTITION__/version=__HIVE_DEFAULT_PARTITION__/log-0123456789abcdef.parquet
final class SummaryFiles {
  private let staging: StagingFolder
  private let partition: SummaryPartition
  private let format: SummaryFormat
  private let limits: SummaryLimits
  private var parts: [String] = []
  /// The logs without a day.
  private var logs: [SummaryLog] = []
  private var sessions = 0
  private var rowCount = 0
  private var writers: [SummaryTable: TableFile] = [:]
  private var rollup = DurationRollup()
  /// The shapes that the current file of shapes has.
  private var shapes: Set<String> = []
  private var shapeBytes = 0

  init(
    _ staging: StagingFolder, _ partition: SummaryPartition, _ format: SummaryFormat,
    _ limits: SummaryLimits = SummaryLimits()
  ) {
    self.staging = staging
    self.partition = partition
    self.format = format
    self.limits = limits
  }

  private var isFull: Bool {
    sessions >= limits.sessions || rowCount >= limits.rows
      || rollup.byteCount + shapeBytes >= limits.nameBytes
  }

  func add(_ rows: SummaryRows, of log: SummaryLog) throws {
    if partition.isDated {
      if isFull { try closePart() }
      if writers.isEmpty { try openPart("part-\(parts.count.padded(to: 5))", SummaryTable.allCases) }
    } else {
      // Every table needs at least one file, as in the partitions of days. Otherwise only tables with rows
      // get one.
      if parts.isEmpty {
        try openPart("log-none", SummaryTable.allCases)
        try closePart()
      }
      logs.append(log)
      try openPart(log.fileName, SummaryTable.allCases.filter { rows.has($0) })
    }
    sessions += 1
    for table in SummaryTable.allCases {
      for row in rows[table] where table != .shapes || isNewShape(row) {
        try writers[table]?.append(row)
        rowCount += 1
      }
    }
    if let summary = rows.summary { rollup.add(summary) }
    if !partition.isDated { try closePart() }
  }

  private func isNewShape(_ row: [ParquetValue]) -> Bool {
    guard case .text(let hash) = row[SummaryTable.shapes.common(nil).count] else { return true }
    guard shapes.insert(hash).inserted else { return false }
    // An estimate of the string's heap allocation and its slot in the set.
    shapeBytes += hash.utf8.count + 64
    return true
  }

  private func openPart(_ name: String, _ tables: [SummaryTable]) throws {
    parts.append(name)
    for table in tables {
      let path = "\(staging.path)/\(folder(table))/\(name).\(format.rawValue)"
      writers[table] = try TableFile(table.columns, path, format)
    }
  }

  /// The path of a table's files, both in the folder of the tables and in the staging folder.
  private func folder(_ table: SummaryTable) -> String { "\(table.rawValue)/\(partition.path)" }

  private func closePart() throws {
    for row in rollup.rows { try writers[.durations]?.append(row) }
    for table in SummaryTable.allCases { try writers[table]?.finish() }
    writers = [:]
    rollup = DurationRollup()
    shapes = []
    (sessions, rowCount, shapeBytes) = (0, 0, 0)
  }

  /// Moves the new files into place, and removes the files of earlier runs for the same logs without a day.
  func finish() throws {
    if !writers.isEmpty { try closePart() }
    let folders = SummaryTable.allCases.map { folder($0) }
    if partition.isDated { return try staging.publish(folders.map { ($0, $0) }) }
    try staging.publishFiles(of: folders) { placed in
      UndatedFiles(in: staging.home).remove(logs, except: placed)
    }
  }
}

/// The files of logs that had no day when they were summarised, or could not be read.
struct UndatedFiles {
  private let home: String
  /// The paths in the folder of the tables, by the file name without its extension.
  private var paths: [String: [String]] = [:]

  /// Finds the existing files. The folder must stay locked until they are removed.
  init(in home: String) {
    self.home = home
    func names(_ path: String) -> [String] {
      (try? SystemFileSystem().names(in: "\(home)/\(path)")) ?? []
    }
    for table in SummaryTable.allCases {
      let day = "\(table.rawValue)/\(SummaryPartition.undated)"
      for version in names(day) {
        for name in names("\(day)/\(version)") where name.hasPrefix("log-") {
          paths[name.split(separator: ".").first.map(String.init) ?? name, default: []]
            .append("\(day)/\(version)/\(name)")
        }
      }
    }
  }

  /// Removes the old files of logs that have been summarised again.
  func remove(_ logs: [SummaryLog], except placed: Set<String> = []) {
    if paths.isEmpty { return }
    for log in logs {
      for path in paths[log.fileName] ?? [] where !placed.contains(path) {
        try? SystemFileSystem().remove("\(home)/\(path)")
      }
    }
  }
}
