import EventLog
import Parquet
import ReplayAnalysis
import SystemPackage

/// A file format for tables.
enum SummaryFormat: String, CaseIterable {
  case parquet, jsonl

  /// The format of a file, by its name; nil if it is no table.
  init?(ofFile name: String) {
    guard let end = name.lastIndex(of: "."), name.first != "." else { return nil }
    self.init(rawValue: String(name[name.index(after: end)...]))
  }
}

/// A table that is being written. Only the user may read it, like the logs that it is made from.
final class TableFile {
  private let descriptor: FileDescriptor
  private let columns: [ParquetColumn]
  private let parquet: ParquetWriter?
  private var lines: [UInt8] = []

  /// - Parameter path: The path of a new file. Missing parent folders are created.
  init(_ columns: [ParquetColumn], _ path: String, _ format: SummaryFormat) throws {
    self.columns = columns
    if let error = Platform.makePrivateFolders(LogPath(path).directory) { throw Errno(rawValue: error) }
    let descriptor = try FileDescriptor.open(
      path.filePath, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
      permissions: [.ownerReadWrite])
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

  /// Writes the rest, and returns when the file is safe from a loss of power.
  func finish() throws {
    if let parquet { try parquet.finish() } else { try writeLines() }
    if let error = Platform.sync(descriptor.rawValue) { throw Errno(rawValue: error) }
  }
}

extension ParquetValue {
  /// The value as JSON.
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
