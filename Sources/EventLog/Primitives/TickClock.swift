import CTicks
import Synchronization

/// The clock for events: the system's monotonic clock, read from the processor's counter if that is steady.
///
/// The counter is calibrated against the system's clock repeatedly: after 10 ms, 100 ms and a second of the
/// process, and then once a second. The system's clock itself is read until there are two readings, and
/// permanently if the counter is found to be unsteady. After the machine has slept, the first reading finds
/// that the counter does not agree with the system's clock, and uses the latter.
///
/// Readings of one thread may go back by the nanoseconds by which a calibration moves the clock, and those of
/// two threads by the time in which the processor reorders instructions. A caller that needs an order takes
/// the larger of two readings.
package enum TickClock {
  /// The time in nanoseconds since a fixed moment before the process began. Cost: about 10 ns, and 300 ns
  /// once a second.
  @inline(__always)
  package static func now() -> UInt64 {
    let version = tickRate.version.load(ordering: .acquiring)
    let ticks = ticks_now() &- tickRate.start.load(ordering: .relaxed)
    let rate = tickRate.rate.load(ordering: .relaxed)
    let origin = tickRate.origin.load(ordering: .relaxed)
    let limit = tickRate.limit.load(ordering: .relaxed)
    atomicMemoryFence(ordering: .acquiring)
    // If the counter was reset while the machine slept, the difference wraps around to a very large number,
    // beyond the limit.
    guard ticks < limit, version & 1 == 0, tickRate.version.load(ordering: .relaxed) == version else {
      return setAndRead()
    }
    return origin &+ TickRate.nanoseconds(ticks, rate)
  }

  @inline(never)
  private static func setAndRead() -> UInt64 { TickSetting.shared.read() }
}

/// The conversion of ticks to nanoseconds, for readers without a lock. They read it again if the version has
/// changed meanwhile. All fields are 0 at first, so that readings come from the system's clock.
struct TickRate: ~Copyable {
  /// The version, which is odd while the other fields are being written.
  let version = Atomic<UInt64>(0)
  /// The ticks and the nanoseconds at the last calibration.
  let start = Atomic<UInt64>(0)
  let origin = Atomic<UInt64>(0)
  /// The nanoseconds of a tick, multiplied by 2^32.
  let rate = Atomic<UInt64>(0)
  /// The number of ticks after which the next calibration is due.
  let limit = Atomic<UInt64>(0)

  /// Converts ticks to nanoseconds with a product of 128 bits.
  @inline(__always)
  static func nanoseconds(_ ticks: UInt64, _ rate: UInt64) -> UInt64 {
    let (high, low) = ticks.multipliedFullWidth(by: rate)
    return high << 32 | low >> 32
  }

  /// Replaces the conversion. Only one thread at a time may call it.
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

/// A reading of both clocks at the same moment.
struct TickReading {
  var ticks: UInt64
  var nanoseconds: UInt64

  /// Takes several readings, and returns the one whose two readings of the counter were closest together.
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

/// The linear conversion of ticks to nanoseconds until the next calibration.
struct TickLine {
  var start: TickReading
  var rate: UInt64
  var limit: UInt64

  func nanoseconds(at ticks: UInt64) -> UInt64 {
    start.nanoseconds &+ TickRate.nanoseconds(ticks &- start.ticks, rate)
  }
}

/// The calibration of the clock. It is pure and gets its readings from the caller, so that tests can simulate
/// a machine that sleeps.
struct TickCalibration {
  /// The first reading, and the last.
  private var first: TickReading
  private var last: TickReading
  /// The last measured nanoseconds of a tick, multiplied by 2^32; 0 before there are two readings.
  private var rate: UInt64 = 0
  /// The number of times in a row that the counter did not agree with the system's clock.
  private var misses = 0
  /// Whether the counter is steady enough to be read.
  private(set) var isUsable = true

  /// The first interval between calibrations, in nanoseconds; later ones are 10 and 100 times as long.
  static let interval: UInt64 = 10_000_000
  private static let longInterval: UInt64 = 1_000_000_000
  /// The counter disagrees if its rate changes by more than one part in this many.
  private static let tolerance: UInt64 = 1_000
  /// The counter is no longer used after this many misses in a row. A machine that sleeps causes one miss
  /// each time.
  private static let missesMax = 3
  /// If the clock is ahead by at most this many nanoseconds, it runs slower until it is right; if by more, it
  /// goes back.
  private static let slewMax: UInt64 = 100_000

  init(_ reading: TickReading) {
    first = reading
    last = reading
  }

  /// The conversion from now on, given a reading of both clocks; nil if the system's clock must be read for
  /// now.
  ///
  /// - Parameter shown: The time of the clock at this moment by the conversion so far; nil if there was none.
  mutating func set(_ reading: TickReading, shown: UInt64?) -> TickLine? {
    let ticks = reading.ticks &- last.ticks
    let elapsed = reading.nanoseconds &- last.nanoseconds
    guard isUsable, elapsed >= Self.interval else { return nil }
    guard let measured = Self.rate(ticks, elapsed) else { return miss(reading) }
    if rate > 0 {
      if max(measured, rate) - min(measured, rate) > rate / Self.tolerance { return miss(reading) }
      misses = 0
    }
    // The longer the time between two readings, the smaller the effect of their errors.
    let sinceFirst = reading.nanoseconds &- first.nanoseconds
    rate =
      elapsed >= Self.longInterval
      ? measured : Self.rate(reading.ticks &- first.ticks, sinceFirst) ?? measured
    last = reading
    let next = sinceFirst < Self.longInterval / 9 ? sinceFirst * 9 : Self.longInterval
    return line(from: reading, shown: shown, for: next)
  }

  /// Whether two readings are far enough apart for a first conversion.
  func isDue(at nanoseconds: UInt64) -> Bool { nanoseconds &- last.nanoseconds >= Self.interval }

  /// Starts again after the counter disagreed with the system's clock: the machine slept, or the counter is
  /// unsteady.
  private mutating func miss(_ reading: TickReading) -> TickLine? {
    misses += 1
    if misses >= Self.missesMax { isUsable = false }
    first = reading
    last = reading
    rate = 0
    return nil
  }

  /// The conversion from a reading on. If the clock is ahead, the conversion begins at its time and runs
  /// slower, to be right at the end.
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

  /// The ticks in a number of nanoseconds; nil if that overflows.
  private static func ticks(_ nanoseconds: UInt64, _ rate: UInt64) -> UInt64? {
    guard nanoseconds >> 32 < rate else { return nil }
    let ticks = rate.dividingFullWidth((nanoseconds >> 32, nanoseconds << 32)).quotient
    return ticks > 0 ? ticks : nil
  }
}

/// Calibrates the clock when that is due.
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

  /// The present time, after a calibration if that was due.
  func read() -> UInt64 {
    // If another thread is calibrating, this one does not wait for it.
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
