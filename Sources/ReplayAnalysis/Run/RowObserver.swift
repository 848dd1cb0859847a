import EventLog

/// Something that is found out by going through the rows of a run once.
///
/// An observer sees the state and the projections *before* the row, and beside it what the row does. Several go along
/// in one pass as ``Together``.
package protocol RowObserver {
  /// What the run must keep for it.
  var needs: RunNeeds { get }
  /// The first event that it need not see. It may come down as rows are taken: to 0 where it has found what it looks
  /// for.
  var end: UInt64 { get }
  /// Begins before the first row; the registry of the run holds what lived before it.
  mutating func begin(_ run: inout LogRun) throws
  /// Takes in the last row of a run.
  mutating func take(_ run: inout LogRun) throws
  /// There are no more rows for it.
  mutating func finish(_ run: inout LogRun) throws
}

extension RowObserver {
  package var end: UInt64 { .max }
  package mutating func begin(_ run: inout LogRun) throws {}
  package mutating func finish(_ run: inout LogRun) throws {}
}

extension LogRun {
  /// Goes through the rows for an observer, up to its end or that of the log.
  ///
  /// - Throws: What the observer throws, and `AnalysisError` when an event does not fit those before it.
  @inline(__always)
  package mutating func play(to observer: inout some RowObserver) throws {
    // An error leaves no progress on the terminal.
    defer { progress.finish() }
    try observer.begin(&self)
    while try next(), row.seq < observer.end { try observer.take(&self) }
    progress.finish()
    try observer.finish(&self)
  }
}

extension LogSource {
  /// Goes through the log for an observer, and returns the run, which knows what ids stand for.
  @inline(__always)
  package func play(
    to observer: inout some RowObserver, progress: AnalysisProgress = .hidden
  ) throws -> LogRun {
    var run = LogRun(self, observer.needs, progress: progress)
    try run.play(to: &observer)
    return run
  }
}

/// Two observers in one pass. It nests.
///
/// Each finishes at its own end and not at that of the pass, so that it finds the run there as it does alone.
package struct Together<A: RowObserver, B: RowObserver>: RowObserver {
  package var a: A
  package var b: B
  private var hasFinishedA = false
  private var hasFinishedB = false

  package init(_ a: A, _ b: B) {
    self.a = a
    self.b = b
  }

  package var needs: RunNeeds { a.needs.union(b.needs) }

  package var end: UInt64 { max(a.end, b.end) }

  package mutating func begin(_ run: inout LogRun) throws {
    try a.begin(&run)
    try b.begin(&run)
  }

  @inline(__always)
  package mutating func take(_ run: inout LogRun) throws {
    if run.row.seq < a.end { try a.take(&run) } else if !hasFinishedA { try finishA(&run) }
    if run.row.seq < b.end { try b.take(&run) } else if !hasFinishedB { try finishB(&run) }
  }

  package mutating func finish(_ run: inout LogRun) throws {
    if !hasFinishedA { try finishA(&run) }
    if !hasFinishedB { try finishB(&run) }
  }

  private mutating func finishA(_ run: inout LogRun) throws {
    hasFinishedA = true
    try a.finish(&run)
  }

  private mutating func finishB(_ run: inout LogRun) throws {
    hasFinishedB = true
    try b.finish(&run)
  }
}

/// An observer that may not be asked for: without it, nothing is needed and no row is looked at.
extension Optional: RowObserver where Wrapped: RowObserver {
  package var needs: RunNeeds { self?.needs ?? [] }
  package var end: UInt64 { self?.end ?? 0 }
  package mutating func begin(_ run: inout LogRun) throws { try self?.begin(&run) }
  @inline(__always)
  package mutating func take(_ run: inout LogRun) throws { try self?.take(&run) }
  package mutating func finish(_ run: inout LogRun) throws { try self?.finish(&run) }
}
