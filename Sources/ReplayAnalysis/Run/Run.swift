import EventLog
import Invalidation

/// A recorded run, gone through row by row with what the invalidation core derives from each.
///
/// Paths and projections are numbers, of which ``tables`` tells what they stand for; texts are for whoever prints.
package struct Run {
  package let log: LogSource
  /// What the numbers stand for.
  package private(set) var tables = RunTables()
  private var cursor: RowCursor
  private var timeline: NumberedTimeline
  /// The latest quarter of a million events.
  private var recent = RecentRing<RecentRow>(keeping: 1 << 18)
  private let progress: AnalysisProgress
  private let firstSeq: UInt64
  private let total: UInt64

  package init(_ log: LogSource, progress: AnalysisProgress = .hidden) {
    self.log = log
    self.progress = progress
    cursor = RowCursor(log)
    if let base = log.base {
      timeline = NumberedTimeline(resuming: base, names: &tables.names)
    } else {
      timeline = NumberedTimeline()
    }
    firstSeq = log.firstSeq
    total = UInt64(log.eventCount)
  }

  /// The last row.
  package var row: EventLog.Row {
    @inline(__always) _read { yield cursor.row }
  }

  /// The projections that the last row was found to put out of date.
  package var hits: [NumberedTimeline.Hit] {
    @inline(__always) _read { yield timeline.hits }
  }

  /// The state after the last row.
  var state: State { mutating get { timeline.state } }

  /// The event that began the chain of causes that led to this one, as far back as is remembered, and how many steps
  /// away it is.
  @inline(__always)
  package func root(of seq: UInt64) -> (seq: UInt64, depth: Int) {
    let known = timeline.root(of: seq)
    return known.seq < firstSeq ? root(before: known) : known
  }

  /// Goes on to what lies before a part of a log.
  private func root(before known: (seq: UInt64, depth: Int)) -> (seq: UInt64, depth: Int) {
    let (seq, depth) = log.root(of: known.seq)
    return (seq, known.depth + depth)
  }

  /// Goes on to the next row; false at the end.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it.
  @inline(__always)
  package mutating func next() throws -> Bool {
    let generation = tables.generation
    guard cursor.next(&tables) else {
      progress.finish()
      return false
    }
    if generation != tables.generation {
      timeline.forgetPaths()
      recent.removeAll()
    }
    if cursor.row.seq & 4095 == 0 {
      progress.note(cursor.row.seq - firstSeq, of: total, "replaying \(log.path)")
    }
    recent.note(
      cursor.row.seq,
      RecentRow(
        cause: cursor.row.cause, subject: cursor.path ?? cursor.name(&tables), kind: cursor.row.kind))
    do throws(StateError) {
      try cursor.apply(to: &timeline, &tables)
    } catch {
      progress.finish()
      throw AnalysisError(log, .misfit(seq: cursor.row.seq, error))
    }
    return true
  }

  /// Lets a timeline of other rules take in the last row.
  @inline(__always)
  mutating func apply(to other: inout NumberedTimeline) throws(StateError) {
    try cursor.apply(to: &other, &tables)
  }

  /// Lets a check of the log take in the last row.
  @inline(__always)
  mutating func apply(to check: inout LogCheckPass) throws { try cursor.apply(to: &check, &tables) }

  /// Ends a check of the log.
  mutating func finish(_ check: inout LogCheckPass) throws(LogError) -> LogCheck { try check.finish(&tables) }

  // MARK: What the last row names

  /// The path that it writes.
  package var path: Int? { @inline(__always) get { cursor.path } }

  /// The projection that it is about.
  package var name: Int? { @inline(__always) mutating get { cursor.name(&tables) } }

  /// The parent of the projection that it creates.
  package var parent: Int? { mutating get { cursor.parent(&tables) } }

  /// The label of a transaction or a mark.
  package var label: String? { row.isAboutProjection ? nil : cursor.string(row.name) }

  /// Where in the source the event was made.
  package var site: String? { cursor.string(row.site) }

  /// The paths that a projection reads from now on.
  package var readPaths: [Int] { cursor.readPaths }

  /// What an invalidation was recorded to have been caused by.
  var recordedCauses: Causes { cursor.recordedCauses }

  // MARK: Earlier events

  /// An event in numbers; nil where there is none. Cost: a block where it was long ago.
  mutating func entry(_ seq: UInt64) -> RecentRow? { recent[seq] ?? old(seq) }

  private mutating func old(_ seq: UInt64) -> RecentRow? {
    guard let event = log.event(seq) else { return nil }
    let subject =
      event.body.writtenPath.map { tables.paths.intern($0) }
      ?? event.body.projectionName.map { tables.names.intern($0) }
    return RecentRow(cause: event.cause ?? 0, subject: subject, kind: event.body.kind)
  }

  /// The path that an event wrote; nil where it wrote none.
  package mutating func writtenPath(of seq: UInt64) -> Int? { entry(seq)?.path }

  /// The number of a projection.
  mutating func number(of projection: String) -> Int { tables.names.intern(projection) }

  /// The event that a cause stands for: a recorded invalidation stands for what it was found after.
  mutating func unit(_ cause: UInt64) -> UInt64 {
    guard let entry = entry(cause), entry.kind == .invalidate, entry.cause > 0 else { return cause }
    return entry.cause
  }
}
