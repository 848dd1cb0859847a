/// Writes a log again in large blocks, packed as small as they get: for logs that are kept.
///
/// ```swift
/// let result = try LogCompaction.run("run.evlog", to: "small.evlog")
/// print(result.bytesBefore, result.bytesAfter)
/// ```
public struct LogCompaction: Sendable {
  /// Events that were written.
  public var events: UInt64
  /// Bytes of the log as it was.
  public var bytesBefore: UInt64
  /// Bytes of the log that was written.
  public var bytesAfter: UInt64
  /// What could not be read, and so was not written.
  public var loss: LogLoss?

  /// Writes a log to a new file. The events are the same, to the bit; the file they come from is left as it is.
  ///
  /// Throws `exists` if there is an output already that is not to be replaced, `locked` if that is being written, and
  /// the errors of reading and writing; nothing is left of an output that was not finished. Memory: two blocks and the
  /// recorded state. Cost: some microseconds an event.
  ///
  /// - Parameters:
  ///   - path: The log.
  ///   - output: The new file.
  ///   - replacing: Whether a file that is there is replaced.
  ///   - progress: Called now and then with how many events are done, and how many there are.
  public static func run(
    _ path: String, to output: String, replacing: Bool = false,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCompaction {
    // Every block is read, so that an index would be of no use.
    let reader = try LogReader(path: path, scanned: true)
    let file = try RewriteFile(output, replacing: replacing, madeOf: [path])
    return try run(reader, output, file, keepingOldAs: nil, progress)
  }

  /// Gives the small log the name of the large one, which gets another: no file is lost, whatever happens.
  ///
  /// Throws as ``run(_:to:replacing:progress:)``, and `locked` if the log is being written.
  public static func replace(
    _ path: String, keepingOldAs old: String,
    progress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(LogError) -> LogCompaction {
    try replace(path, keepingOldAs: old, in: SystemFileSystem(), progress: progress)
  }

  package static func replace(
    _ path: String, keepingOldAs old: String, in fileSystem: any LogFileSystem,
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
    return try run(LogReader(file: set, path: path, scanned: true), path, file, keepingOldAs: old, progress)
  }

  private static func run(
    _ reader: LogReader, _ output: String, _ file: RewriteFile, keepingOldAs old: String?,
    _ progress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws(LogError) -> LogCompaction {
    let start = try reader.rewriteStart(at: reader.firstSeq)
    // Blocks of the old file that lie about on the disk are none of the new one. Parts of one log stay parts of one.
    let header = reader.header.resalted(by: ["compact"])
    var writer = try LogRewriter(
      file, path: output, header: header, options: .compact, from: start)
    let failure = try reader.copy(into: &writer, progress: progress)
    let size = try writer.finish(keepingOldAs: old)
    return LogCompaction(
      events: writer.events, bytesBefore: reader.byteCount, bytesAfter: size,
      loss: LogLoss(reader, lastRead: writer.nextSeq - 1, error: failure))
  }
}

extension LogOptions {
  /// Large blocks, packed as small as they get.
  static var compact: LogOptions {
    var options = LogOptions()
    options.blockEvents = LogFormat.eventsMax
    options.blockBytes = 4 << 20
    options.level = 22
    return options
  }
}
