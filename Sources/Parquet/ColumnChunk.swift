/// The values that one column has in a row group: pages that are complete, and one in the making.
///
/// A page is a header in Thrift, then one zstd frame:
///
///     length of the levels (u32)   only of a column with nulls
///     levels: a run a time, its length << 1 as a varint, and a byte that says whether these rows have values
///     the values that there are, one after the other
struct ColumnChunk {
  let column: ParquetColumn
  /// Headers and frames, as they go into the file.
  private(set) var pages: [UInt8] = []
  /// How many bytes the pages have before compression.
  private var plainBytes = 0
  private var rowCount = 0
  private var nullCount = 0
  private var bounds = Bounds()

  // The page in the making.
  private var values: [UInt8] = []
  private var levels: [UInt8] = []
  private var run = (hasValue: true, length: 0)
  private var pageRows = 0
  /// Booleans that do not fill a byte yet.
  private var bits: (byte: UInt8, count: UInt8) = (0, 0)

  /// A page is closed at this many bytes of values.
  private static let pageBytes = 1 << 18
  /// Or at this many rows, as pages of one value repeated would never be full.
  static let pageRowsMax = 1 << 17

  init(_ column: ParquetColumn) { self.column = column }

  /// About how many bytes of memory it takes.
  var byteCount: Int { pages.count + values.count }

  /// Adds a value that was checked.
  mutating func append(_ value: ParquetValue, _ compressor: PageCompressor) throws(ParquetError) {
    note(hasValue: value != .null)
    switch value {
    case .null: nullCount += 1
    case .boolean(let flag):
      bits.byte |= flag ? 1 << bits.count : 0
      bits.count += 1
      if bits.count == 8 { closeBits() }
      bounds.note(flag ? 1 : 0 as UInt8)
    case .integer(let number): append(number)
    case .unsigned(let number): append(Int64(clamping: number))
    case .double(let number):
      values.append(littleEndian: number.bitPattern)
      bounds.note(number)
    case .text(let text):
      values.append(littleEndian: UInt32(text.utf8.count))
      values += text.utf8
      bounds.note(text)
    }
    rowCount += 1
    pageRows += 1
    if values.count >= Self.pageBytes || pageRows >= Self.pageRowsMax { try closePage(compressor) }
  }

  private mutating func append(_ number: Int64) {
    values.append(littleEndian: number)
    bounds.note(number)
  }

  private mutating func note(hasValue: Bool) {
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

  /// Closes the last page, and describes the chunk, whose pages are to stand from an offset of the file on.
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

  /// How many bytes the pages had before compression.
  var plainByteCount: Int { plainBytes }

  /// Begins anew, for the next row group.
  mutating func removeAll() {
    pages.removeAll(keepingCapacity: true)
    (plainBytes, rowCount, nullCount) = (0, 0, 0)
    bounds = Bounds()
  }

  private enum Encoding {
    static let plain: Int32 = 0
    static let rle: Int32 = 3
  }

  /// The codec's number.
  private static let zstd: Int32 = 6
}

/// The least and the greatest value of a chunk, by which readers skip it.
private struct Bounds {
  private enum Range {
    case none
    case boolean(UInt8, UInt8)
    case integer(Int64, Int64)
    case double(Double, Double)
    case text(String, String)
  }

  private var range = Range.none
  /// Nothing is said of a chunk with a NaN, which has no place in an order.
  private var isUnordered = false

  /// Longer texts are not repeated in the statistics.
  private static let textBytesMax = 128

  @inline(__always)
  mutating func note(_ flag: UInt8) {
    if case .boolean(let low, let high) = range {
      range = .boolean(min(low, flag), max(high, flag))
    } else {
      range = .boolean(flag, flag)
    }
  }

  @inline(__always)
  mutating func note(_ number: Int64) {
    if case .integer(let low, let high) = range {
      range = .integer(min(low, number), max(high, number))
    } else {
      range = .integer(number, number)
    }
  }

  mutating func note(_ number: Double) {
    if number.isNaN { isUnordered = true }
    if case .double(let low, let high) = range {
      range = .double(min(low, number), max(high, number))
    } else {
      range = .double(number, number)
    }
  }

  mutating func note(_ text: String) {
    guard case .text(let low, let high) = range else {
      range = .text(text, text)
      return
    }
    // Parquet's order is that of bytes, and Swift's another.
    if text.utf8.lexicographicallyPrecedes(low.utf8) {
      range = .text(text, high)
    } else if high.utf8.lexicographicallyPrecedes(text.utf8) {
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
      // The two zeros are equal, so a reader that looks for one must not miss the other.
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
  /// The number of the type that values are stored in.
  var physicalType: Int32 {
    switch self {
    case .boolean: 0
    case .integer, .timestamp: 2
    case .double: 5
    case .text: 6
    }
  }
}
