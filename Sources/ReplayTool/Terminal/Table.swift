/// Rows of cells in columns. One column gives way when the terminal is too narrow.
struct Table {
  enum Alignment { case left, right }
  struct Column {
    var title: String
    var alignment: Alignment = .left
    /// Whether its cells may be cut to make the line fit.
    var isFlexible = false
    /// Whether it is left out where the line would not fit.
    var isOptional = false
  }

  let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: Column...) { self.columns = columns }

  private init(_ columns: [Column]) { self.columns = columns }

  /// Adds a row; the cells may come straight from a log.
  mutating func add(_ cells: String...) { add(cells) }

  mutating func add(_ cells: [String]) { rows.append(cells.map(\.shown)) }

  func print(to console: Console) throws {
    if let limit = console.width, let narrower = narrower(than: limit) {
      return try narrower.print(to: console)
    }
    let widths = widths(on: console)
    try console.print(console.style.heading(line(columns.map(\.title), widths)))
    for row in rows { try console.print(line(row, widths)) }
  }

  /// The table without its last optional column, where the line would not fit with it.
  private func narrower(than limit: Int) -> Table? {
    guard let dropped = columns.lastIndex(where: \.isOptional) else { return nil }
    let all = columns.indices.reduce(2 * (columns.count - 1)) { sum, position in
      // A flexible column may give way, but not to the last.
      let width = width(of: position)
      return sum + (columns[position].isFlexible ? min(width, Self.flexibleLeast) : width)
    }
    if all <= limit { return nil }
    var kept = columns
    kept.remove(at: dropped)
    var table = Table(kept)
    for row in rows {
      var row = row
      row.remove(at: dropped)
      table.rows.append(row)
    }
    return table
  }

  private static let flexibleLeast = 32

  private func width(of position: Int) -> Int {
    rows.reduce(columns[position].title.columns) { max($0, $1[position].columns) }
  }

  /// How wide the columns must be for these rows, and may be.
  private func widths(on console: Console) -> [Int] {
    var widths = columns.indices.map { width(of: $0) }
    if let limit = console.width { columns.fit(&widths, to: limit) }
    return widths
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

extension [Table.Column] {
  /// Narrows flexible columns until a line fits.
  func fit(_ widths: inout [Int], to limit: Int) {
    var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - limit
    for position in indices where self[position].isFlexible && excess > 0 {
      let least = Swift.max(8, self[position].title.columns)
      let given = Swift.min(excess, Swift.max(0, widths[position] - least))
      widths[position] -= given
      excess -= given
    }
  }
}
