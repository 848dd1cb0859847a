import SystemPackage

/// Keeps the last part of a recording in memory, to be dumped when something goes wrong.
///
/// ```swift
/// let recorder = try FlightRecorder(keeping: .seconds(60))
/// try recorder.writer.append(.mark(label: "start"), time: now)
/// try recorder.dumpOnCrash(to: "crash.evlog")
/// try recorder.dump(to: "lately.evlog")
/// ```
///
/// Memory holds compressed segments, each of which begins with the state; when a new one begins, the oldest
/// is dropped. So a dump is a complete log: it begins in the middle of the recording, with the state there,
/// and keeps its seqs.
public final class FlightRecorder: Sendable {
  /// The writer to append events to. What it reports as `synced` is still only in memory.
  public let writer: LogWriter
  private let ring: SegmentRing
  private static let path = "/flight.evlog"
  private static let segments = 8

  /// Starts a recording that keeps at least the last `duration`, by the times of the events, or as much of it
  /// as fits `bytes`.
  ///
  /// Memory: `bytes` and an eighth more, plus the recorded state. ``LogOptions/flushInterval`` limits how
  /// much of the end a crash may lose; it is at most 20 ms here.
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

  /// Writes the kept events to a new, closed log. Recording continues.
  ///
  /// Throws `exists` if the file exists, and `io`.
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
    // The last segment is not closed in the copy, because the ring still writes to it.
    _ = try LogRecovery.recover(place.temporary, checksContents: false, in: SystemFileSystem())
    try place.commit(isSynced: true)
  }

  /// Dumps the kept events when the process crashes: on SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE and SIGTRAP.
  /// The signals are then passed on to the earlier handlers.
  ///
  /// The file is created now, and is empty until a crash. A crash may cut off the end of the dump, which is
  /// then torn like that of any log that was not closed. Only one recorder of a process does this: the last
  /// on which this was called. Throws `exists` and `io`.
  public func dumpOnCrash(to path: String) throws(LogError) {
    let file: SystemLogFile
    do throws(Errno) { file = try SystemFileSystem().createFile(path) } catch {
      throw LogError(creating: path, error)
    }
    CrashHandler.install(ring, file, flushNanoseconds: writer.core.options.flushInterval.nanoseconds)
  }
}
