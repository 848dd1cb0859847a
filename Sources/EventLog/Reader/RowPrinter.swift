/// Prints the rows of blocks as JSON Lines, with the same output as
/// ``Event/appendJSON(to:statesSameValue:)``.
///
/// It formats each path and string of a block only once.
package struct RowPrinter {
  private var block: UInt64 = 0
  private var lines = LinePrinter()

  package init() {}

  /// Appends a row as one JSON line, without the line break.
  package mutating func append(
    _ row: borrowing Row, of rows: borrowing BlockRows, to output: inout [UInt8], statesSameValue: Bool
  ) {
    if block != rows.firstSeq + 1 {
      block = rows.firstSeq + 1
      lines = LinePrinter(paths: rows.tables.steps.count, strings: rows.tables.stringCount)
    }
    lines.append(row, of: rows, to: &output, statesSameValue: statesSameValue)
  }
}
