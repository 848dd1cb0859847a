extension Session {
  /// Runs `body` and reports which projections ran on its account: body counts as a test contract.
  ///
  /// With ``Delivery/manual`` what is out of date is flushed at the end of `body`.
  public func measure(_ body: () throws -> Void) rethrows -> MeasureReport {
    let measurement = engine.beginMeasurement()
    defer { engine.end(measurement) }
    try body()
    return engine.report(of: measurement)
  }

  /// Runs `body` and reports which projections ran meanwhile: of what waits for a clock, what ran before `body` returns.
  public func measure(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    let measurement = engine.beginMeasurement()
    defer { engine.end(measurement) }
    try await body()
    return engine.report(of: measurement)
  }
}

/// How often projections ran and were woken while something was measured, and what led to it.
public struct MeasureReport: Hashable, Sendable {
  /// How often each projection ran, by instance: `Row#42`.
  public package(set) var evaluationsByInstance: [String: Int] = [:]
  /// How often something that each projection read had changed, by instance.
  public package(set) var invalidationsByInstance: [String: Int] = [:]
  /// What led to what.
  package var cascade = Cascade()

  /// How often a projection ran: all instances of a group (`Row`), or one of them (`Row#42`).
  public func evaluations(_ name: String) -> Int { Self.count(name, in: evaluationsByInstance) }

  /// How often something that a projection read had changed; a group or one instance.
  public func invalidations(_ name: String) -> Int { Self.count(name, in: invalidationsByInstance) }

  /// How often anything ran.
  public var totalEvaluations: Int { evaluationsByInstance.values.reduce(0, +) }

  /// Whether an instance is the one of this name, or belongs to the group.
  package static func isInstance(_ instance: String, of name: String) -> Bool {
    instance.utf8.starts(with: name.utf8)
      && [nil, 0x23].contains(instance.utf8.dropFirst(name.utf8.count).first)
  }

  private static func count(_ name: String, in counts: [String: Int]) -> Int {
    counts.reduce(0) { sum, entry in isInstance(entry.key, of: name) ? sum + entry.value : sum }
  }
}
