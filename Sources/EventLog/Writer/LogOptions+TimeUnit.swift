extension LogOptions {
  /// How exactly a log keeps times and durations: the finest digits of a clock are noise, and noise does not pack.
  ///
  /// The order of events is that of their seqs, so events of one microsecond stay in order.
  public enum TimeUnit: Hashable, Sendable {
    /// As they are. Each event of its own time takes some 1.4 bytes more than in microseconds.
    case nanoseconds

    /// Times are rounded down to a microsecond, so one that is not before another is not before it in the log
    /// either. Durations are rounded to three significant digits: 12,345 ns is kept as 12,300 ns.
    case microseconds

    /// A time as it is kept.
    @inline(__always)
    func time(_ time: UInt64) -> UInt64 { self == .nanoseconds ? time : time - time % Self.microsecond }

    /// A duration as it is kept.
    func duration(_ duration: UInt64) -> UInt64 {
      if self == .nanoseconds || duration < 1_000 { return duration }
      var unit: UInt64 = 10
      while duration / unit >= 1_000 { unit *= 10 }
      let (digits, rest) = duration.quotientAndRemainder(dividingBy: unit)
      // The greatest duration begins with 1844 and so is rounded down: nothing overflows.
      return (rest >= unit / 2 ? digits + 1 : digits) * unit
    }

    /// The first time that is kept as it is and not before another: for a clock that goes on where a log ends.
    package func time(notBefore time: UInt64) -> UInt64 {
      let kept = self.time(time)
      if kept == time { return time }
      let (next, overflow) = kept.addingReportingOverflow(Self.microsecond)
      return overflow ? time : next
    }

    private static let microsecond: UInt64 = 1_000
  }
}
