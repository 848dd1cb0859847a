/// Plays an episode, and reports its position sixty times a second, or less often.
struct AudioPlayer {
  static let callbacksPerSecond = 60

  /// The least time from one call of `progress` to the next.
  var interval: Duration = .zero

  /// Plays for some seconds, from the start.
  func play(seconds: Int, _ ticker: Ticker, progress: (_ position: Double) -> Void) {
    var last = Duration.zero
    ticker.tick(seconds * Self.callbacksPerSecond, perSecond: Self.callbacksPerSecond) { tick in
      let now = Duration.seconds(1) * tick / Self.callbacksPerSecond
      guard now - last >= interval else { return }
      last = now
      progress(now / .seconds(1))
    }
  }
}
