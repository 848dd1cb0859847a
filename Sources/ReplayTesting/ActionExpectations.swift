import Projection
import ReplayAnalysis
import Testing

// What actions led to, however late and on whichever actor.

extension Session {
  /// Records an issue unless projections ran as often as expected because of the actions with a label, all of them since the
  /// recording began: directly, or by way of their tasks, callbacks and other actions.
  ///
  ///     try await withRecordedSession { session in
  ///       ...
  ///       await session.action("Refresh") { await feed.refresh() }
  ///       await session.settled()
  ///       try session.expectEvaluations(["Row": 0...3], action: "Refresh")
  ///     }
  ///
  /// A name stands for all instances of a group (`Row`) or for one instance (`Row#42`). All projections that are not named may
  /// together run as often as `others`; by default any number of times.
  ///
  /// Cost: the log is written up to here, and read.
  ///
  /// - Throws: ``NotExplained`` outside of `withRecordedSession`, and if the recording has no such action; `LogError` if the
  ///   log cannot be written or read.
  public func expectEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil, action: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    guard let run = RecordedRun.current else {
      throw NotExplained(description: "there is no recording that has actions: use withRecordedSession")
    }
    try sync(.written)
    let found: ActionRuns
    do { found = try ActionRuns(action, in: LogSource(path: run.url.path)) } catch is AnalysisError {
      throw NotExplained(description: "the recording has no action \(action)")
    }
    Counts(of: found.evaluations, verb: "ran").unmet(expected, others) { found.text }?
      .record(of: self, at: sourceLocation)
  }

  /// Waits until no action is under way and all changes of followed objects are recorded, and runs what is out of date by then. Records an issue if some action has not ended
  /// in time: what it waits for may have to be brought about first, by a manual clock for example.
  ///
  /// Work that nothing waits for, such as a detached task, is not waited for.
  ///
  /// - Parameters:
  ///   - limit: How long to wait, in real time.
  ///   - sourceLocation: Where an issue is recorded.
  ///   - isolation: The actor of the caller.
  public func settled(
    within limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while isBusy, clock.now < end {
      // Most actions end as soon as others get their turn.
      for _ in 0..<100 where isBusy { await Task.yield() }
      if isBusy { try? await Task.sleep(for: .milliseconds(1)) }
    }
    flush()
    let rest = actionsUnderWay
    if rest.isEmpty { return }
    UnmetExpectation(
      projections: [],
      description: "not settled within \(limit): \(rest.sorted().joined(separator: ", ")) had not ended",
      tooFew: []
    ).record(notes: diagnostics.map { "note: \($0)" }, at: sourceLocation)
  }

  private var isBusy: Bool { !actionsUnderWay.isEmpty || awaitsTurn }
}
