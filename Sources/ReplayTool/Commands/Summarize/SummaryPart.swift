import EventLog
import Parquet
import ReplayAnalysis

/// The files of one name in a partition, one of each table, read log by log. They were written by ``SummaryFiles``, so
/// the rows of a log lie together, and those of all tables are in the same order of logs; anything else is an error.
///
/// The rows of `shapes` and `durations` belong to all sessions of the files and not to one. They are made anew from those
/// of `cascades` and `projections`.
final class SummaryPart {
  private let sessions: Cursor
  private let failures: Cursor
  private let others: [SummaryTable: Cursor]
  /// The trees of shapes, by hash.
  private var trees: [String: ParquetValue] = [:]
  private let path: String

  /// Opens the files `folder/TABLE/partition/name`.
  ///
  /// - Throws: `ToolError`, which names the file.
  init(in folder: String, _ partition: SummaryPartition, name: String) throws {
    func rows(_ table: SummaryTable) throws -> TableRows {
      try TableRows("\(folder)/\(table.rawValue)/\(partition.path)/\(name)", of: table)
    }
    path = "\(folder)/*/\(partition.path)/\(name)"
    sessions = try Cursor(rows(.sessions), of: .sessions)
    failures = try Cursor(rows(.failures), of: .failures)
    var others: [SummaryTable: Cursor] = [:]
    for table in Self.tablesOfSessions { others[table] = try Cursor(rows(table), of: table) }
    self.others = others
    let shapes = try rows(.shapes)
    var bytes = 0
    while let row = try shapes.next() {
      guard let hash = row[SummaryTable.shapes.common.count].text else { continue }
      trees[hash] = row[SummaryTable.shapes.common.count + 1]
      bytes += 200 + hash.utf8.count + (trees[hash]?.text?.utf8.count ?? 0)
      if bytes > Self.shapeBytesMax {
        throw ToolError("\(path): there are more shapes than a file of tables has")
      }
    }
  }

  /// The tables with any number of rows about a session, apart from those that are made anew.
  private static let tablesOfSessions: [SummaryTable] = [
    .paths, .projections, .cascades, .actions, .findings,
  ]
  /// More than a file has, which is closed at a number of names.
  private static let shapeBytesMax = 1 << 30

  /// The path of the log that ``next()`` returns; nil at the end.
  var nextLog: String? {
    switch (sessions.log, failures.log) {
    case (let a?, let b?): ExactString(b) < ExactString(a) ? b : a
    case (let a, let b): a ?? b
    }
  }

  /// The rows of the next log; nil after the last.
  ///
  /// - Throws: `ToolError`, which names a file.
  func next() throws -> SummaryRows? {
    guard let log = nextLog else {
      for (table, cursor) in others where cursor.row != nil {
        throw ToolError("\(path): \(table.rawValue) has rows of sessions that are none, or in another order")
      }
      return nil
    }
    // A log that was read in part has a row of both.
    guard let session = sessions.row, sessions.log == log, let id = sessions.sessionID else {
      let failure = failures.row ?? []
      let id = failures.sessionID
      try failures.advance()
      return SummaryRows([.failures: [failure]], sessionID: id, uri: log, dimensions: [:], nil)
    }
    var rows: [SummaryTable: [[ParquetValue]]] = [:]
    var (own, dimensions) = (session, [String: String]())
    let count = SummaryTable.sessions.columns.count
    for (name, value) in zip(sessions.rows.dimensions, session[count...]) { dimensions[name] = value.text }
    own.removeSubrange(count...)
    rows[.sessions] = [own]
    try sessions.advance()
    while failures.sessionID == id, failures.log == log, let row = failures.row {
      rows[.failures, default: []].append(row)
      try failures.advance()
    }
    for (table, cursor) in others {
      while cursor.sessionID == id, let row = cursor.row {
        rows[table, default: []].append(row)
        try cursor.advance()
      }
    }
    rows[.shapes] = (rows[.cascades] ?? []).compactMap(shape)
    return SummaryRows(
      rows, sessionID: id, uri: log, dimensions: dimensions, try durations(own, rows[.projections] ?? []))
  }

  private static let exemplar = SummaryTable.cascades.columns.firstIndex { $0.name == "exemplar_seq" }

  /// The row of `shapes` for one of `cascades`; nil if its shape is not known.
  private func shape(_ row: [ParquetValue]) -> [ParquetValue]? {
    let count = SummaryTable.cascades.common.count
    guard let hash = row[count].text, let tree = trees[hash], let seq = Self.exemplar else { return nil }
    return row[..<count] + [row[count], tree, row[seq]]
  }

  private func durations(
    _ session: [ParquetValue], _ projections: [[ParquetValue]]
  ) throws -> SessionDurations {
    let count = SummaryTable.sessions.common.count
    var durations = SessionDurations(
      app: session[count].text ?? "", deviceClass: session[count + 2].text,
      weight: SessionIdentity.samplingWeight(session[count + 4].double ?? 1))
    for row in projections {
      guard let kind = row[SummaryTable.projections.common.count].text,
        let counts = row.last?.text.flatMap({ SessionDurations.counts($0) })
      else { throw ToolError("\(path): a row of projections has no histogram") }
      durations.kinds.append((kind, counts))
    }
    return durations
  }

  /// A table, and the row that comes next.
  private final class Cursor {
    let rows: TableRows
    private let table: SummaryTable
    private let logColumn: Int?
    private(set) var row: [ParquetValue]?
    private(set) var log: String?

    init(_ rows: TableRows, of table: SummaryTable) throws {
      self.rows = rows
      self.table = table
      logColumn = table.columns.firstIndex { $0.name == "log_uri" }
      try advance()
    }

    var sessionID: String? { row?.first?.text }

    func advance() throws {
      row = try rows.next()
      log = nil
      guard let row else { return }
      if table != .failures, row.first?.text == nil { throw ToolError("a row has no session_id") }
      if let logColumn {
        guard let text = row[logColumn].text else { throw ToolError("a row has no log_uri") }
        log = text
      }
    }
  }
}

extension SummaryPart {
  /// The names of the files in a partition, in order.
  ///
  /// - Throws: `ToolError` if there are others than those that ``SummaryFiles`` writes.
  static func names(in folder: String, _ partition: SummaryPartition) throws -> [String] {
    let place = "\(folder)/\(SummaryTable.sessions.rawValue)/\(partition.path)"
    guard Platform.exists(place) else { return [] }
    let names = try SystemFileSystem().names(in: place).filter { !$0.hasPrefix(".") && !$0.hasPrefix("_") }
    for name in names where number(of: name) == nil {
      throw ToolError("\(place)/\(name): another program made it")
    }
    return names.sorted { (number(of: $0) ?? 0, $0) < (number(of: $1) ?? 0, $1) }
  }

  /// The number in the name of a file: `part-00012.parquet`.
  static func number(of name: String) -> Int? {
    guard name.hasPrefix("part-"), SummaryFormat(ofFile: name) != nil else { return nil }
    let digits = name.dropFirst(5).prefix { $0 != "." }
    guard (5...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      name.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 1
    else { return nil }
    return Int(digits)
  }

  /// The name of a file without what it ends in.
  static func name(_ number: Int) -> String { "part-\(number.padded(to: 5))" }

  /// The size of all files of a name in bytes.
  static func byteCount(in folder: String, _ partition: SummaryPartition, name: String) -> Int {
    SummaryTable.allCases.reduce(0) { sum, table in
      sum + (Platform.byteCount(of: "\(folder)/\(table.rawValue)/\(partition.path)/\(name)") ?? 0)
    }
  }
}
