/// How often something is expected: a number, or a bound.
///
///     ["Row": 1, "List": .atMost(2)]
public struct ExpectedCount: ExpressibleByIntegerLiteral, Hashable, Sendable, CustomStringConvertible {
  private let range: ClosedRange<Int>

  private init(_ range: ClosedRange<Int>) { self.range = range }

  /// Exactly so often.
  public init(integerLiteral count: Int) { self = .exactly(count) }

  /// Exactly so often.
  public static func exactly(_ count: Int) -> ExpectedCount { ExpectedCount(count...count) }

  /// So often or less.
  public static func atMost(_ count: Int) -> ExpectedCount { ExpectedCount(Int.min...count) }

  /// So often or more.
  public static func atLeast(_ count: Int) -> ExpectedCount { ExpectedCount(count...Int.max) }

  /// Whether a count is as expected.
  public func contains(_ count: Int) -> Bool { range.contains(count) }

  /// `1`, `at most 2` or `at least 1`.
  public var description: String {
    if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
    return range.lowerBound == .min ? "at most \(range.upperBound)" : "at least \(range.lowerBound)"
  }
}
