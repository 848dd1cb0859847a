/// The events of one block, one at a time, with paths and strings instead of ids.
///
/// A path or string is built when it is first used; later events that use it only retain it.
package final class BlockCursor {
  private var rows: BlockRows
  private var row = Row()
  private var paths: [Path?]
  private var strings = MadeStrings()

  /// Begins before the next row of the given rows.
  package init(_ rows: BlockRows) {
    self.rows = rows
    paths = Array(repeating: nil, count: rows.tables.steps.count)
  }

  /// The next event; nil at the end. Throws if the block has leftover bytes.
  package func next() throws(DecodeFault) -> Event? { try rows.next(&row) ? Event(row, self) : nil }
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
