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
    apply(row, of: rows, key: row.path?.index)
    if row.projection != nil { applyToProjections(row, of: rows) }
  }

  /// Takes in what the next row of a block did to the state; the key is the caller's for the path that it writes.
  @inline(__always)
  package mutating func apply(_ row: borrowing Row, of rows: borrowing BlockRows, key: Int?) {
    note(row.seq, row.time)
    if row.kind == .set, let key, set(key, to: row.value) { return }
    applyRest(row, of: rows, key: key)
  }

  private mutating func applyRest(_ row: borrowing Row, of rows: borrowing BlockRows, key: Int?) {
    switch row.kind {
    case .set: if let key, let path = row.path { set(key, to: row.value, at: rows.path(path)) }
    case .splice, .remove, .begin, .end: apply(rows.body(of: row))
    default: break
    }
  }

  /// Takes in what the next row of a block did to the projections that live.
  mutating func applyToProjections(_ row: borrowing Row, of rows: borrowing BlockRows) {
    if row.kind != .invalidate { apply(rows.body(of: row)) }
  }
}
