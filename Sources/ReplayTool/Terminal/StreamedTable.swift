import EventLog

/// A table of any length that is printed while it grows: the first rows settle the widths, later ones may widen them.
///
/// Cells are bytes in one buffer, since such a table may have millions of rows.
struct StreamedTable: ~Copyable {
  private struct Cell {
    var count: Int
    var columns: Int
  }

  /// What printing a cell asks of its column.
  private struct Layout {
    var isRight: Bool
    var isFlexible: Bool
    var width: Int
  }

  /// The cells so far, one after the other; what is added to them becomes a cell by ``endCell()``.
  var bytes = PrintedBytes()
  private let columns: [Table.Column]
  private var ended = 0
  private var cells: [Cell] = []
  private var column = 0
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
  mutating func add(_ text: String) {
    let text = ShownText(text)
    bytes.append(text.bytes)
    endCell(columns: text.columns)
  }

  /// Ends a cell of as many columns as bytes were added.
  @inline(__always)
  mutating func endCell() { endCell(columns: bytes.count - ended) }

  /// Ends a cell of so many columns.
  @inline(__always)
  mutating func endCell(columns width: Int) {
    cells.append(Cell(count: bytes.count - ended, columns: width))
    ended = bytes.count
    if width > widest[column] { widest[column] = width }
    column += 1
  }

  /// Ends a row, and prints when there are enough.
  mutating func endRow(on console: Console) throws {
    column = 0
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
    let layouts = zip(columns, widths).map {
      Layout(isRight: $0.alignment == .right, isFlexible: $0.isFlexible, width: $1)
    }
    if self.widths == nil { try printHeading(layouts, to: console) }
    self.widths = widths
    var output = PrintedBytes()
    var (start, column) = (0, 0)
    for cell in cells {
      if column > 0 { output.appendSpaces(2) }
      append(cell, at: start, layouts[column], to: &output)
      start += cell.count
      column += 1
      if column == layouts.count {
        column = 0
        output.endLine()
        if output.count > 1 << 15 {
          try console.write(output)
          output.removeAll()
        }
      }
    }
    try console.write(output)
    bytes.removeAll()
    ended = 0
    cells.removeAll(keepingCapacity: true)
    widest = columns.map(\.title.columns)
  }

  private func printHeading(_ layouts: [Layout], to console: Console) throws {
    var output = PrintedBytes()
    for (column, title) in columns.map({ ShownText($0.title) }).enumerated() {
      if column > 0 { output.appendSpaces(2) }
      let padding = layouts[column].width - title.columns
      if layouts[column].isRight { output.appendSpaces(padding) }
      output.append(title.bytes)
      if !layouts[column].isRight { output.appendSpaces(padding) }
    }
    output.removeTrailingSpaces()
    try console.print(console.style.heading(output.text()))
  }

  @inline(__always)
  private func append(_ cell: Cell, at start: Int, _ layout: Layout, to output: inout PrintedBytes) {
    if cell.columns > layout.width, layout.isFlexible {
      return appendCut(cell, at: start, layout, to: &output)
    }
    let padding = layout.width - cell.columns
    if layout.isRight { output.appendSpaces(padding) }
    output.append(bytes, from: start, count: cell.count)
    if !layout.isRight { output.appendSpaces(padding) }
  }

  private func appendCut(_ cell: Cell, at start: Int, _ layout: Layout, to output: inout PrintedBytes) {
    let text = bytes.text(from: start, count: cell.count)
    let cut = ShownText(text.cut(to: layout.width))
    output.append(cut.bytes)
    output.appendSpaces(layout.width - cut.columns)
  }
}

extension PrintedBytes {
  @inline(__always)
  fileprivate mutating func endLine() {
    removeTrailingSpaces()
    append(0x0A)
  }
}
