/// The body of a block, put together from its columns.
struct BlockBody {
  private(set) var bytes: [UInt8] = []
  /// Where in the body bytes of other statistics begin, and many of them.
  private(set) var splits: [Int] = []
  /// A part of fewer bytes is not worth a zstd block of its own.
  private static let splitBytesMin = 1024

  /// Appends what three sets of columns hold of one column, in this order, unless it may be left out.
  mutating func append(
    _ column: Column, _ a: borrowing ColumnBuffers, _ b: borrowing ColumnBuffers, _ c: borrowing ColumnBuffers
  ) {
    let count = a.count(column) + b.count(column) + c.count(column)
    if count == 0 { return }
    if column.isZeroWhenAbsent, a.isZero(column), b.isZero(column), c.isZero(column) { return }
    let start = bytes.count
    bytes.appendVarint(column.rawValue)
    bytes.appendVarint(count)
    let content = bytes.count
    a.withBytes(column) { bytes.append(contentsOf: $0) }
    b.withBytes(column) { bytes.append(contentsOf: $0) }
    c.withBytes(column) { bytes.append(contentsOf: $0) }
    if column == .valueDoubles { transpose(from: content) }
    if column.isPackable, count >= PackedColumn.bytesMin, let packed = PackedColumn.pack(bytes[content...]) {
      bytes.removeSubrange(start...)
      append(packed.bytes, of: column, numbersStart: packed.numbersStart)
    } else if count >= Self.splitBytesMin {
      splits.append(content)
    }
  }

  private mutating func append(_ packed: [UInt8], of column: Column, numbersStart: Int) {
    bytes.appendVarint(column.rawValue + PackedColumn.mark)
    bytes.appendVarint(packed.count)
    if numbersStart >= Self.splitBytesMin { splits.append(bytes.count) }
    if packed.count - numbersStart >= Self.splitBytesMin { splits.append(bytes.count + numbersStart) }
    bytes += packed
  }

  /// All first bytes, then all second bytes: neighbours resemble each other.
  private mutating func transpose(from start: Int) {
    let words = Array(bytes[start...])
    let count = words.count / 8
    for plane in 0..<8 {
      for index in 0..<count { bytes[start + plane * count + index] = words[8 * index + plane] }
    }
  }
}
