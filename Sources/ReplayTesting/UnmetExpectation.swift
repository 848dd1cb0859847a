import Projection

/// A count that was not as expected, told with what led to it.
public struct UnmetExpectation: Error, Hashable, CustomStringConvertible {
  /// The projections, as they were named where something was expected of them, or as they ran unexpectedly.
  public let projections: [String]
  /// What was expected, what was seen, and the cascade: which write woke what.
  public let description: String
}

extension MeasureReport {
  /// Throws unless projections ran as often as expected, all instances of a group (`Row`) or one of them (`Row#42`).
  ///
  /// - Parameter others: How often all projections that are not named may have run together; as they like by default.
  public func requireEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil
  ) throws(UnmetExpectation) {
    if let unmet = unmetEvaluations(expected, others) { throw unmet }
  }

  /// Throws unless what projections read has changed as often as expected, be it that they ran again or not.
  ///
  /// - Parameter others: How often this may have befallen all projections that are not named; as often as it likes
  ///   by default.
  public func requireInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil
  ) throws(UnmetExpectation) {
    if let unmet = unmetInvalidations(expected, others) { throw unmet }
  }

  func unmetEvaluations(_ expected: [String: ExpectedCount], _ others: ExpectedCount?) -> UnmetExpectation? {
    unmet(expected, others, in: evaluationsByInstance, verb: "ran")
  }

  func unmetInvalidations(_ expected: [String: ExpectedCount], _ others: ExpectedCount?) -> UnmetExpectation?
  {
    unmet(expected, others, in: invalidationsByInstance, verb: "was invalidated")
  }

  private func unmet(
    _ expected: [String: ExpectedCount], _ others: ExpectedCount?, in counts: [String: Int], verb: String
  ) -> UnmetExpectation? {
    var projections: [String] = []
    var lines: [String] = []
    func check(_ name: String, _ expected: ExpectedCount, _ instances: [String: Int]) -> Bool {
      let count = instances.values.reduce(0, +)
      if expected.contains(count) { return true }
      lines.append(
        "\(name) \(verb) \(count.times), expected \(expected)\(Self.list(instances, besides: name))")
      return false
    }
    for (name, expected) in expected.sorted(by: { $0.key < $1.key }) {
      let instances = counts.filter { Self.isInstance($0.key, of: name) }
      if !check(name, expected, instances) { projections.append(name) }
    }
    if let others {
      let rest = counts.filter { count in !expected.keys.contains { Self.isInstance(count.key, of: $0) } }
      if !check(expected.isEmpty ? "something" : "something else", others, rest) {
        projections += rest.keys.sorted().prefix(3)
      }
    }
    if lines.isEmpty { return nil }
    lines.append(explanation)
    return UnmetExpectation(projections: projections, description: lines.joined(separator: "\n"))
  }

  /// `: List, Row#42 x 2`, unless the name says it all.
  private static func list(_ counts: [String: Int], besides name: String) -> String {
    if counts.isEmpty || Array(counts.keys) == [name] { return "" }
    let names = counts.sorted { $0.key.localizedStandardCompare($1.key) == .orderedAscending }.map {
      instance, count in
      count == 1 ? instance : "\(instance) x \(count)"
    }
    return ": " + names.prefix(5).joined(separator: ", ")
      + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }
}

extension Int {
  fileprivate var times: String {
    self == 1 ? "once" : "\(self) times"
  }
}
