/// Sums of numbers from logs and arguments. Times, durations, seqs and counts in a log may be any numbers, so
/// sums are clamped to the range of the type.
extension FixedWidthInteger {
  /// The sum, clamped to the range of the type.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Adds a number, with ``addingClamped(_:)``.
  @inline(__always)
  package mutating func addClamped(_ other: Self) { self = addingClamped(other) }
}

extension UInt64 {
  /// The time that has passed since another time; nil if that is later, since the times of a log may go back.
  func since(_ other: UInt64) -> UInt64? { self >= other ? self - other : nil }
}
