/// A terminal that gives every key as it is pressed: what the line editor needs, and what its tests play.
protocol Terminal: AnyObject {
  /// Columns, as they are now.
  var width: Int { get }

  /// Begins to give keys one by one, unechoed. Ended by ``leaveRawMode()``.
  func enterRawMode() throws

  /// Goes back to how it was.
  func leaveRawMode()

  /// The next byte, waited for.
  ///
  /// - Parameter isMore: Whether the byte belongs to a key that has begun: then it is waited for only a moment.
  func read(isMore: Bool) -> TerminalInput

  func write(_ text: String)
}

enum TerminalInput: Equatable {
  case byte(UInt8)
  /// Nothing more came in time.
  case pause
  /// The terminal is gone, or the process was asked to end.
  case end
}
