import EventLog

/// Computes something in one pass over the rows of a run.
///
/// An observer sees the state and the projections *before* the row, together with the effects of the row.
/// ``Together`` combines several observers in one pass.
package protocol RowObserver: ~Copyable {
  /// What the run must keep for this observer.
  var needs: RunNeeds { get }
  /// The first event that the observer does not need. It may decrease as rows are processed; 0 once the
  /// observer has found what it searches for.
  var end: UInt64 { get }
  /// Called before the first row; the run's registry has the projections that live before it.
  mutating func begin(_ run: inout LogRun) throws
  /// Processes the current row of a run.
  mutating func observe(_ run: inout LogRun) throws
  /// Called when there are no more rows for this observer.
  mutating func finish(_ run: inout LogRun) throws
}

extension RowObserver where Self: ~Copyable {
  package var end: UInt64 { .max }
  package mutating func begin(_ run: inout LogRun) throws {}
  package mutating func finish(_ run: inout LogRun) throws {}
}

extension LogRun {
  /// Passes the rows to an observer, up to the observer's end or that of the log.
  ///
  /// - Throws: What the observer throws, and `AnalysisError` when an event does not fit those before it.
  @inline(__always)
  package mutating func play(to observer: inout some RowObserver & ~Copyable) throws {
    // Removes the progress from the terminal even if an error is thrown.
    defer { progress.finish() }
    try observer.begin(&self)
    while try next(), row.seq < observer.end { try observer.observe(&self) }
    progress.finish()
    try observer.finish(&self)
  }
}

extension LogSource {
  /// Passes the log to an observer, and returns the run, which is needed to look up ids.
  @inline(__always)
  package func play(
    to observer: inout some RowObserver & ~Copyable, progress: AnalysisProgress = .hidden
  ) throws -> LogRun {
    var run = LogRun(self, observer.needs, progress: progress)
    try run.play(to: &observer)
    return run
  }
}

/// Combines two observers in one pass, and may be nested.
///
/// Each is finished at its own end rather than at that of the pass, so that it sees the same run as it would
/// alone.
package struct Together<A: RowObserver & ~Copyable, B: RowObserver & ~Copyable>: ~Copyable, RowObserver {
  package var a: A
  package var b: B
  private var hasFinishedA = false
  private var hasFinishedB = false

  package init(_ a: consuming A, _ b: consuming B) {
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
  package mutating func observe(_ run: inout LogRun) throws {
    if run.row.seq < a.end { try a.observe(&run) } else if !hasFinishedA { try finishA(&run) }
    if run.row.seq < b.end { try b.observe(&run) } else if !hasFinishedB { try finishB(&run) }
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

/// An optional observer. If nil, it needs nothing and sees no rows.
extension Optional: RowObserver where Wrapped: RowObserver {
  package var needs: RunNeeds { self?.needs ?? [] }
  package var end: UInt64 { self?.end ?? 0 }
  package mutating func begin(_ run: inout LogRun) throws { try self?.begin(&run) }
  @inline(__always)
  package mutating func observe(_ run: inout LogRun) throws { try self?.observe(&run) }
  package mutating func finish(_ run: inout LogRun) throws { try self?.finish(&run) }
}
