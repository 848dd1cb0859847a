/// The body of a block, put together from its columns.
struct BlockBody {
  private(set) var bytes: [UInt8] = []
  /// Where in the body much text begins.
  private(set) var textStart: Int?

  /// Appends what three sets of columns hold of one column, in this order, unless it may be left out.
  mutating func append(
    _ column: Column, _ a: borrowing ColumnBuffers, _ b: borrowing ColumnBuffers, _ c: borrowing ColumnBuffers
  ) {
    let count = a.count(column) + b.count(column) + c.count(column)
    if count == 0 { return }
    if column.isZeroWhenAbsent, a.isZero(column), b.isZero(column), c.isZero(column) { return }
    bytes.appendVarint(column.rawValue)
    bytes.appendVarint(count)
    if column == .text, count >= 512 { textStart = bytes.count }
    let start = bytes.count
    a.withBytes(column) { bytes.append(contentsOf: $0) }
    b.withBytes(column) { bytes.append(contentsOf: $0) }
    c.withBytes(column) { bytes.append(contentsOf: $0) }
    if column == .valueDoubles { transpose(from: start) }
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
