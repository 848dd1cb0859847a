import EventLog

/// Columns of numbers as bytes that a page reads, and that compress well: the lowest bytes of all numbers, then the next
/// bytes of all, and so on.
///
/// A file of columns is the length of its directory in four bytes, the lowest first, the directory as JSON, and the
/// columns. In the directory stands for each its name, its form and how many numbers it has. The forms are `u8`, a byte
/// each; `u32` and `u64`, planes of bytes; and `d64`, the differences from one to the next as `u64`, the sign in the last
/// bit.
struct ReportColumns {
  private struct Column: Encodable {
    var name: String
    var form: String
    var count: Int
  }

  private struct Directory<Header: Encodable>: Encodable {
    var columns: [Column]
    var header: Header
  }

  private var columns: [Column] = []
  private var bytes: [UInt8] = []

  /// Numbers are such as JavaScript knows exactly.
  private static let numberMax: UInt64 = 1 << 53 - 1

  mutating func add(_ name: String, _ column: [UInt8]) {
    columns.append(Column(name: name, form: "u8", count: column.count))
    bytes += column
  }

  mutating func add(_ name: String, _ column: [UInt32]) {
    columns.append(Column(name: name, form: "u32", count: column.count))
    addPlanes(column)
  }

  /// - Parameter isGrowing: Whether one is near the next, as times are.
  mutating func add(_ name: String, _ column: [UInt64], isGrowing: Bool = false) {
    columns.append(Column(name: name, form: isGrowing ? "d64" : "u64", count: column.count))
    let numbers = column.map { min($0, Self.numberMax) }
    guard isGrowing else { return addPlanes(numbers) }
    var last: UInt64 = 0
    addPlanes(
      numbers.map { number in
        defer { last = number }
        // Both are far below the largest number.
        return number >= last ? (number - last) << 1 : (last - number) << 1 | 1
      })
  }

  private mutating func addPlanes<Number: FixedWidthInteger>(_ column: [Number]) {
    for plane in 0..<(Number.bitWidth / 8) {
      for number in column { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * plane))) }
    }
  }

  /// The file.
  ///
  /// - Parameter header: What stands in the directory beside the columns.
  func file(_ header: some Encodable) throws -> [UInt8] {
    let directory = Array(
      try PrintedJSON(encoding: Directory(columns: columns, header: header)).text.utf8)
    let count = UInt32(clamping: directory.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + directory + bytes
  }
}
