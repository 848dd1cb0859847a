/// Which writes of a recording are driven.
public enum DrivenWrites: Hashable, Sendable {
  /// The writes that no run and no callback of the recorded session caused.
  case uncaused
  /// Also the writes of callbacks and bodies, for programs without these callbacks; the session's own
  /// callbacks are off meanwhile. If a body of the program writes to a path itself, the recording's write to
  /// this path is left out. The writes of one recorded callback invalidate their readers once.
  case all
}

/// Where a drive stops: `17`, `"mark:checkout"`, `.time(.seconds(2))`.
public enum DriveMoment: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// After the event with this seq.
  case event(UInt64)
  /// After the next mark with a label.
  case mark(String)
  /// At a time of the recording, after all events up to this time and the callbacks that are due by then.
  case time(Duration)

  /// After an event.
  public init(integerLiteral seq: UInt64) { self = .event(seq) }

  /// After a mark; the text may begin with `mark:`.
  public init(stringLiteral text: String) {
    self = .mark(text.hasPrefix("mark:") ? String(text.dropFirst(5)) : text)
  }
}

/// The reason why a drive cannot do what was requested.
public struct DriveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what the recording has instead.
  public let description: String

  package init(_ description: String) { self.description = description }
}
