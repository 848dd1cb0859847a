import BenchSupport
import CPeers

/// The processor's counter as a clock for single calls.
struct TickClock {
  /// Nanoseconds a tick.
  let tick: Double
  /// The cost of two readings with nothing between them: the median of many, in nanoseconds.
  let cost: Double
  /// The smallest step of the clock, in nanoseconds.
  let step: Double

  init() {
    let clock = ContinuousClock()
    let start = (clock.now, cpu_ticks())
    while clock.now - start.0 < .milliseconds(50) {}
    let end = (clock.now, cpu_ticks())
    tick = (end.0 - start.0).nanoseconds / Double(end.1 - start.1)
    var empty = Latency()
    var least = UInt64.max
    for _ in 0..<1_000_000 {
      let before = cpu_ticks()
      let ticks = cpu_ticks() &- before
      empty.record(ticks)
      if ticks > 0 { least = min(least, ticks) }
    }
    step = Double(least) * tick
    cost = empty.nanoseconds(at: 50, tick: tick)
  }
}
