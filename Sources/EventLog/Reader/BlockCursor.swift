/// The events of one block, one at a time: its rows with paths and strings for ids.
///
/// A path or string is built when it is first named, and an event that names it again only retains it.
package final class BlockCursor {
  private var rows: BlockRows
  private var row = Row()
  private var paths: [Path?]
  private var strings = MadeStrings()

  /// The rows that are left, as events.
  package init(_ rows: BlockRows) {
    self.rows = rows
    paths = Array(repeating: nil, count: rows.tables.steps.count)
  }

  /// The next event, or nil when there are no more and nothing is left over.
  package func next() throws(DecodeFault) -> Event? { try rows.next(&row) ? Event(row, self) : nil }

  /// The same without events of a kind, which are not made.
  package func next(besides kind: EventKind) throws(DecodeFault) -> Event? {
    while try rows.next(&row) {
      if row.kind != kind { return Event(row, self) }
    }
    return nil
  }
}

extension BlockCursor: RowTexts {
  package var readPaths: [BlockPathID] { rows.readPaths }

  package var droppedPaths: [BlockPathID] { rows.droppedPaths }

  package var invalidationCauses: [UInt64] { rows.invalidationCauses }

  package func path(_ id: BlockPathID) -> Path {
    if let path = paths[id.index] { return path }
    let path = rows.path(id)
    paths[id.index] = path
    return path
  }

  package func string(_ id: StringID) -> String { strings.string(id.index, in: rows.tables.strings) }
}
