import EventLog
import Invalidation

/// One line of the timeline, in the ids of a run.
package struct TimelineEntry {
  package var seq: UInt64
  /// When the event happened, in nanoseconds since the session began.
  package var time: UInt64
  package var projection: ProjectionID
  package var causes: Causes
  package var cascade: UInt64
  package var depth: Int
}

/// Passes on the timeline entries of a selection, in order, as they are found.
package struct TimelineFilter: RowObserver {
  /// Receives an entry and the run that its ids belong to. It is also called with nil now and then, so that
  /// buffered output need not wait for the next entry.
  package typealias Receiver = (TimelineEntry?, inout LogRun) throws -> Void

  package let needs: RunNeeds
  private let selection: Selection
  private var names: SelectedNames
  private var actions: SelectedActions?
  private let receive: Receiver

  /// - Parameters:
  ///   - needs: What `receive` needs of the run.
  ///   - receive: Called for each entry.
  package init(_ selection: Selection, _ needs: RunNeeds = [], _ receive: @escaping Receiver) {
    let looksBack = selection.path != nil || selection.action != nil
    self.needs = needs.union(looksBack ? [.hits, .lookback] : .hits)
    self.selection = selection
    names = SelectedNames(selection)
    actions = SelectedActions(selection)
    self.receive = receive
  }

  package var end: UInt64 { selection.seqs.upperBound }

  package mutating func observe(_ run: inout LogRun) throws {
    let seq = run.row.seq
    if seq & 0xFFFF == 0 { try receive(nil, &run) }
    let isMeant = actions?.observe(&run) ?? true
    guard !run.hits.isEmpty, seq >= selection.seqs.lowerBound else { return }
    let time = run.row.time
    for hit in run.hits
    where names.passes(projection: hit.projection, run.tables) && names.passes(causes: hit.causes, &run) {
      guard hit.unit == seq ? isMeant : actions?.contains(hit.unit, &run) ?? true else { continue }
      let root = run.root(of: hit.unit)
      try receive(
        TimelineEntry(
          seq: seq, time: time, projection: hit.projection, causes: hit.causes, cascade: root.seq,
          depth: root.depth), &run)
    }
  }

  /// Reads as little of a log as possible. It begins at the checkpoint before the selection. If the log
  /// recorded its timeline and only paths are selected, it reads only the blocks that write these paths, and
  /// those with the invalidations that follow.
  ///
  /// - Throws: `AnalysisError` when a pattern without a wildcard matches nothing in the log.
  package mutating func play(through log: LogSource, progress: AnalysisProgress = .hidden) throws {
    if let path = selection.path, selection.projection == nil, selection.action == nil,
      let recorded = RecordedTimeline(of: log, writing: path)
    {
      var run = LogRun(log, needs.subtracting(.hits), progress: progress)
      return try recorded.forEach(in: &run) { entry, run in
        if selection.seqs.contains(entry.seq) { try receive(entry, &run) }
      }
    }
    // If the checkpoint cannot be read, the pass over the whole log reports the damage.
    let part = (try? log.part(from: selection.seqs.lowerBound)) ?? log
    _ = try part.play(to: &self, progress: progress)
    try names.check(log)
    try actions?.check(log)
  }
}

/// The part of the timeline that follows from writes to some paths, as the session recorded it, so that only
/// the blocks with these writes need be read.
///
/// The invalidations of a write are recorded before any event that has no cause, so reading can stop at the
/// next such event outside transactions. It does not check the recorded timeline against the events; `verify`
/// does.
private struct RecordedTimeline {
  private let log: LogSource
  private let pattern: PathPattern
  /// The first events of the blocks that contain the writes.
  private let chosen: [UInt64]

  /// Nil if the log has no index or records no timeline, or if most of it would be read anyway.
  init?(of log: LogSource, writing pattern: PathPattern) {
    guard let totals = log.reader.totals(), totals.events["invalidate", default: 0] > 0 else { return nil }
    let offsets = Set(log.reader.blocks(writing: pattern).map(\.offset))
    guard !offsets.isEmpty, offsets.count < log.blocks.count / 2 else { return nil }
    self.log = log
    self.pattern = pattern
    chosen = log.blocks.filter { offsets.contains($0.offset) }.map(\.firstSeq)
  }

  /// Visits every invalidation that such a write caused, in order, with the ids of a run.
  func forEach(in run: inout LogRun, _ body: (TimelineEntry, inout LogRun) throws -> Void) throws {
    var next: UInt64 = 0
    for first in chosen where first >= next {
      var open = log.depth(before: log.index(of: first))
      next = first
      // The writes whose invalidations may still follow.
      var writes: Set<UInt64> = []
      repeat {
        let events = log.events(from: next)
        for event in events {
          if open == 0, event.body.kind.beginsAnew, log.isOwn(event) { writes.removeAll() }
          switch event.body {
          case .begin: open += 1
          case .end: open = max(0, open - 1)
          case .invalidate(let projection, let causes) where !writes.isDisjoint(with: causes):
            guard let unit = event.cause, let completing = log.event(unit) else { continue }
            let last = causes.last ?? unit
            // Swift 6.3 does not compile this as one expression where files are optimised one by one.
            let isOfSession = completing.origin?.strand == OpenTransactions.session
            let isShared = completing.body == .end && isOfSession && log.event(last)?.cause != nil
            let (root, depth) = log.root(of: isShared ? last : unit)
            try body(
              TimelineEntry(
                seq: unit, time: completing.time, projection: run.id(ofProjection: projection),
                causes: Causes(causes), cascade: root, depth: depth), &run)
          default:
            if let path = event.body.writtenPath, pattern.matches(path) { writes.insert(event.seq) }
          }
        }
        next = max(log.block(from: next)?.endSeq ?? next, events.last.map { $0.seq + 1 } ?? next)
      } while !writes.isEmpty && next <= log.lastSeq
    }
  }
}
