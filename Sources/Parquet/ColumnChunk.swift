/// Encodes the values that one column has in a row group: finished pages, and the page that is being filled.
///
/// A page is a header in Thrift, then one zstd frame that holds
///
///     the length of the levels (u32)   only if the column may have nulls
///     the levels                       for each run of rows: its length << 1 as a varint, then a byte,
///                                      1 if these rows have values and 0 if they are null
///     the values                       of the rows that have one, in order
struct ColumnChunk {
  let column: ParquetColumn
  /// The headers and frames of the finished pages.
  private(set) var pages: [UInt8] = []
  /// The size of the pages before compression, in bytes.
  private var plainBytes = 0
  private var rowCount = 0
  private var nullCount = 0
  private var bounds = Bounds()

  // The page that is being filled.
  private var values: [UInt8] = []
  private var levels: [UInt8] = []
  private var run = (hasValue: true, length: 0)
  private var pageRows = 0
  /// The booleans that do not fill a byte yet.
  private var bits: (byte: UInt8, count: UInt8) = (0, 0)

  /// A page is finished when it has this many bytes of values.
  private static let pageBytes = 1 << 18
  /// A page is also finished at this many rows: if most values are null, its bytes would hardly grow.
  static let pageRowsMax = 1 << 17

  init(_ column: ParquetColumn) { self.column = column }

  /// The approximate memory that the chunk takes, in bytes.
  var byteCount: Int { pages.count + values.count }

  /// Adds a value, which must have been checked for the column.
  mutating func append(_ value: ParquetValue, _ compressor: PageCompressor) throws(ParquetError) {
    append(hasValue: value != .null)
    switch value {
    case .null: nullCount += 1
    case .boolean(let flag):
      bits.byte |= flag ? 1 << bits.count : 0
      bits.count += 1
      if bits.count == 8 { closeBits() }
      bounds.append(flag ? 1 : 0 as UInt8)
    case .integer(let number): append(number)
    case .unsigned(let number): append(Int64(clamping: number))
    case .double(let number):
      values.append(littleEndian: number.bitPattern)
      bounds.append(number)
    case .text(let text):
      values.append(littleEndian: UInt32(text.utf8.count))
      values += text.utf8
      bounds.append(text)
    }
    rowCount += 1
    pageRows += 1
    if values.count >= Self.pageBytes || pageRows >= Self.pageRowsMax { try closePage(compressor) }
  }

  private mutating func append(_ number: Int64) {
    values.append(littleEndian: number)
    bounds.append(number)
  }

  private mutating func append(hasValue: Bool) {
    guard column.isOptional else { return }
    if run.hasValue != hasValue { closeRun() }
    run = (hasValue, run.length + 1)
  }

  private mutating func closeRun() {
    if run.length > 0 {
      levels.appendVarint(UInt64(run.length) << 1)
      levels.append(run.hasValue ? 1 : 0)
    }
    run.length = 0
  }

  private mutating func closeBits() {
    if bits.count > 0 { values.append(bits.byte) }
    bits = (0, 0)
  }

  private mutating func closePage(_ compressor: PageCompressor) throws(ParquetError) {
    closeRun()
    closeBits()
    var page: [UInt8] = []
    if column.isOptional {
      page.append(littleEndian: UInt32(levels.count))
      page += levels
    }
    page += values
    let frame = try compressor.frame(page)
    var data = ThriftStruct()
    data.set(1, Int32(pageRows))
    data.set(2, Encoding.plain)
    data.set(3, Encoding.rle)
    data.set(4, Encoding.rle)
    var header = ThriftStruct()
    header.set(1, Int32(0))
    header.set(2, Int32(page.count))
    header.set(3, Int32(frame.count))
    header.set(5, data)
    let head = header.bytes
    pages += head
    pages += frame
    plainBytes += head.count + page.count
    values.removeAll(keepingCapacity: true)
    levels.removeAll(keepingCapacity: true)
    pageRows = 0
  }

