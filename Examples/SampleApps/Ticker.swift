import Foundation

/// Whether time passes between the ticks of an app's clocks.
public enum Pace: Sendable {
  /// As on a device: a second lasts a second.
  case realTime
  /// One tick right after the other, so that time is the count of ticks.
  case none
}

/// A timer: calls back a number of times, at a rate.
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
