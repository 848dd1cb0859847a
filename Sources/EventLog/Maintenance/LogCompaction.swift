/// Writes a log again in large blocks with the highest compression, for logs that are kept for long.
///
/// ```swift
/// let result = try LogCompaction.run("run.evlog", to: "small.evlog")
/// print(result.bytesBefore, result.bytesAfter)
/// ```
public struct LogCompaction: Sendable {
  /// The number of events written.
  public var events: UInt64
  /// The size of the original log in bytes.
  public var bytesBefore: UInt64
  /// The size of the new log in bytes.
  public var bytesAfter: UInt64
  /// The part of the log that could not be read and is therefore missing.
  public var loss: LogLoss?

  /// Writes a log to a new file. The events are the same, to the bit; the original file is left as it is.
  ///
  /// Throws `exists` if the output exists and may not be replaced, `locked` if it is being written, and the
  /// errors of reading and writing; an unfinished output is removed. Memory: two blocks and the recorded
  /// state. Cost: some microseconds an event.
  ///
  /// - Parameters:
  ///   - path: The log.
  ///   - output: The new file.
  ///   - replacing: Whether to replace an existing output.
  ///   - limits: As for ``LogReader/init(path:scanned:limits:)``.
  ///   - progress: Called from time to time with the number of events written, and the number of all events.
  public static func run(
    _ path: String, to output: String, replacing: Bool = false, limits: ReadLimits? = .standard,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCompaction {
    // All blocks are read in order, so an index would not help.
    let reader = try LogReader(path: path, scanned: true, limits: limits)
    let file = try RewriteFile(output, replacing: replacing, madeOf: [path])
    return try run(reader, output, file, keepingOldAs: nil, progress)
  }

  /// Replaces a log by its compacted form, and renames the original to `old`. Both files are whole at every
  /// moment, so that a crash loses neither.
  ///
  /// Throws as ``run(_:to:replacing:limits:progress:)``, and `locked` if the log is being written.
  public static func replace(
    _ path: String, keepingOldAs old: String, limits: ReadLimits? = .standard,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCompaction {
    try replace(path, keepingOldAs: old, limits: limits, in: SystemFileSystem(), progress: progress)
  }

  package static func replace(
    _ path: String, keepingOldAs old: String, limits: ReadLimits? = .standard,
    in fileSystem: any LogFileSystem,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCompaction {
    guard (try? fileSystem.identity(of: old)) == nil else {
      throw LogError(
        .exists, path: old,
        message: "the log is to be kept under this name, which is taken; move that file away")
    }
    let lock: any LogFile
    do { lock = try fileSystem.openToWrite(path) } catch { throw LogError(creating: path, error) }
    defer { try? lock.close() }
    let names = (try? fileSystem.names(in: LogPath(path).directory)) ?? []
    if names.contains(where: { LogPath(path).segmentNumber(ofName: $0) ?? 1 > 1 }) {
      throw LogError(.exists, path: path, message: "the log has several files; write it to a new one instead")
    }
    let file = try RewriteFile(inPlaceOf: path, in: fileSystem)
    let set: SegmentSet
    do { set = try SegmentSet(path, in: fileSystem) } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot open the log: \(error)")
    }
    let reader = try LogReader(file: set, path: path, scanned: true, limits: limits)
    return try run(reader, path, file, keepingOldAs: old, progress)
  }

  private static func run(
    _ reader: LogReader, _ output: String, _ file: RewriteFile, keepingOldAs old: String?,
    _ progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LogError) -> LogCompaction {
    let start = try reader.rewriteStart(at: reader.firstSeq)
    // The new salt keeps old blocks left on the disk from being taken for blocks of this file. All parts of
    // one log get the same new salt, so they still belong together.
    let header = reader.header.resalted(by: ["compact"])
    var writer = try LogRewriter(
      file, path: output, header: header, options: .compact, from: start, limits: reader.limits)
    let failure = try reader.copy(into: &writer, progress: progress)
    let size = try writer.finish(keepingOldAs: old)
    return LogCompaction(
      events: writer.events, bytesBefore: reader.byteCount, bytesAfter: size,
      loss: LogLoss(reader, lastRead: writer.nextSeq - 1, error: failure))
  }
}

extension LogOptions {
  /// Options for large blocks with the highest compression.
  static var compact: LogOptions {
    var options = LogOptions()
    options.blockEvents = LogFormat.eventsMax
    options.blockBytes = 4 << 20
    options.level = 22
    return options
  }
}
