import EventLog

/// Compares two runs.
package struct RunComparison {
  /// Patterns of paths and of projections whose events are left out.
  var ignored: [String] = []
  /// How much longer an evaluation may take in the second run, as a share: 0.5 allows half as long again.
  var slower = 0.5
  var rules: [DiffRule] = []
  /// The size of each run's window in events, a power of two; and how many events beyond it are searched for
  /// a point from which the runs are equal again.
  var window = 1 << 17
  var reach = 1 << 22

  package init(ignored: [String] = [], slower: Double = 0.5, rules: [DiffRule] = []) {
    self.ignored = ignored
    self.slower = slower
    self.rules = rules
  }

  /// Compares two logs in one pass over each, and passes each aligned event to the body.
  ///
  /// - Throws: `AnalysisError` when a selection names nothing in its log.
  package func compare(
    _ a: LogSource, _ selectionA: Selection, _ b: LogSource, _ selectionB: Selection,
    progress: AnalysisProgress = .hidden,
    _ body: (DiffAligner.AlignedEvent) throws -> Void = { _ in }
  ) throws -> RunDiff {
    defer { progress.finish() }
    let skipsInvalidations = a.recordsTimeline != b.recordsTimeline
    let filterA = DiffFilter(selectionA, ignoring: ignored, skipsInvalidations: skipsInvalidations)
    let filterB = DiffFilter(selectionB, ignoring: ignored, skipsInvalidations: skipsInvalidations)
    var aligner = DiffAligner(DiffSide(a, filterA), DiffSide(b, filterB), window: window, reach: reach)
    var alignment = DiffAlignment()
    var search = DivergenceSearch(a, b)
    var places = ChangedPlacesSearch()
    let total = UInt64(max(a.eventCount, b.eventCount))
    try aligner.run(progress: { progress.report(min($0, total), of: total, "comparing \(a.path)") }) {
      aligned in
      alignment.append(aligned)
      search.append(aligned)
      places.append(aligned)
      try body(aligned)
    }
    // A pattern need match in only one of the logs: a projection may be new or gone.
    do { try aligner.first.check() } catch let error as AnalysisError {
      do { try aligner.second.check() } catch is AnalysisError { throw error }
    }
    let state = try Self.state(
      a, filterA, b, filterB, FreshIDPair(a: aligner.first.ids, b: aligner.second.ids))
    let (countsA, countsB) = (aligner.first.counts, aligner.second.counts)
    let paths = RunDiff.paths(countsA, countsB)
    let projections = RunDiff.projections(countsA, countsB, slower: slower)
    let isIdentical =
      alignment.onlyA == 0 && alignment.onlyB == 0 && state.isEmpty && paths.isEmpty
      && projections.allSatisfy { $0.a == $0.b && $0.wastedA == $0.wastedB }
    return RunDiff(
      isIdentical: isIdentical, divergence: search.divergence(), changedPlaces: places.found(a, b),
      paths: paths,
      projections: projections, state: state, alignment: alignment,
      builds: BuildDifference.between(a.header, b.header),
      failures: rules.flatMap { $0.failures(countsA, countsB, state, alignment) },
      counts: (countsA, countsB))
  }

  private static func state(
    _ a: LogSource, _ filterA: DiffFilter, _ b: LogSource, _ filterB: DiffFilter, _ ids: FreshIDPair
  ) throws -> [StateDifference] {
    func end(_ log: LogSource, _ filter: DiffFilter) throws -> State {
      try log.state(at: min(log.lastSeq, filter.selection.seqs.upperBound - 1))
    }
    return StateDifference.between(try end(a, filterA), try end(b, filterB), ids)
      .filter { filterA.tells($0.path) }
  }
}

extension LogSource {
  /// Whether the session recorded its invalidations. True if the log's totals are unknown, since counting
  /// would take a pass.
  fileprivate var recordsTimeline: Bool {
    reader.totals().map { $0.events["invalidate", default: 0] > 0 } ?? true
  }
}
