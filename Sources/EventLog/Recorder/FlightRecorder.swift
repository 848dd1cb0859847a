import SystemPackage

/// Keeps the end of a recording in memory, to be dumped when something goes wrong.
///
/// ```swift
/// let recorder = try FlightRecorder(keeping: .seconds(60))
/// try recorder.writer.append(.mark(label: "start"), time: now)
/// try recorder.dumpOnCrash(to: "crash.evlog")
/// try recorder.dump(to: "lately.evlog")
/// ```
///
/// Memory holds compressed segments, of which the oldest is dropped when a new one begins; each begins with the state.
/// So a dump is a log of its own: it begins in the middle of the recording, with the state there, and keeps its seqs.
public final class FlightRecorder: Sendable {
  /// The writer to append events to. What it reports as `synced` is still only in memory.
  public let writer: LogWriter
  private let ring: SegmentRing
  private static let path = "/flight.evlog"
  private static let segments = 8

  /// Begins a recording of which at least the last `duration`, by the times of the events, is kept, or as much of it
  /// as fits the bytes.
  ///
  /// Memory is the bytes and an eighth more, plus the recorded state. ``LogOptions/flushInterval`` limits how much of
  /// the end a crash may lose; it is 20 ms at most here.
  public init(
    keeping duration: Duration = .seconds(60), bytes: Int = 16 << 20, options: LogOptions = LogOptions()
  ) throws(LogError) {
    var options = options
    options.segmentBytes = max(bytes / Self.segments, 1 << 12)
    options.keepBytes = bytes
    options.keepSegments = SegmentRing.slotsMax - 2
    options.segmentNanoseconds = max(duration.nanoseconds / UInt64(Self.segments), 1)
    options.keepNanoseconds = duration.nanoseconds
    options.flushInterval = min(options.flushInterval, .milliseconds(20))
    ring = SegmentRing(Self.path)
    writer = try LogWriter(creating: Self.path, in: ring, options: options)
  }

  deinit { CrashHandler.forget(ring) }

  /// Writes what is kept to a new log, which is closed. Recording goes on.
  ///
  /// Throws `exists` if the file is there already, and `io`.
  public func dump(to path: String) throws(LogError) {
    try writer.ensure(.written)
    let place = try OutputPlace(path)
    do throws(Errno) {
      let file = try SystemFileSystem().create(place.temporary, replacing: false)
      var offset: UInt64 = 0
      for segment in ring.contents {
        try file.writeAll(segment, at: offset)
        offset += UInt64(segment.count)
      }
      try file.sync()
      try file.close()
    } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot write the dump: \(error)")
    }
    // The last segment is not closed in the copy, because it goes on in memory.
    _ = try LogRecovery.recover(place.temporary, checksContents: false, in: SystemFileSystem())
    try place.commit(isSynced: true)
  }

  /// Dumps what is kept when the process crashes: on SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE and SIGTRAP, which then go
  /// on to the handlers that were there before.
  ///
  /// The file is created now, and is empty until then. A crash may cut off the end of the dump, which is then torn
  /// like any log that was not closed. Only one recorder of a process does so, the last on which this was called.
  /// Throws `exists` and `io`.
  public func dumpOnCrash(to path: String) throws(LogError) {
    let file: SystemLogFile
    do throws(Errno) { file = try SystemFileSystem().createFile(path) } catch {
      throw LogError(creating: path, error)
    }
    CrashHandler.install(ring, file, flushNanoseconds: writer.core.options.flushInterval.nanoseconds)
  }
}
