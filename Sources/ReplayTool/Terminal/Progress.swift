import ReplayAnalysis

/// Shows the progress of long tasks in a line on the terminal.
final class ProgressLine: ProgressReceiver {
  private let show: (String) -> Void
  /// The time of the current task's first report.
  private var start: ContinuousClock.Instant?
  private var shownAt: ContinuousClock.Instant?

  /// - Parameter show: Writes a text to the terminal.
  init(show: @escaping (String) -> Void) { self.show = show }

  func receive(_ report: AnalysisProgress.Report) {
    let now = ContinuousClock.now
    let start = start ?? now
    self.start = start
    // Tasks of less than a second are not shown.
    guard now - start > .seconds(1), shownAt.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
    shownAt = now
    let share = report.total > 0 ? min(1, Double(report.done) / Double(report.total)) : 0
    let estimate = Self.estimate(share, after: now - start)
    show("\r\(report.task.shown.cut(to: 50)) \(Int(share * 100)) %\(estimate)\u{1B}[K")
  }

  /// The remaining time: `, about 12 s left`; empty while it is too early to estimate.
  static func estimate(_ share: Double, after elapsed: Duration) -> String {
    guard share > 0.02, share < 1 else { return "" }
    let seconds = (elapsed / .seconds(1)) * (1 - share) / share
    guard seconds < 1e6 else { return "" }
    return seconds < 90
      ? ", about \(Int(seconds.rounded(.up))) s left" : ", about \(Int((seconds / 60).rounded(.up))) min left"
  }

  /// Erases the line. The next report begins a new task.
  func finish() {
    start = nil
    guard shownAt != nil else { return }
    shownAt = nil
    show("\r\u{1B}[K")
  }
}
