/// Options for writing a log. The defaults suit an app that records itself.
public struct LogOptions: Sendable {
  /// The number of events at which a block is closed; at most 65,536. Each block lists the paths, ids and
  /// projections of its events again, so small blocks cost space.
  public var blockEvents = 16_384
  /// The bytes of staged events, before compression, at which a block is closed; at most 4 MiB.
  public var blockBytes = 1 << 20
  /// The longest time, about, from the append of an event until it is in the file.
  public var flushInterval: Duration = .milliseconds(100)
  /// The zstd level, 1 to 19.
  public var level = 3
  /// The precision of times and durations.
  public var timeUnit = TimeUnit.microseconds

  /// Whether the log contains checkpoints of the whole state, from which a reader finds a state in the middle
  /// without applying all earlier events. They cost a copy of the recorded state in memory and at most an
  /// eighth of the file.
  public var checkpoints = true
  /// The number of events, or of bytes, after which the next checkpoint follows; for tests.
  package var checkpointEvents = 1 << 16
  package var checkpointBytes = 1 << 20
  /// About how many bytes of distinct paths and names the writer remembers before its tables start over. If
  /// more than half of that is still in use, the limit grows.
  package var tableBytes = 4 << 20
  /// The app's notes about the run; stored in the header. A reader refuses a header of over 2 MiB, unless its
  /// ``ReadLimits`` are raised.
  public var metadata: [String: String] = [:]
  /// The name of the recorded program; stored in the header.
  public var program = CommandLine.arguments.first ?? ""
  /// Whether to replace an existing file and its further segments, rather than to throw.
  public var replacesExisting = false

  /// The size in bytes at which a log continues in a further file, `run.0002.evlog` and so on beside
  /// `run.evlog`; nil keeps it in one file. Opening the first file opens all.
  public var segmentBytes: Int?
  /// The number of these files that are kept; older ones are removed. Nil keeps all.
  public var keepSegments: Int?
  /// About how many bytes of these files are kept; older files are removed. Nil keeps all.
  public var keepBytes: Int?
  /// For the flight recorder, in nanoseconds by the times of events: the time after which a further file
  /// begins, and for how long files are kept.
  package var segmentNanoseconds: UInt64?
  package var keepNanoseconds: UInt64?
  /// The time between two attempts to write while the disk is full.
  package var retryInterval: Duration = .milliseconds(100)
  /// Whether to recover a log with a torn end before appending to it, as ``LogRecovery`` does.
  public var recoversTornLog = false

  /// Creates the default options.
  public init() {}

  /// The default options, but for a log that replaces an existing one.
  public static var replacingExisting: LogOptions {
    var options = LogOptions()
    options.replacesExisting = true
    return options
  }
}

extension LogOptions {
  /// The precision of the times and durations in a log. The finest digits of a clock are noise, which does
  /// not compress.
  ///
  /// Events are ordered by their seqs, so events within one microsecond stay in order.
  public enum TimeUnit: Hashable, Sendable {
    /// Keeps times and durations exactly. Each event with a time of its own takes some 1.4 bytes more than in
    /// microseconds.
    case nanoseconds

    /// Rounds times down to a microsecond, which preserves their order, and durations to three significant
    /// digits: 12,345 ns becomes 12,300 ns.
    case microseconds

    /// The time that is stored for a time.
    @inline(__always)
    func time(_ time: UInt64) -> UInt64 { self == .nanoseconds ? time : time - time % Self.microsecond }

    /// The width of the interval of times that are stored as the same time.
    @inline(__always)
    var rounding: UInt64 { self == .nanoseconds ? 1 : Self.microsecond }

    /// The duration that is stored for a duration.
    @inline(__always)
    func duration(_ duration: UInt64) -> UInt64 {
      if self == .nanoseconds || duration < 1_000 { return duration }
      // For all but very long durations this divides by constants, which is fast.
      if duration < 10_000 { return (duration + 5) / 10 * 10 }
      if duration < 100_000 { return (duration + 50) / 100 * 100 }
      return Self.long(duration)
    }

    @inline(never)
    private static func long(_ duration: UInt64) -> UInt64 {
      var unit: UInt64 = 10
      while duration / unit >= 1_000 { unit *= 10 }
      let (digits, rest) = duration.quotientAndRemainder(dividingBy: unit)
      // The largest duration begins with the digits 1844, so it is rounded down, and nothing overflows.
      return (rest >= unit / 2 ? digits + 1 : digits) * unit
    }

    /// The first time at or after another that is stored unchanged, for a clock that continues where a log
    /// ends.
    package func time(notBefore time: UInt64) -> UInt64 {
      let kept = self.time(time)
      if kept == time { return time }
      let (next, overflow) = kept.addingReportingOverflow(Self.microsecond)
      return overflow ? time : next
    }

    private static let microsecond: UInt64 = 1_000
  }
}

/// How safely an event is stored. Each level survives what the levels before it survive.
///
/// | level | reached when | survives | lost when |
/// |---|---|---|---|
/// | `queued` | `append` returned | the end of the thread | the process dies |
/// | `written` | ``LogOptions/flushInterval`` went by, or `ensure(.written)` returned | the end of the process, however it ends | the power goes, or the kernel stops |
/// | `synced` | `ensure(.synced)` or `close()` returned | a loss of power | the device reports a false sync |
///
/// Events reach a level in order: if an event has reached it, so have all events before it.
public enum Durability: Int, Hashable, Comparable, Sendable, CaseIterable {
  /// In the memory of the process.
  case queued
  /// With the operating system.
  case written
  /// On stable storage.
  case synced

  /// Whether a level survives less than another.
  public static func < (a: Durability, b: Durability) -> Bool { a.rawValue < b.rawValue }
}
