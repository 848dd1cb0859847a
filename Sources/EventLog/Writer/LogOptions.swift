/// How a log is written. The defaults suit an app that records itself.
public struct LogOptions: Sendable {
  /// A block is closed at this many events; at most 65,536. Each block names anew the paths, ids and projections that
  /// its events are about, so small blocks cost space.
  public var blockEvents = 16_384
  /// A block is closed at this many bytes of staged events, before compression; at most 4 MiB.
  public var blockBytes = 1 << 20
  /// An event reaches the file at most about this long after it was appended.
  public var flushInterval: Duration = .milliseconds(100)
  /// The zstd level, 1 to 19.
  public var level = 3
  /// How exactly times and durations are kept.
  public var timeUnit = TimeUnit.microseconds

  /// Whether the log holds checkpoints of the whole state, so that a state in the middle is found without the events
  /// before. Costs a copy of the recorded state in memory and at most an eighth of the file.
  public var checkpoints = true
  /// How many events or bytes after the last checkpoint the next one comes, for tests.
  package var checkpointEvents = 1 << 16
  package var checkpointBytes = 1 << 20
  /// About how many bytes of distinct paths and names the writer remembers before its tables start over, unless more
  /// than half of that is in use.
  package var tableBytes = 4 << 20
  /// Notes of the app about the run; stored in the header.
  public var metadata: [String: String] = [:]
  /// The program that is recorded; stored in the header.
  public var program = CommandLine.arguments.first ?? ""
  /// Whether an existing file is replaced, with its further segments, rather than refused.
  public var replacesExisting = false

  /// A log of more than this many bytes goes on in further files, `run.0002.evlog` and so on beside `run.evlog`; nil
  /// keeps it in one. Opening the first file opens all.
  public var segmentBytes: Int?
  /// How many of these files are kept; the oldest are removed. Nil keeps all.
  public var keepSegments: Int?
  /// How many bytes of these files are kept, about; the oldest are removed. Nil keeps all.
  public var keepBytes: Int?
  /// For the flight recorder: the same, by the times of events.
  package var segmentNanoseconds: UInt64?
  package var keepNanoseconds: UInt64?
  /// How long to wait between attempts to write while the disk is full.
  package var retryInterval: Duration = .milliseconds(100)
  /// Whether appending to a log with a torn end recovers it first, as ``LogRecovery`` does.
  public var recoversTornLog = false

  /// The defaults.
  public init() {}

  /// The defaults, for a log that replaces an existing one.
  public static var replacingExisting: LogOptions {
    var options = LogOptions()
    options.replacesExisting = true
    return options
  }
}

extension LogOptions {
  /// How exactly a log keeps times and durations. The finest digits of a clock are noise, which does not compress.
  ///
  /// The order of events is that of their seqs, so events of one microsecond stay in order.
  public enum TimeUnit: Hashable, Sendable {
    /// As they are. Each event with a time of its own takes some 1.4 bytes more than in microseconds.
    case nanoseconds

    /// Times are rounded down to a microsecond, which keeps their order. Durations are rounded to three significant
    /// digits: 12,345 ns is kept as 12,300 ns.
    case microseconds

    /// A time as it is kept.
    @inline(__always)
    func time(_ time: UInt64) -> UInt64 { self == .nanoseconds ? time : time - time % Self.microsecond }

    /// Times that are less than this after one that is kept are kept as that.
    @inline(__always)
    var rounding: UInt64 { self == .nanoseconds ? 1 : Self.microsecond }

    /// A duration as it is kept.
    @inline(__always)
    func duration(_ duration: UInt64) -> UInt64 {
      if self == .nanoseconds || duration < 1_000 { return duration }
      // Divisions by constants, for all but the longest.
      if duration < 10_000 { return (duration + 5) / 10 * 10 }
      if duration < 100_000 { return (duration + 50) / 100 * 100 }
      return Self.long(duration)
    }

    @inline(never)
    private static func long(_ duration: UInt64) -> UInt64 {
      var unit: UInt64 = 10
      while duration / unit >= 1_000 { unit *= 10 }
      let (digits, rest) = duration.quotientAndRemainder(dividingBy: unit)
      // The greatest duration begins with 1844, and so is rounded down and does not overflow.
      return (rest >= unit / 2 ? digits + 1 : digits) * unit
    }

    /// The first time at or after another that is kept as it is, for a clock that continues where a log ends.
    package func time(notBefore time: UInt64) -> UInt64 {
      let kept = self.time(time)
      if kept == time { return time }
      let (next, overflow) = kept.addingReportingOverflow(Self.microsecond)
      return overflow ? time : next
    }

    private static let microsecond: UInt64 = 1_000
  }
}

/// How far an event has come on its way to the disk. Each level survives what the levels before it survive.
///
/// | level | reached when | survives | lost when |
/// |---|---|---|---|
/// | `queued` | `append` returned | the end of the thread | the process dies |
/// | `written` | ``LogOptions/flushInterval`` went by, or `ensure(.written)` returned | the end of the process, however it ends | the power goes, or the kernel stops |
/// | `synced` | `ensure(.synced)` or `close()` returned | a loss of power | the device breaks its word |
///
/// Levels are reached in the order of the events: if an event has reached one, so have all events before it.
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
