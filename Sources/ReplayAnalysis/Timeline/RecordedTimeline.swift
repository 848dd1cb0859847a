import EventLog
import Invalidation

/// The part of the timeline that writes to some places led to, taken from what the session recorded of it, so that
/// only the blocks with these writes need be read.
///
/// What a write woke is recorded behind it before anything else begins of itself, so reading on from a write ends at
/// the next event without a cause outside transactions. That the recorded timeline is the one that follows from the
/// events is for `verify` to say.
struct RecordedTimeline {
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

  /// Gives every invalidation that such a write led to, in order, in the numbers of a run.
  func forEach(in run: inout Run, _ body: (TimelineEntry, inout Run) throws -> Void) throws {
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
                seq: unit, time: completing.time, projection: run.number(of: projection),
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
