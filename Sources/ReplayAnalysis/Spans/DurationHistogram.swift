/// A histogram of durations. The width of a bucket is at most 1.6 % of the durations in it.
///
/// The counts of many sessions can be added, unlike their quantiles. A bucket's number consists of the
/// position of a duration's highest bit and the six bits below that; each duration under 64 ns has a bucket
/// of its own. All arithmetic is on integers, so every machine gets the same result.
package struct DurationHistogram: Sendable {
  package private(set) var counts: [UInt16: Int] = [:]
  package private(set) var count = 0
  package private(set) var longest: UInt64 = 0

  private static let bits = 6

  package init() {}

  package mutating func add(_ duration: UInt64) {
    counts[Self.bucket(of: duration), default: 0] += 1
    count += 1
    longest = max(longest, duration)
  }

  package static func bucket(of duration: UInt64) -> UInt16 {
    let top = 63 - max(1, duration).leadingZeroBitCount
    if top < bits { return UInt16(duration) }
    let shift = top - bits
    return UInt16((shift + 1) << bits | Int(duration >> UInt64(shift)) & (1 << bits - 1))
  }

  /// The shortest and the longest duration in a bucket.
  package static func durations(of bucket: UInt16) -> ClosedRange<UInt64> {
    let row = Int(bucket) >> bits
    if row == 0 { return UInt64(bucket)...UInt64(bucket) }
    let shift = UInt64(row - 1)
    let first = (UInt64(bucket) & (1 << UInt64(bits) - 1) | 1 << UInt64(bits)) << shift
    return first...(first + (1 << shift - 1))
  }

  /// The duration that this share of all durations does not exceed, to within 0.8 %; 0 if there are none.
  ///
  /// - Parameter percent: From 1 to 100.
  package func quantile(percent: Int) -> UInt64 {
    let rank = (count * percent + 99) / 100
    var passed = 0
    for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
      passed += count
      guard passed >= rank else { continue }
      let durations = Self.durations(of: bucket)
      return min(longest, durations.lowerBound + (durations.upperBound - durations.lowerBound) / 2)
    }
    return 0
  }
}
