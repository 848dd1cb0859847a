import CTicks
import Synchronization

/// The clock of events: that of the system that never goes back, read from the processor's counter where that is steady.
///
/// The counter is set by the system's clock again and again: after 10 ms, 100 ms and a second of the process, and from
/// then on once a second. Until there are two readings the system's clock is read itself, and also for good where the
/// counter is found to be unsteady. After the machine slept, the first reading finds that the counter has not kept the
/// system's time, and takes that.
///
/// Readings of one thread may go back by the nanoseconds by which a setting moves the clock, and those of two threads
/// by those in which the processor reorders instructions: who needs an order takes the larger of two readings.
package enum TickClock {
  /// Nanoseconds since a fixed moment before the process began. Cost: about 10 ns, and 300 once a second.
  @inline(__always)
  package static func now() -> UInt64 {
    let version = tickRate.version.load(ordering: .acquiring)
    let ticks = ticks_now() &- tickRate.start.load(ordering: .relaxed)
    let rate = tickRate.rate.load(ordering: .relaxed)
    let origin = tickRate.origin.load(ordering: .relaxed)
    let limit = tickRate.limit.load(ordering: .relaxed)
    atomicMemoryFence(ordering: .acquiring)
    // A counter that was reset while the machine slept is beyond the limit too, as a very large number.
    guard ticks < limit, version & 1 == 0, tickRate.version.load(ordering: .relaxed) == version else {
      return setAndRead()
    }
    return origin &+ TickRate.nanoseconds(ticks, rate)
  }

  @inline(never)
  private static func setAndRead() -> UInt64 { TickSetting.shared.read() }
}

/// How the counter's ticks are made nanoseconds, for readers without a lock: they read it again if the version moved
/// meanwhile. It is 0 at first, so that each reading is the system's.
struct TickRate: ~Copyable {
  /// Odd while the rest is being written.
  let version = Atomic<UInt64>(0)
  /// The ticks and the nanoseconds at the last setting.
  let start = Atomic<UInt64>(0)
  let origin = Atomic<UInt64>(0)
  /// Nanoseconds a tick, times 2 to the 32nd.
  let rate = Atomic<UInt64>(0)
  /// This many ticks after the last setting the next is due.
  let limit = Atomic<UInt64>(0)

  /// Ticks as nanoseconds. The product takes 128 bits.
  @inline(__always)
  static func nanoseconds(_ ticks: UInt64, _ rate: UInt64) -> UInt64 {
    let (high, low) = ticks.multipliedFullWidth(by: rate)
    return high << 32 | low >> 32
  }

  /// Called by one thread at a time.
  func set(_ new: TickLine) {
    let version = version.load(ordering: .relaxed)
    self.version.store(version &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .acquiringAndReleasing)
    start.store(new.start.ticks, ordering: .relaxed)
    origin.store(new.start.nanoseconds, ordering: .relaxed)
    rate.store(new.rate, ordering: .relaxed)
    limit.store(new.limit, ordering: .relaxed)
    self.version.store(version &+ 2, ordering: .releasing)
  }
}

private let tickRate = TickRate()

/// A reading of both clocks at one moment.
struct TickReading {
  var ticks: UInt64
  var nanoseconds: UInt64

  /// The reading, of a few, whose two readings of the counter were closest together.
  static func now() -> TickReading {
    var best = TickReading(ticks: 0, nanoseconds: 0)
    var width = UInt64.max
    for _ in 0..<4 {
      let before = ticks_now()
      let nanoseconds = monotonicNow()
      let after = ticks_now()
      if after &- before < width {
        width = after &- before
        best = TickReading(ticks: before &+ width / 2, nanoseconds: nanoseconds)
      }
    }
    return best
  }
}

/// The line along which ticks become nanoseconds until the next setting.
struct TickLine {
  var start: TickReading
  var rate: UInt64
  var limit: UInt64

  func nanoseconds(at ticks: UInt64) -> UInt64 {
    start.nanoseconds &+ TickRate.nanoseconds(ticks &- start.ticks, rate)
  }
}

/// The settings of the clock: pure, with readings from outside, so that tests can let a machine sleep.
struct TickCalibration {
  /// The first reading, and the last.
  private var first: TickReading
  private var last: TickReading
  /// Nanoseconds a tick times 2 to the 32nd, as measured last; 0 before there are two readings.
  private var rate: UInt64 = 0
  /// How often in a row the counter did not keep the system's time.
  private var misses = 0
  /// Whether the counter is steady enough to be read.
  private(set) var isUsable = true

