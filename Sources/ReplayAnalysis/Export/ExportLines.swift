import EventLog

/// Exports a log as JSON Lines, one event after the other.
package final class ExportLines {
  private var run: LogRun
  private var printer = RowPrinter()
  /// The last line, with its line break.
  package private(set) var line: [UInt8] = []
  /// Whether the state is unknown because the part of the log before the first event is lost.
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
    // `same_value` is printed only if import would compute another one, or could compute none without the
    // state.
    let statesSameValue = run.path != nil && (isBlind || run.wouldStaySame() != run.row.isSameValue)
    line.removeAll(keepingCapacity: true)
    run.print(with: &printer, to: &line, statesSameValue: statesSameValue)
    line.append(0x0A)
    try run.carryOut()
    // Checked for each line, since a line after an event that does not fit would belong to no valid state.
    try run.checkFit()
    return true
  }
}
