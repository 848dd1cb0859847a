import EventLog
import Foundation
import Parquet
import ReplayAnalysis
import SystemPackage

/// A form that tables are written in.
enum SummaryFormat: String, CaseIterable {
  case parquet, jsonl
}

/// The sessions of one day and version of an app: in each table a folder of its own.
struct SummaryPartition: Hashable, Comparable {
  let day: String?
  let version: String?

  init(_ identity: SessionIdentity?) {
    day = identity?.day
    version = identity?.version
  }

  /// The folders, as Hive, Spark, DuckDB and others read them: `day=2026-11-23/version=1.5`.
  var path: String { "day=\(Self.escaped(day))/version=\(Self.escaped(version))" }

  /// One folder is one partition, else the second would take the place of the first.
  static func == (a: SummaryPartition, b: SummaryPartition) -> Bool { a.path.utf8.elementsEqual(b.path.utf8) }

  func hash(into hasher: inout Hasher) { for byte in path.utf8 { hasher.combine(byte) } }

  static func < (a: SummaryPartition, b: SummaryPartition) -> Bool {
    a.path.utf8.lexicographicallyPrecedes(b.path.utf8)
  }

  /// Hive's word for null.
  private static let null = "__HIVE_DEFAULT_PARTITION__"

  private static func escaped(_ text: String?) -> String {
    guard let text else { return null }
    // A version that is that word is another.
    if text == null { return "%5F" + null.dropFirst() }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": escaped.unicodeScalars.append(scalar)
      case _ where scalar.value >= 0x80: escaped.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      }
    }
    return escaped
  }
}

/// Writes the tables of one partition beside those that are there, and then puts them in their place: each table's
/// partition is the old one or the new, and never a part.
///
///     DIR/sessions/day=2026-11-23/version=1.5/part-00000.parquet
final class SummaryFiles {
  private let folder: String
  private let temporary: String
  private let partition: SummaryPartition
  private let format: SummaryFormat
  private var part = 0
  private var sessions = 0
  private var writers: [SummaryTable: TableFile] = [:]
  private var rollup = DurationRollup()
  /// The shapes that the file of shapes has.
  private var shapes: Set<String> = []

  private let sessionsMax: Int

  /// - Parameter sessionsMax: How many sessions a file has.
  init(
    _ folder: String, _ partition: SummaryPartition, _ format: SummaryFormat, sessionsMax: Int = 10_000
  ) throws {
    self.sessionsMax = sessionsMax
    self.folder = folder
    self.partition = partition
    self.format = format
    // Readers pass over names that begin so.
    temporary = "\(folder)/.writing-\(String(UInt64.random(in: 1 << 60 ... .max), radix: 16))"
  }

  deinit { try? FileManager.default.removeItem(atPath: temporary) }

  func add(_ rows: SummaryRows) throws {
    if sessions == sessionsMax { try closePart() }
    try openPart()
    sessions += 1
    for table in SummaryTable.allCases {
      for row in rows.rows[table] ?? [] where try table != .shapes || isNewShape(row) {
        try writers[table]?.append(row)
      }
    }
    if let summary = rows.summary { rollup.add(summary) }
  }

  private func isNewShape(_ row: [ParquetValue]) throws -> Bool {
    guard case .text(let hash) = row[SummaryTable.shapes.common(nil).count] else { return true }
    return shapes.insert(hash).inserted
  }

  private func openPart() throws {
    guard writers.isEmpty else { return }
    let digits = String(part)
    let name = "part-" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    for table in SummaryTable.allCases {
      let folder = "\(temporary)/\(table.rawValue)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      writers[table] = try TableFile(table.columns, "\(folder)/\(name).\(format.rawValue)", format)
    }
  }

  private func closePart() throws {
    for row in rollup.rows { try writers[.durations]?.append(row) }
    for table in SummaryTable.allCases { try writers[table]?.finish() }
    writers = [:]
    rollup = DurationRollup()
    shapes = []
    sessions = 0
    part += 1
  }

  /// Puts what was written in its place.
  func finish() throws {
    try closePart()
    for table in SummaryTable.allCases {
      let path = "\(folder)/\(table.rawValue)/\(partition.path)"
      try Folder.replace(path, by: "\(temporary)/\(table.rawValue)")
    }
  }
}

/// A table that is being written.
private final class TableFile {
  private let descriptor: FileDescriptor
  private let columns: [ParquetColumn]
  private let parquet: ParquetWriter?
  private let name: String
  private var lines: [UInt8] = []

  init(_ columns: [ParquetColumn], _ path: String, _ format: SummaryFormat) throws {
    self.columns = columns
    name = path
    let descriptor = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
    self.descriptor = descriptor
    parquet =
      format == .parquet
      ? try ParquetWriter(columns, groupBytes: 4 << 20) { _ = try descriptor.writeAll($0) } : nil
  }

  deinit { try? descriptor.close() }

  func append(_ row: [ParquetValue]) throws {
    if let parquet { return try parquet.append(row) }
    var separator = "{"
    for (column, value) in zip(columns, row) {
      lines += Array("\(separator)\"\(column.name)\":\(value.json)".utf8)
      separator = ","
    }
    lines += Array("}\n".utf8)
    if lines.count > 1 << 16 { try writeLines() }
  }

  private func writeLines() throws {
    _ = try descriptor.writeAll(lines)
    lines.removeAll(keepingCapacity: true)
  }

  func finish() throws {
    if let parquet { try parquet.finish() } else { try writeLines() }
  }
}

extension ParquetValue {
  fileprivate var json: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .unsigned(let number): String(number)
    case .double(let number): EventLog.Value.double(number).json
    case .text(let text): EventLog.Value.string(text).json
    }
  }
}

/// Folders that take the place of others.
enum Folder {
  /// Gives a folder a name, in one step; what had the name is removed.
  static func replace(_ path: String, by new: String) throws {
    let files = FileManager.default
    let parent = LogPath(path).directory
    try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
    if try exchange(new, path) {
      // The old one has the name of the new one now.
      try files.removeItem(atPath: new)
    }
  }

  /// Gives a folder a name; where one had it, that has the other name then.
  ///
  /// - Returns: Whether one had it.
  private static func exchange(_ a: String, _ b: String) throws -> Bool {
    let fileSystem = SystemFileSystem()
    guard Platform.exists(b) else {
      try fileSystem.rename(a, to: b)
      return false
    }
    if Platform.exchange(a, b) { return true }
    // A file system without an exchange: readers may find neither for a moment.
    let old = "\(a).old"
    try fileSystem.rename(b, to: old)
    try fileSystem.rename(a, to: b)
    try fileSystem.rename(old, to: a)
    return true
  }
}
