import EventLog

/// The rows of a part of a log, as exports need them: with names, values and labels as text.
package struct ExportRows {
  private(set) var tables = RunTables()
  private(set) var cursor: RowCursor
  private let seqs: Range<UInt64>

  package init(_ log: LogSource, _ selection: Selection) throws {
    cursor = RowCursor(try log.part(from: selection.seqs.lowerBound, hasState: false))
    seqs = selection.seqs
  }

  var row: EventLog.Row { cursor.row }

  /// Goes on to the next row of the selection; false at the end.
  mutating func next() -> Bool {
    while cursor.next(&tables) {
      if cursor.row.seq >= seqs.upperBound { return false }
      if cursor.row.seq >= seqs.lowerBound { return true }
    }
    return false
  }

  /// The number and the text of the path that the row writes.
  var path: Int? { cursor.path }

  func text(ofPath path: Int) -> String { tables.paths.path(path).description }

  /// The number of the projection that the row is about.
  var name: Int? { mutating get { cursor.name(&tables) } }

  /// The number of the parent of the projection that the row creates.
  var parent: Int? { mutating get { cursor.parent(&tables) } }

  /// The label of a transaction or a mark.
  var label: String? { row.isAboutProjection ? nil : cursor.string(row.name) }

  var site: String? { cursor.string(row.site) }
}
