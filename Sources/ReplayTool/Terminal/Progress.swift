/// Tells on the errors how far long work has come, where somebody watches.
final class Progress {
  /// Tells nothing.
  static var hidden: Progress { Progress(show: nil) }

  private let show: ((String) -> Void)?
  private var start = ContinuousClock.now
  private var shownAt: ContinuousClock.Instant?

  /// `show` writes to the terminal; nil where there is none.
  init(show: ((String) -> Void)?) { self.show = show }

  /// Begins anew with another task.
  func restart() {
    start = .now
    shownAt = nil
  }

  /// Notes that so many steps of a task are done. Cheap enough to call for each; the clock is read for few.
  func note(_ done: Int, of total: Int, _ task: String) {
    if done & 4095 == 4095 { noteMany(UInt64(clamping: done), of: UInt64(clamping: total), task) }
  }

  /// Notes that so many steps of a task are done, where they come by the thousand.
  func noteMany(_ done: UInt64, of total: UInt64, _ task: String) {
    guard let show else { return }
    let now = ContinuousClock.now
    // Work of less than a second needs no telling.
    guard now - start > .seconds(1), shownAt.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
    shownAt = now
    let share = total > 0 ? min(1, Double(done) / Double(total)) : 0
    show(
      "\r\(task.shown.cut(to: 50)) \(Int(share * 100)) %\(Self.estimate(share, after: now - start))\u{1B}[K")
  }

  /// `, about 12 s left`; nothing while it is too early to tell.
  static func estimate(_ share: Double, after elapsed: Duration) -> String {
    guard share > 0.02, share < 1 else { return "" }
    let seconds = (elapsed / .seconds(1)) * (1 - share) / share
    guard seconds < 1e6 else { return "" }
    return seconds < 90
      ? ", about \(Int(seconds.rounded(.up))) s left" : ", about \(Int((seconds / 60).rounded(.up))) min left"
  }

  /// Takes the line away again.
  func finish() {
    guard let show, shownAt != nil else { return }
    shownAt = nil
    show("\r\u{1B}[K")
  }
}
