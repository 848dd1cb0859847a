import EventLog
import Invalidation

/// One line of the timeline, in the ids of a run.
package struct TimelineEntry {
  package var seq: UInt64
  /// When it happened, in nanoseconds since the session began.
  package var time: UInt64
  package var projection: ProjectionID
  package var causes: Causes
  package var cascade: UInt64
  package var depth: Int
}

/// Gives the entries of the timeline that a selection has, in order, as they are found.
package struct TimelineFilter: RowObserver {
  /// Takes an entry, with the run that its ids are of; and nil now and then, so that what it keeps back need not wait
  /// for the next entry.
  package typealias Receiver = (TimelineEntry?, inout LogRun) throws -> Void

  package let needs: RunNeeds
  private let selection: Selection
  private var names: SelectedNames
  private let receive: Receiver

  /// - Parameters:
  ///   - needs: What `receive` needs of the run.
  ///   - receive: Is called for each entry.
  package init(_ selection: Selection, _ needs: RunNeeds = [], _ receive: @escaping Receiver) {
    self.needs = needs.union(selection.path == nil ? .hits : [.hits, .lookback])
    self.selection = selection
    names = SelectedNames(selection)
    self.receive = receive
  }

  package var end: UInt64 { selection.seqs.upperBound }

  package mutating func take(_ run: inout LogRun) throws {
    let seq = run.row.seq
    if seq & 0xFFFF == 0 { try receive(nil, &run) }
    guard !run.hits.isEmpty, seq >= selection.seqs.lowerBound else { return }
    let time = run.row.time
    let root = run.root(of: seq)
    for hit in run.hits
    where names.passes(projection: hit.projection, run.tables) && names.passes(causes: hit.causes, &run) {
      try receive(
        TimelineEntry(
          seq: seq, time: time, projection: hit.projection, causes: hit.causes, cascade: root.seq,
          depth: root.depth), &run)
    }
  }

  /// Goes through as little of a log as will do: it begins at the checkpoint before the selection, or, where the log
  /// recorded its timeline and only paths are asked for, reads the blocks that write them.
  ///
  /// - Throws: `AnalysisError` when a pattern without a wildcard names nothing that is in the log.
  package mutating func play(through log: LogSource, progress: AnalysisProgress = .hidden) throws {
    if let path = selection.path, selection.projection == nil,
      let recorded = RecordedTimeline(of: log, writing: path)
    {
      var run = LogRun(log, needs.subtracting(.hits), progress: progress)
      return try recorded.forEach(in: &run) { entry, run in
        if selection.seqs.contains(entry.seq) { try receive(entry, &run) }
      }
    }
    // Where the checkpoint cannot be read, the run finds the damage.
    let part = (try? log.part(from: selection.seqs.lowerBound)) ?? log
    _ = try part.play(to: &self, progress: progress)
    try names.check(log)
  }
}

/// The part of the timeline that writes to some paths led to, taken from what the session recorded of it, so that
/// only the blocks with these writes need be read.
///
/// What a write woke is recorded behind it before anything else begins of itself, so reading on from a write ends at
/// the next event without a cause outside transactions. Whether the recorded timeline is the one that follows from the
/// events, `verify` finds out.
private struct RecordedTimeline {
  private let log: LogSource
  private let pattern: PathPattern
  /// The blocks that hold the writes, by their first events.
  private let chosen: [UInt64]

  /// Nil where the log has no index or records no timeline, or where most of it would be read anyway.
  init?(of log: LogSource, writing pattern: PathPattern) {
    guard let totals = log.reader.totals(), totals.events["invalidate", default: 0] > 0 else { return nil }
    let offsets = Set(log.reader.blocks(writing: pattern).map(\.offset))
    guard !offsets.isEmpty, offsets.count < log.blocks.count / 2 else { return nil }
    self.log = log
    self.pattern = pattern
    chosen = log.blocks.filter { offsets.contains($0.offset) }.map(\.firstSeq)
  }

  /// Gives every invalidation that such a write led to, in order, in the ids of a run.
  func forEach(in run: inout LogRun, _ body: (TimelineEntry, inout LogRun) throws -> Void) throws {
    var next: UInt64 = 0
    for first in chosen where first >= next {
      var open = log.depth(before: log.index(of: first))
      next = first
      // Writes whose consequences may still come.
      var writes: Set<UInt64> = []
      repeat {
        let events = log.events(from: next)
        for event in events {
          if open == 0, event.cause == nil, event.body.kind.beginsAnew { writes.removeAll() }
          switch event.body {
          case .begin: open += 1
          case .end: open = max(0, open - 1)
          case .invalidate(let projection, let causes) where !writes.isDisjoint(with: causes):
            guard let unit = event.cause, let completing = log.event(unit) else { continue }
            let (root, depth) = log.root(of: unit)
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
