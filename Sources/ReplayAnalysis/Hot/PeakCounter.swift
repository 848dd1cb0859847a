/// Counts what happens in each second of a run, and keeps the most.
struct PeakCounter {
  private var second: UInt64 = 0
  private var count = 0
  private var most = 0

  /// Notes one more at a time in nanoseconds. Times that go back count as the present.
  @inline(__always)
  mutating func note(_ time: UInt64) {
    if time >= second {
      let began = time - time % 1_000_000_000
      most = max(most, count)
      count = 0
      second = began > .max - 1_000_000_000 ? .max : began + 1_000_000_000
    }
    count += 1
  }

  /// The most in one second.
  var peak: Int { max(most, count) }

  /// How many that is a second, to three decimals; nil where less than a tenth of one passed, which tells nothing.
  static func rate(_ count: Int, over nanoseconds: UInt64) -> Double? {
    nanoseconds < 100_000_000 ? nil : rounded(Double(count) * 1e9 / Double(nanoseconds))
  }

  /// To three decimals.
  static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }
}
