/// Why a file cannot be read as a table.
package enum ParquetReadError: Error, Hashable, Sendable {
  /// The file does not begin and end as a Parquet file does.
  case notParquet
  /// The bytes contradict each other; the text says how.
  case damaged(String)
  /// The file has a feature that ``ParquetWriter`` does not use, named in the text; another program may have
  /// written it.
  case unsupported(String)
  /// A page has this many bytes, more than the writer makes.
  case tooLarge(bytes: Int64)
  /// There is no such column.
  case noColumn(String)
  case outOfMemory
}

extension ParquetReadError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notParquet: "this is not a Parquet file, or not all of it"
    case .damaged(let reason): "the file is damaged: \(reason)"
    case .unsupported(let what): "only what replay writes is read here, and the file has \(what)"
    case .tooLarge(let bytes): "a page claims to have \(bytes) bytes"
    case .noColumn(let name): "there is no column \(name)"
    case .outOfMemory: "zstd could not begin: out of memory"
    }
  }
}

/// Reads tables in the form that ``ParquetWriter`` uses: flat columns, plain values, pages of version 1, with
/// zstd or uncompressed.
///
/// The file may contain any bytes. Whatever the reader does not understand is refused with an error, and
/// memory is bounded by one page for each requested column, whatever the file claims.
package struct ParquetReader {
  /// Reads this many bytes at an offset of the file, or fewer at the end of the file.
  package typealias Source = (_ offset: Int64, _ count: Int) throws -> [UInt8]

  package let columns: [ParquetColumn]
  package let rowCount: Int64
  private let groups: [Group]
  private let source: Source

  private struct Group {
    var rowCount: Int64
    var chunks: [Chunk]
  }

  /// Where the values of a column in a row group are.
  struct Chunk {
    var isCompressed: Bool
    var offset: Int64
    var byteCount: Int64
    var valueCount: Int64
  }

  /// More than the metadata of any file that the writer makes.
  static let metadataBytesMax = 16 << 20
  /// More rows than any file that the writer makes. A small file can claim many more, since repeated values
  /// compress well and a page of nulls has almost no contents.
  static let rowsMax: Int64 = 100_000_000
  private static let magic: [UInt8] = Array("PAR1".utf8)

  /// Reads the file's metadata.
  ///
  /// - Parameter byteCount: The size of the file in bytes.
  /// - Throws: `ParquetReadError`, and what the source throws.
  package init(byteCount: Int64, _ source: @escaping Source) throws {
    guard byteCount >= 12, try source(0, 4) == Self.magic else { throw ParquetReadError.notParquet }
    let tail = try source(byteCount - 8, 8)
    guard tail.count == 8, Array(tail[4...]) == Self.magic else { throw ParquetReadError.notParquet }
    let length = (0..<4).reduce(Int64(0)) { $0 | Int64(tail[$1]) << Int64(8 * $1) }
    guard length <= byteCount - 12 else { throw ParquetReadError.damaged("its metadata is longer than it") }
    guard length <= Self.metadataBytesMax else { throw ParquetReadError.tooLarge(bytes: length) }
    let start = byteCount - 8 - length
    let bytes = try source(start, Int(length))
    guard bytes.count == Int(length) else { throw ParquetReadError.notParquet }
    var position = 0
    let file = try ThriftValue(readingStruct: bytes, at: &position)
    let columns = try Self.columns(file)
    self.columns = columns
    self.source = source
    groups = try (file[4]?.list ?? []).map { try Self.group($0, columns, end: start) }
    try Self.checkChunksLieApart(groups)
    // The sum cannot overflow: the metadata's limit on values bounds the number of groups.
    let sum = groups.reduce(Int64(0)) { $0 + $1.rowCount }
    if sum > Self.rowsMax { throw ParquetReadError.unsupported("more than \(Self.rowsMax) rows") }
    guard let count = file[3]?.integer, count == sum else {
      throw ParquetReadError.damaged("its row groups have another number of rows than it has")
    }
    rowCount = count
  }

  /// Throws if chunks overlap. Otherwise a few bytes could be the rows of each of a million groups.
  private static func checkChunksLieApart(_ groups: [Group]) throws(ParquetReadError) {
    var end: Int64 = 0
    for chunk in groups.flatMap(\.chunks).sorted(by: { $0.offset < $1.offset }) where chunk.byteCount > 0 {
      if chunk.offset < end { throw .damaged("two columns lie in one place") }
      end = chunk.offset + chunk.byteCount
    }
  }

  private static func columns(_ file: ThriftValue) throws(ParquetReadError) -> [ParquetColumn] {
    guard let elements = file[2]?.list, let root = elements.first, elements.count > 1,
      root[5]?.integer == Int64(elements.count - 1)
    else { throw .unsupported("columns in columns, or none") }
    var columns: [ParquetColumn] = []
    for element in elements.dropFirst() {
      guard let name = element[4]?.text else { throw .damaged("a column has no name") }
      let isTimestamp = element[6]?.integer == 10
      let kind: ParquetColumn.Kind
      switch (element[1]?.integer, isTimestamp) {
      case (0, _): kind = .boolean
      case (2, true): kind = .timestamp
      case (2, false): kind = .integer
      case (5, _): kind = .double
      case (6, _): kind = .text
      default: throw .unsupported("a column of another type, \(name)")
      }
      guard let repetition = element[3]?.integer, (0...1).contains(repetition) else {
        throw .unsupported("a list, \(name)")
      }
      columns.append(ParquetColumn(name, kind, isOptional: repetition == 1))
    }
    return columns
  }

  private static func group(
    _ group: ThriftValue, _ columns: [ParquetColumn], end: Int64
  ) throws(ParquetReadError) -> Group {
    guard let rowCount = group[3]?.integer, (0...rowsMax).contains(rowCount), let described = group[1]?.list,
      described.count == columns.count
    else { throw .damaged("a row group has other columns than the file") }
    var chunks: [Chunk] = []
    for (chunk, column) in zip(described, columns) {
      guard let meta = chunk[3], let offset = meta[9]?.integer, let bytes = meta[7]?.integer,
        let values = meta[5]?.integer, let codec = meta[4]?.integer,
        meta[1]?.integer == Int64(column.kind.physicalType)
      else { throw .damaged("\(column.name) is not described") }
      if meta[11] != nil { throw .unsupported("a dictionary, of \(column.name)") }
      guard codec == 0 || codec == 6 else { throw .unsupported("another compression than zstd") }
      guard offset >= 4, bytes >= 0, offset <= end, bytes <= end - offset, values == rowCount else {
        throw .damaged("\(column.name) does not lie in the file")
      }
      chunks.append(
        Chunk(isCompressed: codec == 6, offset: offset, byteCount: bytes, valueCount: values))
    }
    return Group(rowCount: rowCount, chunks: chunks)
  }

  /// Calls the body for each row, with the values of some columns.
  ///
  /// - Parameters:
  ///   - names: The columns and their order; nil for all columns in the file's order.
  ///   - body: Receives the values of a row.
  /// - Throws: `ParquetReadError`, and what the source or the body throws.
  package func forEachRow(of names: [String]? = nil, _ body: ([ParquetValue]) throws -> Void) throws {
    let rows = try rows(of: names)
    while let row = try rows.next() { try body(row) }
  }

  /// The rows, to be asked for one by one, with the values of some columns.
  ///
  /// - Parameter names: The columns and their order; nil for all columns in the file's order.
  package func rows(of names: [String]? = nil) throws -> ParquetRows {
    let indices = try names.map { names in
      try names.map { name in
        guard let index = columns.firstIndex(where: { $0.name == name }) else {
          throw ParquetReadError.noColumn(name)
        }
        return index
      }
    }
    let decompressor = try PageDecompressor()
    return ParquetRows(
      rowCounts: groups.map(\.rowCount),
      cursors: { [columns, groups, source] group in
        (indices ?? Array(columns.indices)).map {
          ColumnCursor(columns[$0], groups[group].chunks[$0], source, decompressor)
        }
      })
  }
}

/// Goes through the rows of a table, from which several can be read at a time. Made by ``ParquetReader/rows(of:)``.
package final class ParquetRows {
  private let rowCounts: [Int64]
  private let open: (_ group: Int) -> [ColumnCursor]
  /// The row group that is read, its columns, and how many of its rows are left.
  private var group = -1
  private var cursors: [ColumnCursor] = []
  private var left: Int64 = 0

  fileprivate init(rowCounts: [Int64], cursors: @escaping (_ group: Int) -> [ColumnCursor]) {
    self.rowCounts = rowCounts
    open = cursors
  }

  /// The next row; nil after the last.
  ///
  /// - Throws: `ParquetReadError`, and what the source throws.
  package func next() throws -> [ParquetValue]? {
    while left == 0 {
      for cursor in cursors { try cursor.finish() }
      cursors = []
      if group + 1 >= rowCounts.count { return nil }
      group += 1
      left = rowCounts[group]
      cursors = open(group)
    }
    left -= 1
    var row: [ParquetValue] = []
    row.reserveCapacity(cursors.count)
    for cursor in cursors { row.append(try cursor.next()) }
    return row
  }
}
