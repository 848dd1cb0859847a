import Histogram

/// How long single calls took, in ticks of a counter, and in nanoseconds once the counter is known.
package struct Latency {
  private var ticks = Histogram<UInt64>(
    highestTrackableValue: 1 << 40, numberOfSignificantValueDigits: .three)

  package init() {}

  @inline(__always)
  package mutating func record(_ value: UInt64) { ticks.record(value) }

  /// The percentile in nanoseconds, less what the counter itself cost.
  package func nanoseconds(at percentile: Double, tick: Double, less cost: Double = 0) -> Double {
    max(0, Double(ticks.valueAtPercentile(percentile)) * tick - cost)
  }
}
