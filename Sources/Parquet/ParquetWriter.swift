/// Writes a table as a Parquet file: flat columns, plain values, pages of version 1 with zstd, with
/// statistics.
///
/// It follows the specification, github.com/apache/parquet-format, and implements the part that summaries
/// need:
///
///     PAR1
///     row group: for each column its pages
///     ...
///     metadata, in Thrift: schema, row groups with their offsets and statistics, orders of columns
///     length of the metadata (u32), PAR1
///
/// Rows are added one by one and buffered until a row group is full, so memory does not grow with their
/// number. The same rows give the same bytes.
package final class ParquetWriter {
  /// The size limit of a text in bytes.
  package static let textBytesMax = 16 << 20

  private let sink: ([UInt8]) throws -> Void
  private let columns: [ParquetColumn]
  private let groupRowsMax: Int
  private let groupBytesMax: Int
  private let compressor: PageCompressor
  private var chunks: [ColumnChunk]
  private var offset: Int64
  private var groupRows = 0
  private var groups: [ThriftStruct] = []
  /// The number of rows that were added.
  package private(set) var rowCount: Int64 = 0

  private static let magic: [UInt8] = Array("PAR1".utf8)

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - groupRows: A row group is finished at this number of rows.
  ///   - groupBytes: A row group is also finished at about this many bytes of memory.
  ///   - sink: Receives the bytes of the file, in order.
  /// - Throws: `ParquetError` for columns that some reader refuses, and what the sink throws.
  package init(
    _ columns: [ParquetColumn], groupRows: Int = 122_880, groupBytes: Int = 8 << 20,
    to sink: @escaping ([UInt8]) throws -> Void
  ) throws {
    try ParquetColumn.check(columns)
    self.sink = sink
    self.columns = columns
    groupRowsMax = max(1, groupRows)
    groupBytesMax = groupBytes
    compressor = try PageCompressor()
    chunks = columns.map { ColumnChunk($0) }
    try sink(Self.magic)
    offset = Int64(Self.magic.count)
  }

  /// Adds a row with a value for each column, in the order of the columns.
  ///
  /// - Throws: `ParquetError` for a row that cannot be written, which leaves the file as it was; and what the
  ///   sink throws, after which the file cannot be completed.
  package func append(_ row: [ParquetValue]) throws {
    try ParquetColumn.check(row, for: columns)
    for (index, value) in row.enumerated() { try chunks[index].append(value, compressor) }
    rowCount += 1
    groupRows += 1
    let isFull = groupRows & 63 == 0 && chunks.reduce(0) { $0 + $1.byteCount } >= groupBytesMax
    if groupRows >= groupRowsMax || isFull { try closeGroup() }
  }

  /// Writes the buffered rows and the metadata, which completes the file.
  package func finish() throws {
    if groupRows > 0 { try closeGroup() }
    let metadata = metadata.bytes
    var tail = metadata
    tail.append(littleEndian: UInt32(metadata.count))
    try sink(tail + Self.magic)
  }

  private func closeGroup() throws {
    let start = offset
    var described: [ThriftStruct] = []
    var plainBytes = 0
    for index in chunks.indices {
      described.append(try chunks[index].finish(at: offset, compressor))
      try sink(chunks[index].pages)
      offset += Int64(chunks[index].pages.count)
      plainBytes += chunks[index].plainByteCount
      chunks[index].removeAll()
    }
    var group = ThriftStruct()
    group.set(1, list: described)
    group.set(2, Int64(plainBytes))
    group.set(3, Int64(groupRows))
    group.set(5, start)
    group.set(6, offset - start)
    groups.append(group)
    groupRows = 0
  }

  private var metadata: ThriftStruct {
    var root = ThriftStruct()
    root.set(4, "schema")
    root.set(5, Int32(columns.count))
    var file = ThriftStruct()
    file.set(1, Int32(1))
    file.set(2, list: [root] + columns.map(\.schemaElement))
    file.set(3, rowCount)
    file.set(4, list: groups)
    file.set(6, "swift-replay")
    // Readers ignore the bounds of columns that do not declare an order.
    var byType = ThriftStruct()
    byType.set(1, ThriftStruct())
    file.set(7, list: columns.map { _ in byType })
    return file
  }
}

extension ParquetColumn {
  fileprivate var schemaElement: ThriftStruct {
    var element = ThriftStruct()
    element.set(1, kind.physicalType)
    element.set(3, Int32(isOptional ? 1 : 0))
    element.set(4, name)
    var logical = ThriftStruct()
    switch kind {
    case .text:
      element.set(6, Int32(0))
      logical.set(1, ThriftStruct())
      element.set(10, logical)
    case .timestamp:
      element.set(6, Int32(10))
      var unit = ThriftStruct()
      unit.set(2, ThriftStruct())
      var timestamp = ThriftStruct()
      timestamp.set(1, true)
      timestamp.set(2, unit)
      logical.set(8, timestamp)
      element.set(10, logical)
    case .boolean, .integer, .double: break
    }
    return element
  }
}