  /// The first interval between settings; the later ones are 10 and 100 times as long.
  static let interval: UInt64 = 10_000_000
  private static let longInterval: UInt64 = 1_000_000_000
  /// A counter whose rate moves by more than one part in this many has not kept time.
  private static let tolerance: UInt64 = 1_000
  /// After this many misses in a row the counter is given up. A machine that sleeps misses once each time.
  private static let missesMax = 3
  /// A clock that is ahead by at most this slows down until it is right, and goes back if it is ahead by more.
  private static let slewMax: UInt64 = 100_000

  init(_ reading: TickReading) {
    first = reading
    last = reading
  }

  /// The line from now on, for a reading of both clocks; nil if the system's clock is to be read for now.
  ///
  /// - Parameter shown: What the clock would show at this moment by the line so far; nil if it was not read by a line.
  mutating func set(_ reading: TickReading, shown: UInt64?) -> TickLine? {
    let ticks = reading.ticks &- last.ticks
    let elapsed = reading.nanoseconds &- last.nanoseconds
    guard isUsable, elapsed >= Self.interval else { return nil }
    guard let measured = Self.rate(ticks, elapsed) else { return miss(reading) }
    if rate > 0 {
      if max(measured, rate) - min(measured, rate) > rate / Self.tolerance { return miss(reading) }
      misses = 0
    }
    // The longer the time between two readings, the less their error counts.
    let sinceFirst = reading.nanoseconds &- first.nanoseconds
    rate =
      elapsed >= Self.longInterval
      ? measured : Self.rate(reading.ticks &- first.ticks, sinceFirst) ?? measured
    last = reading
    let next = sinceFirst < Self.longInterval / 9 ? sinceFirst * 9 : Self.longInterval
    return line(from: reading, shown: shown, for: next)
  }

  /// Whether two readings are far enough apart for a first line.
  func isDue(at nanoseconds: UInt64) -> Bool { nanoseconds &- last.nanoseconds >= Self.interval }

  /// Starts anew after the counter did not keep the system's time: the machine slept, or the counter is unsteady.
  private mutating func miss(_ reading: TickReading) -> TickLine? {
    misses += 1
    if misses >= Self.missesMax { isUsable = false }
    first = reading
    last = reading
    rate = 0
    return nil
  }

  /// The line from a reading on. If the clock is ahead, it begins where that is, and gets slower to be right at the end.
  private func line(from reading: TickReading, shown: UInt64?, for nanoseconds: UInt64) -> TickLine? {
    guard let limit = Self.ticks(nanoseconds, rate) else { return nil }
    var line = TickLine(start: reading, rate: rate, limit: limit)
    guard let shown, shown > reading.nanoseconds, shown - reading.nanoseconds <= Self.slewMax else {
      return line
    }
    let ahead = shown - reading.nanoseconds
    line.start.nanoseconds = shown
    line.rate -= TickRate.nanoseconds(min(ahead, nanoseconds / 2) << 32 / nanoseconds, rate)
    return line
  }

  private static func rate(_ ticks: UInt64, _ nanoseconds: UInt64) -> UInt64? {
    guard nanoseconds >> 32 < ticks else { return nil }
    let rate = ticks.dividingFullWidth((nanoseconds >> 32, nanoseconds << 32)).quotient
    return rate > 0 ? rate : nil
  }

  /// The ticks of some nanoseconds; nil where that is no number to count with.
  private static func ticks(_ nanoseconds: UInt64, _ rate: UInt64) -> UInt64? {
    guard nanoseconds >> 32 < rate else { return nil }
    let ticks = rate.dividingFullWidth((nanoseconds >> 32, nanoseconds << 32)).quotient
    return ticks > 0 ? ticks : nil
  }
}

/// Sets the clock when that is due.
private final class TickSetting: Sendable {
  static let shared = TickSetting()

  private struct State {
    var calibration: TickCalibration
    var line: TickLine?
  }

  private let state: Lock<State>?

  init() {
    state = ticks_are_steady() != 0 ? Lock(State(calibration: TickCalibration(.now()))) : nil
  }

  /// The present time, after the clock was set if that was due.
  func read() -> UInt64 {
    // A thread that finds another at it does not wait for it.
    let now = state?.withLockIfFree { state -> UInt64? in
      guard state.calibration.isUsable, state.line != nil || state.calibration.isDue(at: monotonicNow())
      else {
        return nil
      }
      let reading = TickReading.now()
      let shown = state.line?.nanoseconds(at: reading.ticks)
      state.line = state.calibration.set(reading, shown: shown)
      guard let line = state.line else {
        tickRate.set(TickLine(start: reading, rate: 0, limit: 0))
        return reading.nanoseconds
      }
      tickRate.set(line)
      return line.start.nanoseconds
    }
    return (now ?? nil) ?? monotonicNow()
  }
}
