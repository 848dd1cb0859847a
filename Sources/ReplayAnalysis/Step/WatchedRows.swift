import EventLog
import Invalidation

/// The rows of a part of a log, and at which of them the values at some places change.
///
/// It is the invalidation core with the watched places as the only readers, and every event on its own: what a
/// transaction does and takes back is seen as well, and so is a write that names the place differently.
struct WatchedRows {
  private(set) var tables = RunTables()
  private(set) var cursor: RowCursor
  private var timeline: NumberedTimeline
  private let isWatching: Bool

  /// - Parameters:
  ///   - places: Who watches, a number of the caller's, and what.
  init(_ part: LogSource, watching places: [(watcher: Int, path: Path)]) {
    cursor = RowCursor(part)
    isWatching = !places.isEmpty
    var base = part.base ?? StateFold()
    timeline = NumberedTimeline(base.state)
    for (watcher, path) in places { timeline.setReads([path], of: watcher) }
  }

  var row: EventLog.Row { cursor.row }

  /// Goes on to the next row, and returns the watchers whose places it changes; nil at the end.
  mutating func next() throws -> [Int]? {
    let generation = tables.generation
    guard cursor.next(&tables) else { return nil }
    if generation != tables.generation { timeline.forgetPaths() }
    guard isWatching, cursor.row.kind.isWrite else { return [] }
    do throws(StateError) {
      try cursor.apply(to: &timeline, &tables)
    } catch {
      throw StepError("event \(cursor.row.seq) does not fit the events before it: \(error)")
    }
    return timeline.hits.isEmpty ? [] : timeline.hits.map(\.name)
  }

  /// The number of the projection that the last row is about.
  mutating func name() -> Int? { cursor.name(&tables) }

  /// The label of a mark.
  var label: String? { cursor.string(cursor.row.name) }
}
