import EventLog

/// A log as JSON Lines, one event after the other.
package final class ExportLines {
  private var run: LogRun
  private var printer = RowPrinter()
  /// The last line, with its line break.
  package private(set) var line: [UInt8] = []
  /// Whether no state is followed, since that before the first event is lost.
  private let isBlind: Bool

  package init(_ log: LogSource) {
    isBlind = log.hasLostState
    run = LogRun(log, isBlind ? [] : .state)
  }

  /// The seq of the event in the last line.
  package var seq: UInt64 { run.row.seq }

  /// Prints the next line; false at the end.
  ///
  /// - Throws: `AnalysisError` when an event does not fit those before it.
  package func next() throws -> Bool {
    guard try run.next() else { return false }
    // What import would compute is left out; where the app judged otherwise, or nothing can be computed, it is stated.
    let statesSameValue = run.path != nil && (isBlind || run.wouldStaySame() != run.row.isSameValue)
    line.removeAll(keepingCapacity: true)
    run.print(with: &printer, to: &line, statesSameValue: statesSameValue)
    line.append(0x0A)
    try run.carryOut()
    // At once: a line behind an event that does not fit would be of no state.
    try run.checkFit()
    return true
  }
}
