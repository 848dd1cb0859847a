/// Prints rows as JSON Lines, as ``Event/appendJSON(to:statesSameValue:)`` prints events.
///
/// The texts of a block's paths and strings are made once.
package struct RowPrinter {
  private var block: UInt64 = 0
  private var paths: [[UInt8]] = []
  private var strings: [[UInt8]] = []

  package init() {}

  /// Adds a row as one JSON line, without the line break.
  package mutating func append(
    _ row: borrowing Row, of rows: borrowing BlockRows, to output: inout [UInt8], statesSameValue: Bool
  ) {
    if block != rows.firstSeq + 1 { begin(rows) }
    output.appendText("{\"seq\":")
    output.appendDecimal(row.seq)
    output.appendText(",\"time_ns\":")
    output.appendDecimal(row.time)
    output.appendText(",\"kind\":\"")
    output.appendText(row.kind.name)
    output.append(0x22)
    appendFields(row, of: rows, to: &output)
    if row.path >= 0, row.isSameValue || statesSameValue {
      output.appendText(row.isSameValue ? ",\"same_value\":true" : ",\"same_value\":false")
    }
    if row.cause > 0 {
      output.appendText(",\"cause\":")
      output.appendDecimal(row.cause)
    }
    if row.site >= 0 { append(",\"site\":", string: row.site, rows, to: &output) }
    let origin = row.origin
    if origin.thread >= 0 { append(",\"thread\":", string: origin.thread, rows, to: &output) }
    if origin.task >= 0 { append(",\"task\":", string: origin.task, rows, to: &output) }
    if origin.stack >= 0 { append(",\"stack\":", string: origin.stack, rows, to: &output) }
    output.append(0x7D)
  }

  /// Forgets the texts of the block before.
  private mutating func begin(_ rows: borrowing BlockRows) {
    block = rows.firstSeq + 1
    paths = Array(repeating: [], count: rows.tables.steps.count)
    strings = Array(repeating: [], count: rows.tables.stringCount)
  }

  private mutating func appendFields(
    _ row: borrowing Row, of rows: borrowing BlockRows, to output: inout [UInt8]
  ) {
    switch row.kind.subject {
    case .path: append(",\"path\":", path: row.path, rows, to: &output)
    case .projection: append(",\"projection\":", string: row.name, rows, to: &output)
    case .label: if row.name >= 0 { append(",\"label\":", string: row.name, rows, to: &output) }
    case .nothing: break
    }
    switch row.kind {
    case .set:
      output.appendText(",\"value\":")
      output.appendValue(row.value)
    case .splice:
      output.appendText(",\"offset\":\(row.offset),\"delete\":\(row.delete),\"insert\":")
      output.appendValue(row.value)
    case .projection:
      if row.parent >= 0 { append(",\"parent\":", string: row.parent, rows, to: &output) }
      output.appendText(",\"tracking\":\"\(row.tracking.rawValue)\"")
    case .reads:
      output.appendText(",\"paths\":[")
      for (position, path) in rows.readPaths.enumerated() {
        append(position > 0 ? "," : "", path: path, rows, to: &output)
      }
      output.append(0x5D)
    case .invalidate:
      output.appendText(",\"causes\":[")
      for (position, cause) in rows.invalidationCauses.enumerated() {
        if position > 0 { output.append(0x2C) }
        output.appendDecimal(cause)
      }
      output.append(0x5D)
    case .evaluate:
      output.appendText(",\"duration_ns\":")
      output.appendDecimal(row.duration)
      if let changed = row.changed { output.appendText(changed ? ",\"changed\":true" : ",\"changed\":false") }
    default: break
    }
  }

  private mutating func append(
    _ field: String, path: Int, _ rows: borrowing BlockRows, to output: inout [UInt8]
  ) {
    output.appendText(field)
    if paths[path].isEmpty { paths[path].appendQuoted(rows.tables.path(path).description) }
    output.append(contentsOf: paths[path])
  }

  private mutating func append(
    _ field: String, string: Int, _ rows: borrowing BlockRows, to output: inout [UInt8]
  ) {
    output.appendText(field)
    if strings[string].isEmpty { strings[string].appendQuoted(rows.tables.string(string)) }
    output.append(contentsOf: strings[string])
  }
}
