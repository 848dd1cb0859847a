import EventLog

extension NumberedTimeline {
  /// Applies a row of a block for which ``advance(to:cause:)`` was called, and that ``set(_:to:sameValue:seq:)`` did not
  /// know.
  package mutating func apply(
    _ row: borrowing Row, of rows: borrowing BlockRows, _ numbers: inout BlockNumbers,
    _ tables: inout RunTables
  ) throws(StateError) {
    switch row.kind {
    case .set:
      try set(
        Int(numbers.paths[row.path]), at: rows.tables.path(row.path), to: row.value,
        sameValue: row.isSameValue, seq: row.seq)
    case .splice:
      try apply(
        .splice(
          rows.tables.path(row.path), offset: row.offset, delete: row.delete, insert: row.value,
          sameValue: row.isSameValue), seq: row.seq)
    case .remove:
      try apply(.remove(rows.tables.path(row.path), sameValue: row.isSameValue), seq: row.seq)
    case .projection:
      let name = numbers.name(row.name, in: &tables)
      guard addProjection(name, tracking: row.tracking) else {
        throw StateError(nil, "the projection \(tables.names[name]) exists already; dispose it first")
      }
    case .reads:
      let places = rows.readPaths
      let block = rows.tables
      setReads(
        places.map { numbers.paths[$0] }, of: numbers.name(row.name, in: &tables)
      ) { places.map { block.path($0) } }
    case .evaluate: noteEvaluation(of: numbers.name(row.name, in: &tables))
    case .dispose:
      let name = numbers.name(row.name, in: &tables)
      guard removeProjection(name) else {
        throw StateError(nil, "there is no projection \(tables.names[name]) to dispose")
      }
    case .begin: begin()
    case .end: try end()
    case .invalidate, .mark: break
    }
  }
}
