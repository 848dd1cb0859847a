/// What is driven.
public enum DrivenWrites: Hashable, Sendable {
  /// The writes that no run and no callback of the recorded session caused.
  case uncaused
  /// Those of callbacks and bodies too, for code that has no such callbacks: the session's own are off meanwhile. What its bodies
  /// write, they write, and the recording's write to the same path is left out. What one callback wrote wakes readers once.
  case all
}

/// Where a drive stops: `17`, `"mark:checkout"`, `.time(.seconds(2))`.
public enum DriveMoment: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// After an event, by its number.
  case event(UInt64)
  /// After the next mark with a label.
  case mark(String)
  /// At a time of the recording, after the last event up to then and what falls due.
  case time(Duration)

  /// After an event.
  public init(integerLiteral seq: UInt64) { self = .event(seq) }

  /// After a mark, with or without `mark:`.
  public init(stringLiteral text: String) {
    self = .mark(text.hasPrefix("mark:") ? String(text.dropFirst(5)) : text)
  }
}

/// Why a drive cannot do what it was asked to.
public struct DriveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what there is.
  public let description: String

  package init(_ description: String) { self.description = description }
}