  /// Finishes the last page, and returns the chunk's metadata. `offset` is where its pages will be in the
  /// file.
  mutating func finish(at offset: Int64, _ compressor: PageCompressor) throws(ParquetError) -> ThriftStruct {
    if pageRows > 0 { try closePage(compressor) }
    var meta = ThriftStruct()
    meta.set(1, column.kind.physicalType)
    meta.set(2, list: [Encoding.plain, Encoding.rle])
    meta.set(3, list: [column.name])
    meta.set(4, Self.zstd)
    meta.set(5, Int64(rowCount))
    meta.set(6, Int64(plainBytes))
    meta.set(7, Int64(pages.count))
    meta.set(9, offset)
    meta.set(12, bounds.statistics(nullCount: nullCount))
    var chunk = ThriftStruct()
    chunk.set(2, offset)
    chunk.set(3, meta)
    return chunk
  }

  /// The size of the pages before compression, in bytes.
  var plainByteCount: Int { plainBytes }

  /// Removes all values, for the next row group.
  mutating func removeAll() {
    pages.removeAll(keepingCapacity: true)
    (plainBytes, rowCount, nullCount) = (0, 0, 0)
    bounds = Bounds()
  }

  private enum Encoding {
    static let plain: Int32 = 0
    static let rle: Int32 = 3
  }

  /// The number of the codec in Parquet.
  private static let zstd: Int32 = 6
}

/// The least and the greatest value of a chunk. Readers use them to skip chunks.
private struct Bounds {
  private enum Range {
    case none
    case boolean(UInt8, UInt8)
    case integer(Int64, Int64)
    case double(Double, Double)
    case text(String, String)
  }

  private var range = Range.none
  /// Whether the chunk has a NaN. Then it has no bounds, since NaN has no place in the order.
  private var isUnordered = false

  /// Longer texts are left out of the statistics.
  private static let textBytesMax = 128

  @inline(__always)
  mutating func append(_ flag: UInt8) {
    if case .boolean(let low, let high) = range {
      range = .boolean(min(low, flag), max(high, flag))
    } else {
      range = .boolean(flag, flag)
    }
  }

  @inline(__always)
  mutating func append(_ number: Int64) {
    if case .integer(let low, let high) = range {
      range = .integer(min(low, number), max(high, number))
    } else {
      range = .integer(number, number)
    }
  }

  mutating func append(_ number: Double) {
    if number.isNaN { isUnordered = true }
    if case .double(let low, let high) = range {
      range = .double(min(low, number), max(high, number))
    } else {
      range = .double(number, number)
    }
  }

  mutating func append(_ text: String) {
    guard case .text(let low, let high) = range else {
      range = .text(text, text)
      return
    }
    // Parquet orders texts by their bytes; Swift does not.
    if text.bytesPrecede(low) {
      range = .text(text, high)
    } else if high.bytesPrecede(text) {
      range = .text(low, text)
    }
  }

  func statistics(nullCount: Int) -> ThriftStruct {
    var statistics = ThriftStruct()
    statistics.set(3, Int64(nullCount))
    if let (low, high) = encoded {
      statistics.set(5, bytes: high)
      statistics.set(6, bytes: low)
      statistics.set(7, true)
      statistics.set(8, true)
    }
    return statistics
  }

  private var encoded: (low: [UInt8], high: [UInt8])? {
    switch range {
    case .none: return nil
    case .boolean(let low, let high): return ([low], [high])
    case .integer(let low, let high): return (Self.bytes(low), Self.bytes(high))
    case .double(let low, let high):
      if isUnordered { return nil }
      // The zeros are equal but have different bits. A bound of 0 must include both for a reader that
      // compares bits.
      return (
        Self.bytes((low == 0 ? -0.0 : low).bitPattern), Self.bytes((high == 0 ? 0.0 : high).bitPattern)
      )
    case .text(let low, let high):
      if max(low.utf8.count, high.utf8.count) > Self.textBytesMax { return nil }
      return (Array(low.utf8), Array(high.utf8))
    }
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: number)
    return bytes
  }
}

extension ParquetColumn.Kind {
  /// The number of the physical type in Parquet.
  var physicalType: Int32 {
    switch self {
    case .boolean: 0
    case .integer, .timestamp: 2
    case .double: 5
    case .text: 6
    }
  }
}

extension String {
  /// Whether the bytes of this text come before those of another. Going through the buffers is several times
  /// faster than through the views, and most of what is written are texts.
  fileprivate func bytesPrecede(_ other: String) -> Bool {
    let precede = utf8.withContiguousStorageIfAvailable { a in
      other.utf8.withContiguousStorageIfAvailable { b in
        a.lexicographicallyPrecedes(b)
      }
    }
    return (precede ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}
