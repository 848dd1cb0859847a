import Synchronization
import Testing

@testable import EventLog

@Suite struct TickClockTests {
  /// Reads the clock between two readings of the system's clock, so that load on the machine cannot falsify
  /// the result.
  @Test func itShowsTheTimeOfTheSystemsClock() {
    let end = monotonicNow() + 50_000_000
    var reading = monotonicNow()
    while reading < end {
      let time = TickClock.now()
      let after = monotonicNow()
      // 50 us are 1,000 ppm of 50 ms.
      #expect(time + 50_000 >= reading && time <= after + 50_000, "\(time) between \(reading) and \(after)")
      reading = after
    }
  }

  @Test func noThreadSeesItGoBackByMoreThanASetting() async {
    let latest = Latest()
    let worst = await withTaskGroup(of: UInt64.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var worst: UInt64 = 0
          for _ in 0..<100_000 {
            let before = latest.time.load(ordering: .acquiring)
            let time = TickClock.now()
            if time < before { worst = max(worst, before - time) }
            latest.time.max(time, ordering: .acquiringAndReleasing)
          }
          return worst
        }
      }
      return await group.reduce(0, max)
    }
    #expect(worst <= 100_000)
  }

  // A simulated machine: a counter with 3 ticks a nanosecond, and a system clock beside it.

  private let perNanosecond: UInt64 = 3

  private func reading(_ nanoseconds: UInt64, slept: UInt64 = 0, offset: UInt64 = 0) -> TickReading {
    TickReading(ticks: (nanoseconds + slept) * perNanosecond &+ offset, nanoseconds: nanoseconds)
  }

  private func expectNone(_ line: TickLine?) { #expect(line?.rate == nil) }

  @Test func aLineNeedsTwoReadingsTenMillisecondsApart() throws {
    var calibration = TickCalibration(reading(1_000))
    expectNone(calibration.set(reading(5_000_000), shown: nil))
    let set = calibration.set(reading(10_001_000), shown: nil)
    let line = try #require(set)
    #expect(line.nanoseconds(at: reading(10_001_000).ticks) == 10_001_000)
    let later = line.nanoseconds(at: reading(90_000_000).ticks)
    #expect((89_999_999...90_000_000).contains(later))
    // The next adjustment is due after nine times as long.
    #expect((89_000_000...91_000_000).contains(line.limit / perNanosecond))
  }

  @Test func aClockThatIsAheadGetsSlowerAndNeverGoesBack() throws {
    var calibration = TickCalibration(reading(0))
    _ = calibration.set(reading(10_000_000), shown: nil)
    let set = calibration.set(reading(100_000_000), shown: 100_050_000)
    let line = try #require(set)
    #expect(line.nanoseconds(at: reading(100_000_000).ticks) == 100_050_000)
    let end = 100_000_000 + line.limit / perNanosecond
    let shown = line.nanoseconds(at: reading(end).ticks)
    #expect(max(shown, end) - min(shown, end) < 1_000)
  }

  @Test(arguments: [0, UInt64.max / 2] as [UInt64])
  func afterASleepItTakesTheSystemsTime(offset: UInt64) throws {
    var calibration = TickCalibration(reading(0))
    _ = calibration.set(reading(10_000_000), shown: nil)
    // The counter continues while the machine sleeps, or starts again.
    let hour: UInt64 = 3_600_000_000_000
    expectNone(calibration.set(reading(50_000_000, slept: hour, offset: offset), shown: nil))
    #expect(calibration.isUsable)
    let set = calibration.set(reading(70_000_000, slept: hour, offset: offset), shown: nil)
    let line = try #require(set)
    let shown = line.nanoseconds(at: reading(80_000_000, slept: hour, offset: offset).ticks)
    #expect((79_999_999...80_000_000).contains(shown))
  }

  @Test func aCounterThatStopsOrKeepsMovingIsGivenUp() {
    for ticks in [{ (_: UInt64) in 7 }, { $0 * $0 / 1_000_000 }] as [(UInt64) -> UInt64] {
      var calibration = TickCalibration(TickReading(ticks: ticks(0), nanoseconds: 0))
      for step in 1...20 as ClosedRange<UInt64> {
        let time = step * 100_000_000
        _ = calibration.set(TickReading(ticks: ticks(time), nanoseconds: time), shown: nil)
      }
      #expect(!calibration.isUsable)
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>) func noReadingsMakeItTrap(seed: UInt64) {
    var random = RandomEvents(seed: seed).random
    func number() -> UInt64 { random.next() >> (random.next() % 64) }
    var calibration = TickCalibration(TickReading(ticks: number(), nanoseconds: number()))
    for _ in 0..<50 {
      let line = calibration.set(
        TickReading(ticks: number(), nanoseconds: number()), shown: random.next() % 2 == 0 ? number() : nil)
      _ = line?.nanoseconds(at: number())
    }
  }
}

private final class Latest: Sendable {
  let time = Atomic<UInt64>(0)
}
