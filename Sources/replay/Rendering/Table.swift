/// Rows of cells in columns. One column gives way when the terminal is too narrow.
struct Table {
  enum Alignment { case left, right }
  struct Column {
    var title: String
    var alignment: Alignment = .left
    /// Whether its cells may be cut to make the line fit.
    var isFlexible = false
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: Column...) { self.columns = columns }

  /// Adds a row; the cells may come straight from a log.
  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) { rows.append(cells.map(\.shown)) }

  mutating func removeRows() { rows.removeAll(keepingCapacity: true) }

  func print(to console: Console) throws {
    let widths = widths(on: console)
    try printHeading(widths, to: console)
    try printRows(widths, to: console)
  }

  /// How wide the columns must be for these rows, and may be.
  func widths(on console: Console, atLeast least: [Int]? = nil) -> [Int] {
    var widths = columns.enumerated().map { position, column in
      rows.reduce(max(column.title.columns, least?[position] ?? 0)) { max($0, $1[position].columns) }
    }
    if let limit = console.width { fit(&widths, to: limit) }
    return widths
  }

  func printHeading(_ widths: [Int], to console: Console) throws {
    try console.print(console.style.heading(line(columns.map(\.title), widths)))
  }

  func printRows(_ widths: [Int], to console: Console) throws {
    for row in rows { try console.print(line(row, widths)) }
  }

  private func fit(_ widths: inout [Int], to limit: Int) {
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - limit
    for position in columns.indices where columns[position].isFlexible && excess > 0 {
      let least = max(8, columns[position].title.columns)
      let given = min(excess, max(0, widths[position] - least))
      widths[position] -= given
      excess -= given
    }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var output = ""
    for (position, cell) in cells.enumerated() {
      if position > 0 { output += "  " }
      let text = columns[position].isFlexible ? cell.cut(to: widths[position]) : cell
      let padding = String(repeating: " ", count: max(0, widths[position] - text.columns))
      output += columns[position].alignment == .right ? padding + text : text + padding
    }
    while output.last == " " { output.removeLast() }
    return output
  }
}

/// A table of any length that is printed while it grows: the first rows settle the widths, later ones may widen them.
struct StreamedTable {
  private var table: Table
  private var widths: [Int]?
  private static let rowsMax = 1000

  init(_ table: Table) { self.table = table }

  mutating func add(_ cells: [String], to console: Console) throws {
    table.add(cells)
    if table.rows.count >= Self.rowsMax { try print(to: console) }
  }

  /// Prints what is left; the heading too if there was nothing before.
  mutating func finish(on console: Console) throws { try print(to: console) }

  private mutating func print(to console: Console) throws {
    let widths = table.widths(on: console, atLeast: widths)
    if self.widths == nil { try table.printHeading(widths, to: console) }
    try table.printRows(widths, to: console)
    table.removeRows()
    self.widths = widths
  }
}
