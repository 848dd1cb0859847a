extension Session {
  /// Runs `body` and reports which projections ran on its account: body counts as a test contract.
  ///
  /// With ``Delivery/manual`` what is out of date is flushed at the end of `body`.
  public func measure(_ body: () throws -> Void) rethrows -> MeasureReport {
    let measurement = Measurement()
    engine.lock.withLock { engine.measurements.append(measurement) }
    defer { engine.lock.withLock { engine.measurements.removeAll { $0 === measurement } } }
    try body()
    engine.flushCollected()
    return engine.lock.withLock { measurement.report }
  }
}

/// How often projections ran and were woken while something was measured.
public struct MeasureReport: Hashable, Sendable {
  /// How often each projection ran, by instance: `Row#42`.
  public fileprivate(set) var evaluationsByInstance: [String: Int] = [:]
  /// How often something that each projection read had changed, by instance.
  public fileprivate(set) var invalidationsByInstance: [String: Int] = [:]

  /// How often a projection ran: all instances of a group (`Row`), or one of them (`Row#42`).
  public func evaluations(_ name: String) -> Int { count(name, in: evaluationsByInstance) }

  /// How often something that a projection read had changed; a group or one instance.
  public func invalidations(_ name: String) -> Int { count(name, in: invalidationsByInstance) }

  /// How often anything ran.
  public var totalEvaluations: Int { evaluationsByInstance.values.reduce(0, +) }

  private func count(_ name: String, in counts: [String: Int]) -> Int {
    counts.reduce(0) { sum, entry in
      entry.key == name || entry.key.hasPrefix(name + "#") ? sum + entry.value : sum
    }
  }
}

/// A measurement under way, guarded by its engine's lock.
final class Measurement {
  private(set) var report = MeasureReport()

  func noteEvaluation(of node: Node) { report.evaluationsByInstance[node.name, default: 0] += 1 }

  func noteInvalidation(of node: Node) { report.invalidationsByInstance[node.name, default: 0] += 1 }
}
