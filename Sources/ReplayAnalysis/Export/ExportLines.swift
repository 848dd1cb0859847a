import EventLog

/// A log as JSON Lines, one event after the other.
package struct ExportLines {
  private var replay: StateReplay
  private var printer = RowPrinter()
  /// The last line, with its line break.
  package private(set) var line: [UInt8] = []
  /// Whether no state is followed, since that before the first event is lost.
  private let isBlind: Bool

  package init(_ log: LogSource) {
    replay = StateReplay(log)
    isBlind = log.hasLostState
  }

  /// The seq of the event in the last line.
  package var seq: UInt64 { replay.row.seq }

  /// Prints the next line; false at the end.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it.
  package mutating func next() throws -> Bool {
    guard replay.next() else {
      try replay.check()
      return false
    }
    // What import would compute is left out; where the app judged otherwise, or nothing can be computed, it is stated.
    let statesSameValue =
      replay.path != nil && (isBlind || replay.wouldStaySame() != replay.row.isSameValue)
    line.removeAll(keepingCapacity: true)
    replay.cursor.print(with: &printer, to: &line, statesSameValue: statesSameValue)
    line.append(0x0A)
    if isBlind { return true }
    try replay.apply()
    // At once: a line behind an event that does not fit would be of no state.
    try replay.check()
    return true
  }
}
