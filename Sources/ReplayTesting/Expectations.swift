import Projection
import Testing

#if canImport(XCTest)
  import XCTest
#endif

/// How often something is expected: a number, or a bound.
///
///     ["Row": 1, "List": .atMost(2)]
public struct ExpectedCount: ExpressibleByIntegerLiteral, Hashable, Sendable, CustomStringConvertible {
  private let range: ClosedRange<Int>

  private init(_ range: ClosedRange<Int>) { self.range = range }

  /// Exactly this count.
  public init(integerLiteral count: Int) { self = .exactly(count) }

  /// Exactly this count.
  public static func exactly(_ count: Int) -> ExpectedCount { ExpectedCount(count...count) }

  /// This count or less.
  public static func atMost(_ count: Int) -> ExpectedCount { ExpectedCount(Int.min...count) }

  /// This count or more.
  public static func atLeast(_ count: Int) -> ExpectedCount { ExpectedCount(count...Int.max) }

  /// From one count to another.
  ///
  /// - Precondition: The second is not less.
  public static func ... (least: ExpectedCount, most: ExpectedCount) -> ExpectedCount {
    ExpectedCount(least.range.lowerBound...most.range.upperBound)
  }

  /// Whether a count is as expected.
  public func contains(_ count: Int) -> Bool { range.contains(count) }

  /// `1`, `at most 2`, `at least 1` or `1 to 3`.
  public var description: String {
    if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
    if range.lowerBound == .min { return "at most \(range.upperBound)" }
    return range.upperBound == .max
      ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}

/// The error for a count that was not as expected, with what led to it.
public struct UnmetExpectation: Error, Hashable, CustomStringConvertible {
  /// The projections: by the names for which something was expected, or by their own if they ran unexpectedly.
  public let projections: [String]
  /// What was expected, what happened, and the cascade: which write woke what.
  public let description: String

  /// Fails the test that is running, whichever library runs it. Mistakes in the use of the session may be the reason, above
  /// all an object that is not attached.
  fileprivate func record(of session: Session, at location: SourceLocation) {
    record(notes: session.diagnostics.map { "note: \($0)" }, at: location)
  }

  /// The same with lines below it.
  func record(notes: [String], at location: SourceLocation) {
    RecordedRun.current?.noteFailure(of: projections)
    let description = ([description] + notes).joined(separator: "\n")
    Issue.record(Comment(rawValue: description), sourceLocation: location)
    #if canImport(XCTest)
      // XCTest ignores issues; within Swift Testing this does nothing.
      if Test.current == nil { XCTFail("\(location.fileID):\(location.line): \(description)") }
    #endif
  }
}

// MARK: Expectations of a session

// Each expectation takes a synchronous body, or an asynchronous one, which can advance a clock.

extension Session {
  /// Runs `body`, and records an issue unless projections ran as often as expected because of it.
  ///
  ///     session.expectEvaluations(["Row": 1]) { store.rows[id: 42]?.count += 1 }
  ///     session.expectEvaluations(["Row#42": 1, "List": .atMost(2)], others: 0) { store.refresh() }
  ///
  /// The issue shows which write woke what. A name stands for all instances of a group (`Row`) or for one (`Row#42`).
  ///
  /// All projections that are not named may together run as often as `others` says; any number by default.
  @discardableResult
  public func expectEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) rethrows -> MeasureReport {
    let report = try measure(body)
    report.unmetEvaluations(expected, others)?.record(of: self, at: sourceLocation)
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
    report.unmetEvaluations(expected, others)?.record(of: self, at: sourceLocation)
    return report
  }

  /// Runs `body`, and records an issue if any projection ran because of it.
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

  /// Runs `body`, and records an issue unless projections were invalidated as often as expected because of it, whether
  /// or not they ran again.
  ///
  /// All projections that are not named may together be invalidated as often as `others` says; any number by default.
  @discardableResult
  public func expectInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) rethrows -> MeasureReport {
    let report = try measure(body)
    report.unmetInvalidations(expected, others)?.record(of: self, at: sourceLocation)
    return report
  }

  /// Runs `body`, and records an issue unless projections were invalidated as often as expected meanwhile.
  @discardableResult
  public func expectInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    let report = try await measure(body)
    report.unmetInvalidations(expected, others)?.record(of: self, at: sourceLocation)
    return report
  }
}

// MARK: Expectations of a report

extension MeasureReport {
  /// Throws unless projections ran as often as expected, all instances of a group (`Row`) or one of them (`Row#42`).
  ///
  /// All projections that are not named may together have run as often as `others` says; any number by default.
  public func requireEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil
  ) throws(UnmetExpectation) {
    if let unmet = unmetEvaluations(expected, others) { throw unmet }
  }

  /// Throws unless projections were invalidated as often as expected, whether or not they ran again.
  ///
  /// All projections that are not named may together have been invalidated as often as `others` says; any number by
  /// default.
  public func requireInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil
  ) throws(UnmetExpectation) {
    if let unmet = unmetInvalidations(expected, others) { throw unmet }
  }

  fileprivate func unmetEvaluations(
    _ expected: [String: ExpectedCount], _ others: ExpectedCount?
  ) -> UnmetExpectation? {
    unmet(expected, others, in: evaluationsByInstance, verb: "ran")
  }

  fileprivate func unmetInvalidations(
    _ expected: [String: ExpectedCount], _ others: ExpectedCount?
  ) -> UnmetExpectation? {
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
      let times = count == 1 ? "once" : "\(count) times"
      lines.append("\(name) \(verb) \(times), expected \(expected)\(Self.list(instances, besides: name))")
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

  /// `: List, Row#42 x 2`; empty if the only instance is the name itself.
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
