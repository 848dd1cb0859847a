import SystemPackage

/// Writes a log: events go in from any thread, blocks come out in the file.
///
/// ```swift
/// let writer = try LogWriter(creating: "run.evlog")
/// try writer.append(Event(seq: 1, time: 0, body: .mark(label: "start")))
/// try writer.close()
/// ```
///
/// An event passes through three states, each of which survives more:
/// - *queued*: `append` returned. It is in memory, and is lost if the process dies.
/// - *written*: ``flush()`` returned, or ``LogOptions/flushInterval`` went by. The operating system has it: it
///   survives a killed process, but not a loss of power.
/// - *synced*: ``sync()`` or ``close()`` returned. It survives a loss of power.
///
/// When events come faster than the disk takes them, `append` waits: nothing is dropped, and memory stays
/// bounded by about 32 MiB, or a few of the largest events. After the first failure of the file every call throws
/// that failure, and nothing is tried again. A writer that is released without ``close()`` closes itself later on
/// its own thread, and errors go unseen.
public final class LogWriter: Sendable {
  let core: WriterCore

  /// The file.
  public var path: String { core.path }
  /// The seq of the last event that was appended; 0 before the first.
  public var lastSeq: UInt64 { core.stage.withLock { $0.nextSeq - 1 } }
  /// The seq up to which events are written: they survive a killed process.
  public var writtenSeq: UInt64 { core.monitor.withLock { $0.writtenSeq } }
  /// The seq up to which events are synced: they survive a loss of power.
  public var syncedSeq: UInt64 { core.monitor.withLock { $0.syncedSeq } }

  /// Creates the file, readable by its owner only, and writes its header.
  ///
  /// Throws `exists` if there is a file already and ``LogOptions/replacesExisting`` is not set, and `io` if it
  /// cannot be written.
  public convenience init(creating path: String, options: LogOptions = LogOptions()) throws(LogError) {
    let file: SystemLogFile
    do { file = try SystemLogFile.create(path, replacing: options.replacesExisting) } catch {
      if error == .fileExists {
        throw LogError(
          .exists, path: path, errno: error.rawValue,
          message: "the file exists; choose another name, or allow it to be replaced")
      }
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot create the log: \(error)")
    }
    try self.init(file: file, path: path, options: options)
  }

  /// Writes to a file that somebody else opened; for tests of what files do wrong.
  package init(file: any LogFile, path: String, options: LogOptions = LogOptions()) throws(LogError) {
    core = WriterCore(path: path, options: options)
    let header = LogHeader(
      program: options.program, salt: UInt64.random(in: 1 ... .max), created: wallClockNow(),
      metadata: options.metadata)
    var sealer = try Sealer(file: file, path: path, salt: header.salt, level: options.level)
    try sealer.writeHeader(header)
    try sealer.syncDirectory()
    let core = core
    let ready = sealer
    nonisolated(unsafe) let owned = ready  // The thread is its only owner from here on.
    guard startThread({ core.run(owned) }) else {
      throw LogError(
        .io, path: path, message: "no thread can be started to write the log; close some and try again")
    }
  }

  deinit {
    core.stage.withLock { stage in try? core.push(&stage) }
    core.monitor.withLock { $0.isClosing = true }
  }

  /// Returns when every event that was appended before is written.
  ///
  /// Cost: one block, which packs less well than a full one. Throws `io` if the file failed, `closed` never.
  public func flush() throws(LogError) {
    let seq = try push()
    try core.waitUntil { $0.writtenSeq >= seq }
  }

  /// Returns when every event that was appended before is synced. Cost: a flush and a write to the device, which
  /// calls from several threads share. Throws `io` if the file failed.
  public func sync() throws(LogError) {
    let seq = try push()
    let number = core.monitor.withLock { $0.isFinished ? 0 : $0.askSync(upTo: seq) }
    try core.waitUntil { $0.syncsDone >= number || $0.isFinished }
  }

  /// Flushes, marks the log as whole, syncs it, and releases the file. Later calls do nothing; later appends throw
  /// `closed`. Throws `io` if the file failed, now or before.
  public func close() throws(LogError) {
    core.isStopped.store(true, ordering: .relaxed)
    defer { core.monitor.withLock { $0.isClosing = true } }
    do { _ = try push() } catch {}
    core.monitor.withLock { $0.isClosing = true }
    let _: Bool = core.monitor.wait { $0.isFinished ? true : nil }
    if let failure = core.monitor.withLock({ $0.failure }) { throw failure }
  }

  /// Hands over the open chunk and returns the last seq.
  private func push() throws(LogError) -> UInt64 {
    try core.stage.withLock { stage throws(LogError) in
      try core.push(&stage)
      return stage.nextSeq - 1
    }
  }
}
