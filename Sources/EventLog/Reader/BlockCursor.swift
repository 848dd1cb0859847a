/// The events of one block, one at a time: its rows with paths and strings for ids.
///
/// A path or string is built when it is first named, and an event that names it again only retains it.
package struct BlockCursor {
  /// The path that the last event writes, by its id in the block's tables; nil where it writes none.
  package var subject: Int? { row.path < 0 ? nil : row.path }

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
  package mutating func next() throws(DecodeFault) -> Event? {
    guard try rows.next(&row) else { return nil }
    return Event(
      seq: row.seq, time: row.time, cause: row.cause == 0 ? nil : row.cause, site: string(row.site),
      origin: Origin(
        thread: string(row.origin.thread), task: string(row.origin.task), stack: string(row.origin.stack)),
      body: body())
  }

  private mutating func body() -> Event.Body {
    switch row.kind {
    case .set: .set(path(row.path), row.value, sameValue: row.isSameValue)
    case .splice:
      .splice(
        path(row.path), offset: row.offset, delete: row.delete, insert: row.value, sameValue: row.isSameValue)
    case .remove: .remove(path(row.path), sameValue: row.isSameValue)
    case .projection: .projection(name: name, parent: string(row.parent), tracking: row.tracking)
    case .reads: .reads(projection: name, paths: rows.readPaths.map { path($0) })
    case .invalidate: .invalidate(projection: name, causes: rows.invalidationCauses)
    case .evaluate: .evaluate(projection: name, duration: row.duration, changed: row.changed)
    case .dispose: .dispose(projection: name)
    case .begin: .begin(label: string(row.name))
    case .end: .end
    case .mark: .mark(label: name)
    }
  }

  /// The name or label of a row that always has one.
  private var name: String { mutating get { string(row.name) ?? "" } }

  private mutating func string(_ id: Int) -> String? {
    id < 0 ? nil : strings.string(id, in: rows.tables.strings)
  }

  private mutating func path(_ id: Int) -> Path {
    if let path = paths[id] { return path }
    let path = rows.tables.path(id)
    paths[id] = path
    return path
  }
}
