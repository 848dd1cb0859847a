import EventLog

/// A table of any length that is printed while it grows: the first rows settle the widths, later ones may widen them.
///
/// Cells are bytes in one buffer, since such a table may have millions of rows.
struct StreamedTable {
  private struct Cell {
    var end: Int
    var columns: Int
  }

  private let columns: [Table.Column]
  private var bytes: [UInt8] = []
  private var cells: [Cell] = []
  private var widest: [Int]
  /// What was printed last; nil before the heading.
  private var widths: [Int]?
  private static let rowsMax = 1000

  init(_ columns: Table.Column...) {
    self.columns = columns
    widest = columns.map(\.title.columns)
  }

  // MARK: A row, cell by cell

  /// Adds a cell, whose text may come straight from a log.
  mutating func add(_ text: String) { add(ShownText(text)) }

  mutating func add(_ text: ShownText) {
    bytes.append(contentsOf: text.bytes)
    endCell(text.columns)
  }

  /// Adds a cell of as many columns as `body` adds bytes.
  @inline(__always)
  mutating func add(_ body: (inout [UInt8]) -> Void) {
    let start = bytes.count
    body(&bytes)
    endCell(bytes.count - start)
  }

  /// Adds a cell of several texts.
  mutating func add(columns: (inout [UInt8]) -> Int) { endCell(columns(&bytes)) }

  private mutating func endCell(_ width: Int) {
    let column = cells.count % columns.count
    cells.append(Cell(end: bytes.count, columns: width))
    if width > widest[column] { widest[column] = width }
  }

  /// Ends a row, and prints when there are enough.
  mutating func endRow(on console: Console) throws {
    if cells.count >= Self.rowsMax * columns.count { try printRows(to: console) }
  }

  // MARK: Printing

  /// Prints what is there; the heading too if there was nothing before.
  mutating func finish(on console: Console) throws { try printRows(to: console) }

  /// Prints what is there, if there is anything.
  mutating func settle(on console: Console) throws { if !cells.isEmpty { try printRows(to: console) } }

  private mutating func printRows(to console: Console) throws {
    var widths = widest
    for position in widths.indices { widths[position] = max(widths[position], self.widths?[position] ?? 0) }
    if let limit = console.width { columns.fit(&widths, to: limit) }
    if self.widths == nil { try printHeading(widths, to: console) }
    self.widths = widths
    var output: [UInt8] = []
    var start = 0
    for (position, cell) in cells.enumerated() {
      let column = position % columns.count
      append(start..<cell.end, cell.columns, column, widths[column], to: &output)
      start = cell.end
      if column == columns.count - 1 {
        while output.last == 0x20 { output.removeLast() }
        output.append(0x0A)
      }
      if output.count > 1 << 15 {
        try console.write(output)
        output.removeAll(keepingCapacity: true)
      }
    }
    try console.write(output)
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    widest = columns.map(\.title.columns)
  }

  private func printHeading(_ widths: [Int], to console: Console) throws {
    var output: [UInt8] = []
    for (column, title) in columns.map({ ShownText($0.title) }).enumerated() {
      append(title.bytes, title.columns, column, widths[column], to: &output)
    }
    while output.last == 0x20 { output.removeLast() }
    try console.print(console.style.heading(String(decoding: output, as: UTF8.self)))
  }

  private func append(
    _ range: Range<Int>, _ cellColumns: Int, _ column: Int, _ width: Int, to output: inout [UInt8]
  ) {
    if cellColumns > width, columns[column].isFlexible {
      let cut = ShownText(String(decoding: bytes[range], as: UTF8.self).cut(to: width))
      append(cut.bytes, cut.columns, column, width, to: &output)
    } else {
      append(bytes[range], cellColumns, column, width, to: &output)
    }
  }

  @inline(__always)
  private func append(
    _ cell: some Collection<UInt8>, _ cellColumns: Int, _ column: Int, _ width: Int, to output: inout [UInt8]
  ) {
    if column > 0 { output.appendSpaces(2) }
    let padding = width - cellColumns
    if columns[column].alignment == .right { output.appendSpaces(padding) }
    output.append(contentsOf: cell)
    if columns[column].alignment == .left { output.appendSpaces(padding) }
  }
}

extension [UInt8] {
  @inline(__always)
  fileprivate mutating func appendSpaces(_ count: Int) { for _ in 0..<Swift.max(0, count) { append(0x20) } }
}
