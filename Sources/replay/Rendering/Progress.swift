/// Tells on the errors how far long work has come, where somebody watches.
final class Progress {
  /// Tells nothing.
  static var hidden: Progress { Progress(show: nil) }

  private let show: ((String) -> Void)?
  private let start = ContinuousClock.now
  private var shownAt: ContinuousClock.Instant?

  /// `show` writes to the terminal; nil where there is none.
  init(show: ((String) -> Void)?) { self.show = show }

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
    show("\r\(task.shown.cut(to: 60)) \(total > 0 ? Int(Double(done) * 100 / Double(total)) : 0) %\u{1B}[K")
  }

  /// Takes the line away again.
  func finish() {
    guard let show, shownAt != nil else { return }
    shownAt = nil
    show("\r\u{1B}[K")
  }
}
