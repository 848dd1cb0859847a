import ReplayAnalysis

/// The line that shows how far long work has come, on a terminal.
final class ProgressLine: ProgressReceiver {
  private let show: (String) -> Void
  /// When the task that is under way was first reported.
  private var start: ContinuousClock.Instant?
  private var shownAt: ContinuousClock.Instant?

  /// - Parameter show: Writes to the terminal.
  init(show: @escaping (String) -> Void) { self.show = show }

  func receive(_ report: AnalysisProgress.Report) {
    let now = ContinuousClock.now
    let start = start ?? now
    self.start = start
    // Work of less than a second is not reported.
    guard now - start > .seconds(1), shownAt.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
    shownAt = now
    let share = report.total > 0 ? min(1, Double(report.done) / Double(report.total)) : 0
    let estimate = Self.estimate(share, after: now - start)
    show("\r\(report.task.shown.cut(to: 50)) \(Int(share * 100)) %\(estimate)\u{1B}[K")
  }

  /// `, about 12 s left`; nothing while it is too early to tell.
  static func estimate(_ share: Double, after elapsed: Duration) -> String {
    guard share > 0.02, share < 1 else { return "" }
    let seconds = (elapsed / .seconds(1)) * (1 - share) / share
    guard seconds < 1e6 else { return "" }
    return seconds < 90
      ? ", about \(Int(seconds.rounded(.up))) s left" : ", about \(Int((seconds / 60).rounded(.up))) min left"
  }

  /// Takes the line away again; the next task begins anew.
  func finish() {
    start = nil
    guard shownAt != nil else { return }
    shownAt = nil
    show("\r\u{1B}[K")
  }
}
