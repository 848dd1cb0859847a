import Projection
import Testing

#if canImport(XCTest)
  import XCTest
#endif

/// An expected count: a number, or a bound.
///
///     ["Row": 1, "List": .atMost(2)]
public struct ExpectedCount: ExpressibleByIntegerLiteral, Hashable, Sendable, CustomStringConvertible {
  fileprivate let range: ClosedRange<Int>

  private init(_ range: ClosedRange<Int>) { self.range = range }

  /// Expects exactly this count.
  public init(integerLiteral count: Int) { self = .exactly(count) }

  /// Expects exactly this count.
  public static func exactly(_ count: Int) -> ExpectedCount { ExpectedCount(count...count) }

  /// Expects this count or less.
  public static func atMost(_ count: Int) -> ExpectedCount { ExpectedCount(Int.min...count) }

  /// Expects this count or more.
  public static func atLeast(_ count: Int) -> ExpectedCount { ExpectedCount(count...Int.max) }

  /// Expects a count in a range.
  ///
  /// - Precondition: The upper bound is not less than the lower one.
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

/// The error for an unexpected count, with the causes of the runs.
public struct UnmetExpectation: Error, Hashable, CustomStringConvertible {
  /// The projections: the names with an expectation, or the names of those that ran unexpectedly.
  public let projections: [String]
  /// The expected and the actual counts, and the cascade that shows which write woke which projection.
  public let description: String
  /// Those of the names that ran less often than expected.
  let tooFew: [String]

  /// Fails the test that is running, in either test library. The session's diagnostics are added, because a
  /// mistake in its use may be the reason, most often an object that is not attached.
  /// Where the test records, so is why a projection did not run that should have.
  func record(of session: Session, at location: SourceLocation) {
    let reasons = tooFew.prefix(3).compactMap { try? session.explainWhyNot($0) }
    record(notes: reasons + session.diagnostics.map { "note: \($0)" }, at: location)
  }

  /// The same with additional lines.
  func record(notes: [String], at location: SourceLocation) {
    RecordedRun.current?.markFailure(of: projections)
    let description = ([description] + notes).joined(separator: "\n")
    Issue.record(Comment(rawValue: description), sourceLocation: location)
    #if canImport(XCTest)
      // XCTest ignores issues of Swift Testing. Within Swift Testing this does nothing.
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
  /// The issue shows which write woke which projection. A name stands for all instances of a group (`Row`) or
  /// for one instance (`Row#42`).
  ///
  /// All projections that are not named may together run as often as `others`; by default any number of
  /// times.
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

  /// Runs `body`, and records an issue unless projections were invalidated as often as expected because of
  /// it, whether or not they ran again.
  ///
  /// All projections that are not named may together be invalidated as often as `others`; by default any
  /// number of times.
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
  /// Throws unless projections ran as often as expected: all instances of a group (`Row`), or one instance
  /// (`Row#42`).
  ///
  /// All projections that are not named may together run as often as `others`; by default any number of
  /// times.
  public func requireEvaluations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil
  ) throws(UnmetExpectation) {
    if let unmet = unmetEvaluations(expected, others) { throw unmet }
  }

  /// Throws unless projections were invalidated as often as expected, whether or not they ran again.
  ///
  /// All projections that are not named may together be invalidated as often as `others`; by default any
  /// number of times.
  public func requireInvalidations(
    _ expected: [String: ExpectedCount], others: ExpectedCount? = nil
  ) throws(UnmetExpectation) {
    if let unmet = unmetInvalidations(expected, others) { throw unmet }
  }

  fileprivate func unmetEvaluations(
    _ expected: [String: ExpectedCount], _ others: ExpectedCount?
  ) -> UnmetExpectation? {
    Counts(of: evaluationsByInstance, verb: "ran").unmet(expected, others) { explanation }
  }

  fileprivate func unmetInvalidations(
    _ expected: [String: ExpectedCount], _ others: ExpectedCount?
  ) -> UnmetExpectation? {
    Counts(of: invalidationsByInstance, verb: "was invalidated").unmet(expected, others) { explanation }
  }
}

/// How often something happened to each projection.
struct Counts {
  private let counts: [String: Int]
  /// What happened: `ran`.
  private let verb: String

  init(of counts: [String: Int], verb: String) {
    self.counts = counts
    self.verb = verb
  }

  /// What is not as expected, with an explanation of what happened; nil if all is.
  func unmet(
    _ expected: [String: ExpectedCount], _ others: ExpectedCount?, explanation: () -> String
  ) -> UnmetExpectation? {
    var projections: [String] = []
    var tooFew: [String] = []
    var lines: [String] = []
    func check(_ name: String, _ expected: ExpectedCount, _ instances: [String: Int]) -> Bool {
      let count = instances.values.reduce(0, +)
      if expected.contains(count) { return true }
      let times = count == 1 ? "once" : "\(count) times"
      lines.append("\(name) \(verb) \(times), expected \(expected)\(Self.list(instances, besides: name))")
      return false
    }
    for (name, expected) in expected.sorted(by: { $0.key < $1.key }) {
      let instances = counts.filter { MeasureReport.isInstance($0.key, of: name) }
      if !check(name, expected, instances) { projections.append(name) }
      if instances.values.reduce(0, +) < expected.range.lowerBound { tooFew.append(name) }
    }
    if let others {
      let rest = counts.filter { count in
        !expected.keys.contains { MeasureReport.isInstance(count.key, of: $0) }
      }
      if !check(expected.isEmpty ? "something" : "something else", others, rest) {
        projections += rest.keys.sorted().prefix(3)
      }
    }
    if lines.isEmpty { return nil }
    lines.append(explanation())
    return UnmetExpectation(
      projections: projections, description: lines.joined(separator: "\n"), tooFew: tooFew)
  }

  /// `: List, Row#42 x 2`; empty if the name itself is the only instance.
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
