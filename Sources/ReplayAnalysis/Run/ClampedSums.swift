/// Sums of what logs and arguments say. Times, durations, seqs and counts may be any numbers there: a sum that is too
/// large is the largest there is.
extension FixedWidthInteger {
  /// The sum, or the number next to it that there is.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Adds a number, as ``addingClamped(_:)``.
  @inline(__always)
  mutating func addClamped(_ other: Self) { self = addingClamped(other) }
}
