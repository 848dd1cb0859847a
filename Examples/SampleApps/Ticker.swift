import Foundation

/// Whether time passes between the ticks of an app's clocks.
public enum Pace: Sendable {
  /// As on a device: a second lasts a second.
  case realTime
  /// One tick right after the other: the count alone says what time it is.
  case none
}

/// A timer: calls back a number of times, so many times a second.
struct Ticker {
  let pace: Pace

  /// Calls `body` with 1, 2 ... `count`.
  func tick(_ count: Int, perSecond: Int, _ body: (Int) -> Void) {
    let clock = ContinuousClock()
    let start = clock.now
    for tick in 1...count {
      if pace == .realTime {
        let wait = start + .seconds(1) * tick / perSecond - clock.now
        Thread.sleep(forTimeInterval: wait / .seconds(1))
      }
      body(tick)
    }
  }
}
