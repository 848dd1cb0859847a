import EventLog
import ReplayAnalysis

/// A table in columns. Flexible columns are cut if the terminal is too narrow.
struct Table {
  enum Alignment { case left, right }
  struct Column {
    var title: String
    var alignment: Alignment = .left
    /// Whether its cells may be cut to fit the line.
    var isFlexible = false
    /// The rank in which the column is left out if the line would not fit, the lowest first; nil if it always
    /// stays.
    var leaves: Int?

    /// A column of text that may be cut.
    static func text(_ title: String) -> Column { Column(title: title, isFlexible: true) }

    static func number(_ title: String, leaves: Int? = nil) -> Column {
      Column(title: title, alignment: .right, leaves: leaves)
    }
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: Column...) { self.columns = columns }

  init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row. The cells are escaped, so they may come straight from a log.
  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) { rows.append(cells.map(\.shown)) }

  func print(to console: Console) throws { try print(to: console, leftOut: []) }

  /// - Parameter leftOut: The titles of columns for which there was no room.
  private func print(to console: Console, leftOut: [String]) throws {
    if let limit = console.width, let position = leaving(limit) {
      return try without(position).print(to: console, leftOut: leftOut + [columns[position].title])
    }
    var printed = StreamedTable(columns)
    for row in rows { printed.add(row: row) }
    try printed.finish(on: console)
    if leftOut.isEmpty { return }
    let note = "no room for \(leftOut.joined(separator: ", ")); --format json has all"
    for line in note.wrapped(to: console.width) { try console.print(console.style.dim(line)) }
  }

  /// The next column to leave out, if the line would not fit with it.
  private func leaving(_ limit: Int) -> Int? {
    let optional = columns.indices.filter { columns[$0].leaves != nil }
    guard let dropped = optional.min(by: { columns[$0].leaves ?? 0 < columns[$1].leaves ?? 0 }) else {
      return nil
    }
    let all = columns.indices.reduce(2 * (columns.count - 1)) { sum, position in
      // A flexible column may be cut, but not below this width.
      let width = width(of: position)
      return sum + (columns[position].isFlexible ? min(width, Self.flexibleLeast) : width)
    }
    return all <= limit ? nil : dropped
  }

  private func without(_ column: Int) -> Table {
    var kept = columns
    kept.remove(at: column)
    var table = Table(kept)
    for row in rows {
      var row = row
      row.remove(at: column)
      table.rows.append(row)
    }
    return table
  }

  private static let flexibleLeast = 32

  private func width(of position: Int) -> Int {
    rows.reduce(columns[position].title.columns) { max($0, $1[position].columns) }
  }
}

extension [Table.Column] {
  /// Narrows flexible columns until the line fits.
  fileprivate func fit(_ widths: inout [Int], to limit: Int) {
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - limit
    for position in indices where self[position].isFlexible && excess > 0 {
      let least = Swift.max(8, self[position].title.columns)
      let given = Swift.min(excess, Swift.max(0, widths[position] - least))
      widths[position] -= given
      excess -= given
    }
  }
}

/// A table that is printed while it grows. The first rows determine the widths; later ones may widen them.
///
/// Cells are stored as bytes in one buffer, since such a table may have millions of rows.
struct StreamedTable: ~Copyable {
  private struct Cell {
    var count: Int
    var columns: Int
  }

  /// The properties of a column that printing a cell needs.
  private struct Layout {
    var isRight: Bool
    var isFlexible: Bool
    var width: Int
  }

  /// The bytes of the buffered cells. Bytes that are appended become a cell by ``endCell()``.
  var bytes = PrintedBytes()
  private let columns: [Table.Column]
  private var ended = 0
  private var cells: [Cell] = []
  private var column = 0
  private var widest: [Int]
  /// The widths of the last printed rows; nil before the heading.
  private var widths: [Int]?
  private static let rowsMax = 1000

  init(_ columns: Table.Column...) { self.init(columns) }

  init(_ columns: [Table.Column]) {
    self.columns = columns
    widest = columns.map(\.title.columns)
  }

  // MARK: A row, cell by cell

  /// Adds a cell. The text is escaped, so it may come straight from a log.
  mutating func add(_ text: String) {
    let text = ShownText(text)
    bytes.append(text.bytes)
    endCell(columns: text.columns)
  }

  /// Ends a cell whose width in columns is its number of bytes.
  @inline(__always)
  mutating func endCell() { endCell(columns: bytes.count - ended) }

  @inline(__always)
  mutating func endCell(columns width: Int) {
    cells.append(Cell(count: bytes.count - ended, columns: width))
    ended = bytes.count
    if width > widest[column] { widest[column] = width }
    column += 1
  }

  /// Adds a row of cells that are escaped already. It is printed with the buffered ones.
  fileprivate mutating func add(row cells: [String]) {
    for cell in cells {
      bytes.append(Array(cell.utf8))
      endCell(columns: cell.columns)
    }
    column = 0
  }

  /// Ends a row. Prints the buffered rows once there are enough.
  mutating func endRow(on console: Console) throws {
    column = 0
    if cells.count >= Self.rowsMax * columns.count { try printRows(to: console) }
  }

  // MARK: Printing

  /// Prints the buffered rows; the heading too if nothing was printed before.
  mutating func finish(on console: Console) throws { try printRows(to: console) }

  /// Prints the buffered rows, if there are any.
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

/// A text prepared for a table: hostile characters escaped, its width known.
struct ShownText {
  let bytes: [UInt8]
  let columns: Int

  init(_ text: String) {
    let shown = text.shown
    bytes = Array(shown.utf8)
    columns = shown.columns
  }

  /// Creates the text as a quoted JSON string.
  init(quoting text: String) {
    var bytes: [UInt8] = []
    bytes.appendQuoted(text)
    self.bytes = bytes
    columns = bytes.count
  }
}

extension PrintedBytes {
  @inline(__always)
  fileprivate mutating func endLine() {
    removeTrailingSpaces()
    append(0x0A)
  }
}
