import EventLog
import Foundation
import Parquet
import ReplayAnalysis
import SystemPackage

/// Reads a file of a table row by row, in either format. The file is untrusted input.
final class TableRows {
  /// The columns of a dimension that the file has, besides those of the table.
  let dimensions: [String]
  private let path: String
  private let source: Source

  private enum Source {
    case parquet(ParquetRows, FileDescriptor)
    case lines(LineReader, [ParquetColumn])
  }

  /// - Parameter columns: The columns and their order; nil for all of the table, and then its dimensions.
  /// - Throws: `ToolError`, which names the file.
  init(_ path: String, of table: SummaryTable, columns names: [String]? = nil) throws {
    self.path = path
    do {
      let isLines = path.hasSuffix(".\(SummaryFormat.jsonl.rawValue)")
      (source, dimensions) =
        isLines ? try Self.lines(path, table, names) : try Self.parquet(path, table, names)
    } catch { throw Self.located(error, path) }
  }

  deinit { if case .parquet(_, let descriptor) = source { try? descriptor.close() } }

  /// The next row; nil after the last.
  ///
  /// - Throws: `ToolError`, which names the file.
  func next() throws -> [ParquetValue]? {
    do {
      switch source {
      case .parquet(let rows, _): return try rows.next()
      case .lines(let lines, let columns):
        while let line = try lines.next() {
          if line.isEmpty { continue }
          guard let object = Self.object(line) else {
            throw ToolError(file: path, line: lines.lineNumber, column: 1, "the line is no JSON object")
          }
          return columns.map { Self.value(object[$0.name], of: $0.kind) }
        }
        return nil
      }
    } catch { throw Self.located(error, path) }
  }

  private static func located(_ error: any Error, _ path: String) -> ToolError {
    if let error = error as? ToolError, error.isLocated { return error }
    return ToolError("\(path): \(error)")
  }

  // MARK: Parquet

  private static func parquet(
    _ path: String, _ table: SummaryTable, _ names: [String]?
  ) throws -> (Source, [String]) {
    let file = try Platform.openFile(path)
    do {
      let reader = try reader(file)
      let found = reader.columns.map(\.name).filter { $0.hasPrefix(SummaryTable.dimensionPrefix) }.sorted()
      let dimensions = table == .sessions ? found : []
      let rows = try reader.rows(of: names ?? table.columns(with: dimensions).map(\.name))
      return (.parquet(rows, file), dimensions)
    } catch {
      try? file.close()
      throw error
    }
  }

  private static func reader(_ file: FileDescriptor) throws -> ParquetReader {
    try ParquetReader(byteCount: try file.seek(offset: 0, from: .end)) { offset, count in
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
        while done < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
          let read = try file.read(fromAbsoluteOffset: offset + Int64(done), into: rest)
          if read == 0 { break }
          done += read
        }
      }
    }
  }

  // MARK: JSON Lines

  private static func lines(
    _ path: String, _ table: SummaryTable, _ names: [String]?
  ) throws -> (Source, [String]) {
    // Throws for what is no file, of which reading may wait for ever.
    try Platform.openFile(path).close()
    let dimensions = try dimensions(ofLines: path, table)
    let own = table.columns(with: dimensions)
    let columns = try (names ?? own.map(\.name)).map { name in
      guard let column = own.first(where: { $0.name == name }) else { throw ParquetReadError.noColumn(name) }
      return column
    }
    return (.lines(try LineReader(path: path, limit: lineBytesMax), columns), dimensions)
  }

  /// Longer than any line that `summarize` writes: a row has texts of up to 1 KiB, a tree of up to 4 KiB and a
  /// histogram of up to 64 KiB, escaped as JSON.
  private static let lineBytesMax = 1 << 20

  /// The dimensions in the first row; all rows of a file have the same columns.
  private static func dimensions(ofLines path: String, _ table: SummaryTable) throws -> [String] {
    guard table == .sessions else { return [] }
    let lines = try LineReader(path: path, limit: lineBytesMax)
    while let line = try lines.next() {
      if line.isEmpty { continue }
      return object(line).map { $0.keys.filter { $0.hasPrefix(SummaryTable.dimensionPrefix) }.sorted() } ?? []
    }
    return []
  }

  private static func object(_ line: [UInt8]) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
  }

  private static func value(_ value: Any?, of kind: ParquetColumn.Kind) -> ParquetValue {
    switch kind {
    case .text: (value as? String).map { .text($0) } ?? .null
    case .double: (value as? NSNumber).map { .double($0.doubleValue) } ?? .null
    default: (value as? NSNumber).map { .integer($0.int64Value) } ?? .null
    }
  }
}

extension ParquetValue {
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var double: Double? { if case .double(let number) = self { number } else { nil } }
  /// A count or a time; negative numbers count as 0.
  var count: UInt64 { if case .integer(let number) = self { UInt64(max(0, number)) } else { 0 } }
}
