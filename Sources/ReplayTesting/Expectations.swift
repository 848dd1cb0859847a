import Projection
import Testing

// The closures come in two kinds, as in Swift Testing: what a clock must be advanced for is asynchronous.

extension Session {
  /// Runs `body`, and records an issue unless projections ran as often as expected on its account.
  ///
  ///     session.expectEvaluations(["Row": 1]) { store.rows[id: 42]?.count += 1 }
  ///     session.expectEvaluations(["Row#42": 1, "List": .atMost(2)], others: 0) { store.refresh() }
  ///
  /// The issue shows which write woke what. A name stands for all instances of a group (`Row`) or for one (`Row#42`).
  ///
  /// - Parameter others: How often all projections that are not named may run together; as they like by default.
  @discardableResult
  public func expectEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) rethrows -> MeasureReport {
    let report = try measure(body)
    report.unmetEvaluations(expected, others)?.record(at: sourceLocation)
    return report
  }

  /// Runs `body`, and records an issue unless projections ran as often as expected meanwhile.
  ///
  ///     await session.expectEvaluations(["Meter": 1]) { await clock.advance(by: .seconds(1)) }
  @discardableResult
  public func expectEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    let report = try await measure(body)
    report.unmetEvaluations(expected, others)?.record(at: sourceLocation)
    return report
  }

  /// Runs `body`, and records an issue if any projection ran on its account.
  @discardableResult
  public func expectNoEvaluations(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) rethrows -> MeasureReport {
    try expectEvaluations([:], others: 0, sourceLocation: sourceLocation, body)
  }

  /// Runs `body`, and records an issue if any projection ran meanwhile.
  @discardableResult
  public func expectNoEvaluations(
    sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    try await expectEvaluations([:], others: 0, sourceLocation: sourceLocation, body)
  }

  /// Runs `body`, and records an issue unless what projections read has changed as often as expected on its account, be
  /// it that they ran again or not.
  ///
  /// - Parameter others: How often this may befall all projections that are not named; as often as it likes by default.
  @discardableResult
  public func expectInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) rethrows -> MeasureReport {
    let report = try measure(body)
    report.unmetInvalidations(expected, others)?.record(at: sourceLocation)
    return report
  }

  /// Runs `body`, and records an issue unless what projections read has changed as often as expected meanwhile.
  @discardableResult
  public func expectInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    let report = try await measure(body)
    report.unmetInvalidations(expected, others)?.record(at: sourceLocation)
    return report
  }
}
