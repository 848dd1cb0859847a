import EventLog
import Invalidation

/// Which entries of the timeline to show.
package struct TimelineFilter {
  var selection: Selection

  package init(selection: Selection) { self.selection = selection }

  /// Gives the entries that pass, in order, as they are found, with the run that their numbers are of; and nothing but
  /// the run now and then, where none was found for a while.
  ///
  /// - Throws: `AnalysisError` when a pattern without a wildcard names nothing that is in the log.
  package func forEachEntry(
    of log: LogSource, progress: AnalysisProgress, _ body: (TimelineEntry?, inout Run) throws -> Void
  ) throws {
    let seqs = selection.seqs
    if let path = selection.path, selection.projection == nil,
      let recorded = RecordedTimeline(of: log, writing: path)
    {
      var run = Run(log, progress: progress)
      return try recorded.forEach(in: &run) { entry, run in
        if seqs.contains(entry.seq) { try body(entry, &run) }
      }
    }
    // Where what lies before cannot be read, the run tells of it.
    var run = Run((try? log.part(from: seqs.lowerBound)) ?? log, progress: progress)
    var names = SelectedNames(selection)
    while try run.next(), run.row.seq < seqs.upperBound {
      if run.row.seq & 0xFFFF == 0 { try body(nil, &run) }
      guard !run.hits.isEmpty, run.row.seq >= seqs.lowerBound else { continue }
      let root = run.root(of: run.row.seq)
      for hit in run.hits
      where names.passes(projection: hit.name, run.tables) && names.passes(causes: hit.causes, &run) {
        try body(
          TimelineEntry(
            seq: run.row.seq, time: run.row.time, projection: hit.name, causes: hit.causes,
            cascade: root.seq, depth: root.depth), &run)
      }
    }
    progress.finish()
    try names.check(log)
  }
}

/// One line of the timeline, in the numbers of a run.
package struct TimelineEntry {
  package var seq: UInt64
  /// When it happened, in nanoseconds since the session began.
  package var time: UInt64
  package var projection: Int
  package var causes: Causes
  package var cascade: UInt64
  package var depth: Int
}
