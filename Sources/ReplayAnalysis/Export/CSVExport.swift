import EventLog

/// Exports a log as CSV by RFC 4180: one line for each event, with the fields of JSON Lines as columns.
///
/// Values, `reads` and `causes` are JSON; a field that an event lacks is empty. Names and labels may come
/// from anywhere, and the file goes to terminals and spreadsheets. So characters that could control a
/// terminal are escaped, and a text that a spreadsheet would run as a formula is marked as text.
package final class CSVExport {
  static let header = [
    "seq", "time_ns", "kind", "cause", "site", "path", "value", "offset", "delete", "same_value",
    "projection",
    "parent", "tracking", "reads", "causes", "duration_ns", "changed", "label", "input",
    "outcome", "comparing_ns",
  ]

  private var run: LogRun
  private let seqs: Range<UInt64>
  /// The last line, with its line break.
  package private(set) var line: [UInt8] = []

  package init(_ log: LogSource, _ selection: Selection) throws {
    // If the state before the part cannot be read, reads keep the names that the log gives them.
    let part = try? log.part(from: selection.seqs.lowerBound)
    run = LogRun(try part ?? log.part(from: selection.seqs.lowerBound, hasState: false), .names)
    seqs = selection.seqs
    line = Array((Self.header.joined(separator: ",") + "\r\n").utf8)
  }

  package var seq: UInt64 { run.row.seq }

  /// Makes the next line; false at the end.
  package func next() throws -> Bool {
    guard try run.next(in: seqs) else { return false }
    let row = run.row
    var cells = [String](repeating: "", count: Self.header.count)
    cells[0] = String(row.seq)
    cells[1] = String(row.time)
    cells[2] = row.kind.name
    if row.cause > 0 { cells[3] = String(row.cause) }
    cells[4] = Self.text(run.site ?? "")
    if let path = run.path { addWrite(row, path, to: &cells) }
    if let projection = run.projection { addProjection(row, projection, to: &cells) }
    cells[17] = Self.text(run.label ?? "")
    cells[19] = row.outcome?.rawValue ?? ""
    line.removeAll(keepingCapacity: true)
    for (column, cell) in cells.enumerated() {
      if column > 0 { line.append(0x2C) }
      Self.append(cell, to: &line)
    }
    line.append(0x0D)
    line.append(0x0A)
    return true
  }

  private func addWrite(_ row: EventLog.Row, _ path: PathID, to cells: inout [String]) {
    cells[5] = Self.text(text(path))
    if row.kind != .remove { cells[6] = row.value.json.shownJSON }
    if row.kind == .splice {
      cells[7] = String(row.offset)
      cells[8] = String(row.delete)
    }
    cells[9] = row.isSameValue ? "true" : "false"
  }

  private func addProjection(
    _ row: EventLog.Row, _ projection: ProjectionID, to cells: inout [String]
  ) {
    cells[10] = Self.text(run.tables.name(projection))
    switch row.kind {
    case .projection:
      if let parent = run.parent { cells[11] = Self.text(run.tables.name(parent)) }
      cells[12] = row.tracking.rawValue
    case .reads:
      let read = list(run.readPaths)
      let reads = row.isChangeOfReads ? .map(["added": read, "dropped": list(run.droppedPaths)]) : read
      cells[13] = reads.json.shownJSON
    case .invalidate: cells[14] = "[\(run.recordedCauses.all.map { "\($0)" }.joined(separator: ","))]"
    case .evaluate:
      cells[15] = String(row.duration)
      cells[16] = row.changed.map { $0 ? "true" : "false" } ?? ""
      cells[18] = row.input ?? ""
      cells[20] = row.comparing > 0 ? String(row.comparing) : ""
    default: break
    }
  }

  /// The paths of reads by their names at this row.
  private func list(_ paths: [PathID]) -> Value {
    .array(paths.map { .string(text(run.name(ofRead: $0))) })
  }

  private func text(_ path: PathID) -> String { run.tables.path(path).description }

  /// A text from outside, which may need marking. Numbers and JSON need none: JSON begins with a minus only
  /// if it is a number.
  private static func text(_ text: String) -> String {
    let shown = text.shown(most: .max)
    return "=+-@".contains(shown.first ?? " ") ? "'" + shown : shown
  }

  /// A comma and a quote. A field with either is quoted; line breaks are escaped, so they need no quotes.
  private static let quoted: [UInt8] = [0x2C, 0x22]

  private static func append(_ cell: String, to line: inout [UInt8]) {
    let needsQuotes = cell.utf8.contains { quoted.contains($0) }
    guard needsQuotes else { return line.append(contentsOf: cell.utf8) }
    line.append(0x22)
    for byte in cell.utf8 {
      if byte == 0x22 { line.append(0x22) }
      line.append(byte)
    }
    line.append(0x22)
  }
}
