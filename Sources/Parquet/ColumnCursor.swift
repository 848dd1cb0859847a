/// Reads the values that one column has in a row group, page by page; `ColumnChunk` describes the bytes.
final class ColumnCursor {
  private let column: ParquetColumn
  private let source: ParquetReader.Source
  private let decompressor: PageDecompressor
  private let isCompressed: Bool
  /// Where the next page begins in the file.
  private var offset: Int64
  private let end: Int64
  /// The number of values in the pages after the current one.
  private var rest: Int64

  // The current page.
  private var bytes: [UInt8] = []
  private var position = 0
  private var left = 0
  private var run = (hasValue: true, length: 0)
  /// Bit-packed levels, which other writers use: the current byte, how many of its bits are left, and how
  /// many bytes.
  private var packed: (byte: UInt8, left: Int, bytesLeft: Int) = (0, 0, 0)
  private var levelPosition = 0
  private var levelEnd = 0
  /// The next bit in the current byte of booleans.
  private var bit = 0

  /// The largest page that the writer makes: one that the longest possible text completes.
  private static let pageBytesMax: Int64 = Int64(ParquetWriter.textBytesMax) + 2 << 20
  /// How many bytes are read for a page's header, which may contain statistics with texts.
  private static let headBytes = 4096

  init(
    _ column: ParquetColumn, _ chunk: ParquetReader.Chunk, _ source: @escaping ParquetReader.Source,
    _ decompressor: PageDecompressor
  ) {
    self.column = column
    self.source = source
    self.decompressor = decompressor
    isCompressed = chunk.isCompressed
    offset = chunk.offset
    end = chunk.offset + chunk.byteCount
    rest = chunk.valueCount
  }

  /// The value of the next row.
  func next() throws -> ParquetValue {
    while left == 0 { try openPage() }
    left -= 1
    guard try hasValue() else { return .null }
    switch column.kind {
    case .boolean:
      guard position < bytes.count else { throw tooShort }
      defer {
        bit += 1
        if bit == 8 { (bit, position) = (0, position + 1) }
      }
      return .boolean(bytes[position] >> UInt8(bit) & 1 == 1)
    case .integer, .timestamp: return .integer(Int64(bitPattern: try word()))
    case .double: return .double(Double(bitPattern: try word()))
    case .text:
      guard bytes.count - position >= 4 else { throw tooShort }
      let length = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
      position += 4
      guard length <= bytes.count - position else { throw tooShort }
      defer { position += length }
      guard let text = String(validating: bytes[position..<(position + length)], as: UTF8.self) else {
        throw damaged("has a text that is not UTF-8")
      }
      return .text(text)
    }
  }

  /// Throws if any values are left.
  func finish() throws {
    if left > 0 || rest > 0 || offset != end { throw damaged("has more values than rows") }
  }

  private func damaged(_ text: String) -> ParquetReadError { .damaged("\(column.name) \(text)") }

  private var tooShort: ParquetReadError { damaged("ends within a value") }

  private func word() throws -> UInt64 {
    guard bytes.count - position >= 8 else { throw tooShort }
    defer { position += 8 }
    return (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) }
  }

  // MARK: Levels

  private func hasValue() throws -> Bool {
    guard column.isOptional else { return true }
    while run.length == 0, packed.left == 0 {
      if packed.bytesLeft > 0 { try openByte() } else { try openRun() }
    }
    if packed.left > 0 {
      defer { packed = (packed.byte >> 1, packed.left - 1, packed.bytesLeft) }
      return packed.byte & 1 == 1
    }
    run.length -= 1
    return run.hasValue
  }

  private func openByte() throws {
    guard levelPosition < levelEnd else { throw damaged("has levels that end too early") }
    packed = (bytes[levelPosition], 8, packed.bytesLeft - 1)
    levelPosition += 1
  }

  private func openRun() throws {
    var head: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard levelPosition < levelEnd, shift < 35 else { throw damaged("has levels that end too early") }
      let byte = bytes[levelPosition]
      levelPosition += 1
      head |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    if head & 1 == 1 {
      packed = (0, 0, Int(head >> 1))
      return
    }
    guard head > 1, levelPosition < levelEnd, bytes[levelPosition] <= 1 else {
      throw damaged("has levels that are none")
    }
    run = (bytes[levelPosition] == 1, Int(head >> 1))
    levelPosition += 1
  }

  // MARK: Pages

  private func openPage() throws {
    guard rest > 0, offset < end else { throw damaged("has fewer values than rows") }
    let head = try source(offset, Int(min(Int64(Self.headBytes), end - offset)))
    var headEnd = 0
    let page = try ThriftValue(readingStruct: head, at: &headEnd)
    guard page[1]?.integer == 0, let data = page[5], data[2]?.integer == 0 else {
      throw ParquetReadError.unsupported("pages of another kind, of \(column.name)")
    }
    if column.isOptional, data[3]?.integer != 3 {
      throw ParquetReadError.unsupported("levels of another kind")
    }
    guard let plainBytes = page[2]?.integer, let byteCount = page[3]?.integer,
      let count = data[1]?.integer, plainBytes >= 0, byteCount >= 0, count > 0, count <= rest,
      count <= Int64(ColumnChunk.pageRowsMax)
    else { throw damaged("has a page that is not described") }
    if plainBytes > Self.pageBytesMax { throw ParquetReadError.tooLarge(bytes: plainBytes) }
    let start = offset + Int64(headEnd)
    guard byteCount <= end - start else { throw damaged("has a page that does not lie in it") }
    // Checked before the bytes are read: a zstd frame is hardly longer than incompressible contents.
    guard isCompressed ? byteCount <= plainBytes + plainBytes / 128 + 1024 : byteCount == plainBytes else {
      throw damaged("has a page that is longer than what is in it")
    }
    let frame = try source(start, Int(byteCount))
    guard frame.count == Int(byteCount) else { throw damaged("ends too early") }
    if isCompressed {
      bytes = try decompressor.content(of: frame, count: Int(plainBytes))
    } else {
      bytes = frame
    }
    guard bytes.count == Int(plainBytes) else { throw damaged("has a page that is not what was compressed") }
    offset = start + byteCount
    left = Int(count)
    rest -= count
    (position, bit, run, packed) = (0, 0, (true, 0), (0, 0, 0))
    if column.isOptional {
      guard bytes.count >= 4 else { throw tooShort }
      let length = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
      guard length <= bytes.count - 4 else { throw tooShort }
      (levelPosition, levelEnd, position) = (4, 4 + length, 4 + length)
    }
  }
}
