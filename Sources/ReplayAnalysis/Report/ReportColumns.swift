import EventLog

/// Encodes columns of numbers for the page in a form that compresses well: first the lowest bytes of all
/// numbers, then the next bytes of all, and so on.
///
/// A file of columns is the length of its directory in four bytes (little-endian), the directory as JSON, and
/// the columns. The directory lists each column's name, form and count. The forms are `u8`, one byte each;
/// `u32` and `u64`, planes of bytes; and `d64`, the differences between neighbours as `u64`, with the sign in
/// the lowest bit.
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

  /// The largest integer that JavaScript represents exactly; larger numbers are clamped to it.
  private static let numberMax: UInt64 = 1 << 53 - 1

  mutating func add(_ name: String, _ column: [UInt8]) {
    columns.append(Column(name: name, form: "u8", count: column.count))
    bytes += column
  }

  mutating func add(_ name: String, _ column: [UInt32]) {
    columns.append(Column(name: name, form: "u32", count: column.count))
    addPlanes(column)
  }

  /// - Parameter isGrowing: Whether neighbours are close, as times are; then differences are stored.
  mutating func add(_ name: String, _ column: [UInt64], isGrowing: Bool = false) {
    columns.append(Column(name: name, form: isGrowing ? "d64" : "u64", count: column.count))
    let numbers = column.map { min($0, Self.numberMax) }
    guard isGrowing else { return addPlanes(numbers) }
    var last: UInt64 = 0
    addPlanes(
      numbers.map { number in
        defer { last = number }
        // Both numbers are below 2^53, so the shift does not overflow.
        return number >= last ? (number - last) << 1 : (last - number) << 1 | 1
      })
  }

  private mutating func addPlanes<Number: FixedWidthInteger>(_ column: [Number]) {
    for plane in 0..<(Number.bitWidth / 8) {
      for number in column { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * plane))) }
    }
  }

  /// Returns the file.
  ///
  /// - Parameter header: Further fields of the directory.
  func file(_ header: some Encodable) throws -> [UInt8] {
    let directory = Array(
      try PrintedJSON(encoding: Directory(columns: columns, header: header)).text.utf8)
    let count = UInt32(clamping: directory.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + directory + bytes
  }
}
