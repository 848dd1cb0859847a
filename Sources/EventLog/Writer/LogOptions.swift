/// How a log is written. The defaults suit an app that records itself.
public struct LogOptions: Sendable {
  /// A block is closed at this many events; at most 65,536.
  public var blockEvents = 4096
  /// A block is closed at this many bytes of staged events, before compression.
  public var blockBytes = 256 << 10
  /// An event reaches the file at most about this long after it was appended.
  public var flushInterval: Duration = .milliseconds(100)
  /// The zstd level, 1 to 19.
  public var level = 3
  /// How exactly times and durations are kept.
  public var timeUnit = TimeUnit.microseconds

  /// Whether the log holds the whole state now and then, so that a state in the middle is found without what came
  /// before. Costs a copy of the recorded state in memory and at most an eighth more file.
  public var checkpoints = true
  /// A checkpoint comes when so many events or bytes were written since the last, for tests.
  package var checkpointEvents = 1 << 16
  package var checkpointBytes = 1 << 20
  /// What the app wants to say about the run; kept in the header.
  public var metadata: [String: String] = [:]
  /// The program that is recorded; kept in the header.
  public var program = CommandLine.arguments.first ?? ""
  /// Whether a file that is there already is replaced rather than refused, with its further segments.
  public var replacesExisting = false

  /// A log of more than this many bytes goes on in further files, `run.0002.evlog` and so on beside `run.evlog`; nil
  /// keeps it in one. Whoever opens the first file opens all.
  public var segmentBytes: Int?
  /// How many of these files are kept; the oldest are removed. Nil keeps all.
  public var keepSegments: Int?
  /// How many bytes of these files are kept, about; the oldest are removed. Nil keeps all.
  public var keepBytes: Int?
  /// For the flight recorder: the same, by the times of events.
  package var segmentNanoseconds: UInt64?
  package var keepNanoseconds: UInt64?
  /// How often writing is tried while the disk is full.
  package var retryInterval: Duration = .milliseconds(100)
  /// Whether appending to a log with a torn end recovers it first, as ``LogRecovery`` does.
  public var recoversTornLog = false

  /// The defaults.
  public init() {}

  /// The defaults, for a log that takes the place of one that is there already.
  public static var replacingExisting: LogOptions {
    var options = LogOptions()
    options.replacesExisting = true
    return options
  }
}
