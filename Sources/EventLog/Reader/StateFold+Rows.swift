extension StateFold {
  /// Takes in the rows of a block that are new to it, up to one.
  package mutating func apply(_ rows: inout BlockRows, upTo last: UInt64 = .max) throws(DecodeFault) {
    var row = Row()
    // The ids of the block's paths are the keys.
    forgetKeys()
    defer { forgetKeys() }
    while try rows.next(&row), row.seq <= last {
      if row.seq > seq { apply(row, of: rows) }
    }
  }

  @inline(__always)
  private mutating func apply(_ row: borrowing Row, of rows: borrowing BlockRows) {
    apply(row, of: rows, key: row.path)
    if row.isAboutProjection { applyToProjections(row, of: rows) }
  }

  /// Takes in what the next row of a block did to the state; the key is the caller's for the path that it writes.
  @inline(__always)
  package mutating func apply(_ row: borrowing Row, of rows: borrowing BlockRows, key: Int) {
    note(row.seq, row.time)
    if row.kind == .set, set(key, to: row.value) { return }
    applyRest(row, of: rows, key: key)
  }

  private mutating func applyRest(_ row: borrowing Row, of rows: borrowing BlockRows, key: Int) {
    let tables = rows.tables
    switch row.kind {
    case .set: set(key, to: row.value, at: tables.path(row.path))
    case .splice:
      apply(
        .splice(
          tables.path(row.path), offset: row.offset, delete: row.delete, insert: row.value,
          sameValue: row.isSameValue))
    case .remove: apply(.remove(tables.path(row.path), sameValue: row.isSameValue))
    case .begin: apply(.begin(label: nil))
    case .end: apply(.end)
    default: break
    }
  }

  /// Takes in what the next row of a block did to the projections that live.
  mutating func applyToProjections(_ row: borrowing Row, of rows: borrowing BlockRows) {
    let tables = rows.tables
    func name() -> String { tables.string(row.name) }
    switch row.kind {
    case .projection:
      let parent = row.parent < 0 ? nil : tables.string(row.parent)
      apply(.projection(name: name(), parent: parent, tracking: row.tracking))
    case .reads: apply(.reads(projection: name(), paths: rows.readPaths.map { tables.path($0) }))
    case .evaluate: apply(.evaluate(projection: name(), duration: row.duration, changed: row.changed))
    default: if row.kind.lifeChange == .ends { endProjection(name()) }
    }
  }
}
