/// What a log holds, in numbers.
public struct LogTotals: Hashable, Sendable {
  /// Events by the name of their kind, as in ``Event/Body`` and in JSON Lines.
  public var events: [String: Int] = [:]
  /// Nanoseconds from the beginning of the session to the latest event.
  public var duration: UInt64 = 0
  /// How many objects the events define.
  public var objects = 0
  /// How many projections the events name.
  public var projections = 0
}
