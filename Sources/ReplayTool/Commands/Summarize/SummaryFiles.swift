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
/// Sessions are added to those that the partition of a day has already (``SummaryMerge``). Logs without a day have a file
/// each, so that one run of the command does not replace what another has written:
///
///     DIR/failures/day=__HIVE_DEFAULT_PARTITION__/version=__HIVE_DEFAULT_PARTITION__/log-0123456789abcdef.parquet
final class SummaryFiles {
  private let staging: StagingFolder
  private let partition: SummaryPartition
  private let format: SummaryFormat
  private let limits: SummaryLimits
  /// The columns of dimensions that the files have.
  private let dimensions: [String]
  private var writer: SummaryWriter
  /// What was added, for a partition that has some already.
  private var added = SummaryMerge.Added()
  /// The logs without a day.
  private var logs: [SummaryLog] = []

  /// The folder in a staging folder for what was added.
  private static let new = "new"
  /// That for the whole partition, where it has more than that.
  private static let merged = "merged"

  /// - Parameter dimensions: The columns of dimensions that the logs have.
  init(
    _ staging: StagingFolder, _ partition: SummaryPartition, _ format: SummaryFormat,
    dimensions: [String] = [], _ limits: SummaryLimits = SummaryLimits()
  ) {
    self.staging = staging
    self.partition = partition
    self.format = format
    self.limits = limits
    self.dimensions = dimensions
    writer = SummaryWriter("\(staging.path)/\(Self.new)", partition, format, dimensions, limits)
  }

  func add(_ rows: SummaryRows, of log: SummaryLog) throws {
    if partition.isDated {
      added.insert(rows)
      return try writer.add(rows)
    }
    // Every table needs at least one file, as in the partitions of days. Otherwise only tables with rows get one.
    if logs.isEmpty {
      try writer.openPart("log-none", SummaryTable.allCases)
      try writer.closePart()
    }
    logs.append(log)
    try writer.openPart(log.fileName, SummaryTable.allCases.filter { rows.has($0) })
    try writer.write(rows)
    try writer.closePart()
  }

  /// Moves the new files into place: beside those of other sessions, or instead of all that the partition has. Removes the
  /// files of earlier runs for the same logs without a day.
  ///
  /// - Returns: The number of sessions that the partition keeps of those that it had; nil for one without a day.
  @discardableResult
  func finish(replacing: Bool = false) throws -> Int? {
    try writer.closePart()
    let places = SummaryTable.allCases.map { "\($0.rawValue)/\(partition.path)" }
    guard partition.isDated else {
      try staging.publishFiles(of: places, in: Self.new) { placed in
        UndatedFiles(in: staging.home).remove(logs, except: placed)
      }
      return nil
    }
    var kept = 0
    try staging.publish { [self] in
      var root = Self.new
      if !replacing {
        let merge = try SummaryMerge(
          in: staging.home, partition, format, added, parts: writer.partCount, limits)
        kept = merge.kept
        if merge.isNeeded {
          root = Self.merged
          try merge.run(
            new: "\(staging.path)/\(Self.new)", into: "\(staging.path)/\(Self.merged)", dimensions)
        }
      }
      return places.map { ("\(root)/\($0)", $0) }
    }
    return kept
  }
}

/// Writes the files of one partition, with as many sessions each as the limits allow.
struct SummaryWriter {
  private let root: String
  private let partition: SummaryPartition
  private let format: SummaryFormat
  private let limits: SummaryLimits
  private let dimensions: [String]
  /// The number of the first file.
  private let firstPart: Int
  private(set) var partCount = 0
  private var sessions = 0
  private var rowCount = 0
  private var writers: [SummaryTable: TableFile] = [:]
  private var rollup = DurationRollup()
  /// The shapes that the current file of shapes has.
  private var shapes: Set<String> = []
  private var shapeBytes = 0

  /// - Parameter root: The folder in which the tables are to be.
  init(
    _ root: String, _ partition: SummaryPartition, _ format: SummaryFormat, _ dimensions: [String],
    _ limits: SummaryLimits, firstPart: Int = 0
  ) {
    (self.root, self.partition, self.format) = (root, partition, format)
    (self.dimensions, self.limits, self.firstPart) = (dimensions, limits, firstPart)
  }

  private var isFull: Bool {
    sessions >= limits.sessions || rowCount >= limits.rows
      || rollup.byteCount + shapeBytes >= limits.nameBytes
  }

  mutating func add(_ rows: SummaryRows) throws {
    if isFull { try closePart() }
    if writers.isEmpty { try openPart(SummaryPart.name(firstPart + partCount), SummaryTable.allCases) }
    try write(rows)
  }

  /// Writes rows to the file that is open.
  mutating func write(_ rows: SummaryRows) throws {
    sessions += 1
    for table in SummaryTable.allCases {
      for row in rows[table] where table != .shapes || isNewShape(row) {
        let own =
          table == .sessions ? row + dimensions.map { rows.dimensions[$0].map { .text($0) } ?? .null } : row
        try writers[table]?.append(own)
        rowCount += 1
      }
    }
    if let durations = rows.durations { rollup.add(durations) }
  }

  private mutating func isNewShape(_ row: [ParquetValue]) -> Bool {
    guard case .text(let hash) = row[SummaryTable.shapes.common.count] else { return true }
    guard shapes.insert(hash).inserted else { return false }
    // An estimate of the string's heap allocation and its slot in the set.
    shapeBytes += hash.utf8.count + 64
    return true
  }

  mutating func openPart(_ name: String, _ tables: [SummaryTable]) throws {
    partCount += 1
    for table in tables {
      let path = "\(root)/\(table.rawValue)/\(partition.path)/\(name).\(format.rawValue)"
      writers[table] = try TableFile(table.columns(with: dimensions), path, format)
    }
  }

  /// Finishes the file that is open, if one is.
  mutating func closePart() throws {
    if writers.isEmpty { return }
    for row in rollup.rows { try writers[.durations]?.append(row) }
    for table in SummaryTable.allCases { try writers[table]?.finish() }
    writers = [:]
    rollup = DurationRollup()
    shapes = []
    (sessions, rowCount, shapeBytes) = (0, 0, 0)
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
