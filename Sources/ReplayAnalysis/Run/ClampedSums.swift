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
  mutating func addClamped(_ other: Self) { self = addingClamped(other) }
}
