import SystemPackage

/// Writes a log. Events can be appended from any thread; they are written to the file in blocks.
///
/// ```swift
/// let writer = try LogWriter(creating: "run.evlog")
/// try writer.append(Event(seq: 1, time: 0, body: .mark(label: "start")))
/// try writer.close()
/// ```
///
/// The ``Durability`` of an event is *queued* when `append` returned, *written* within ``LogOptions/flushInterval``,
/// *synced* on request. ``ensure(_:)`` waits for a level, ``seq(_:)`` returns the last event that has reached it.
///
/// When events come faster than the disk takes them, `append` waits: nothing is dropped, and memory stays bounded by
/// about 32 MiB, or a few of the largest events. While the disk is full, it takes events as long as memory allows,
/// then throws `io` for each that it does not record; writing is tried again and goes on when there is space. After
/// any other failure of the file every call throws that failure, and nothing is tried again. A writer that is released
/// without ``close()`` closes itself later on its own thread, and ignores errors. When the process exits, what is queued is
/// written; when it is killed or crashes, the events of the last ``LogOptions/flushInterval`` are lost.
public final class LogWriter: Sendable {
  let core: WriterCore

  /// The file.
  public var path: String { core.path }

  /// The seq up to which events have reached a level; 0 before the first. It never goes back.
  public func seq(_ level: Durability) -> UInt64 {
    switch level {
    case .queued: core.stage.withLock { $0.nextSeq - 1 }
    case .written: core.monitor.withLock { $0.writtenSeq }
    case .synced: core.monitor.withLock { $0.syncedSeq }
    }
  }

  /// Creates the file, readable by its owner only, and writes its header.
  ///
  /// Throws `exists` if there is a file already and ``LogOptions/replacesExisting`` is not set, `locked` if another
  /// writer has it open, and `io` if it cannot be written.
  public convenience init(creating path: String, options: LogOptions = LogOptions()) throws(LogError) {
    try self.init(creating: path, in: SystemFileSystem(), options: options)
  }

  /// Creates the file in a file system; for tests of failures of file systems.
  package convenience init(
    creating path: String, in fileSystem: any LogFileSystem, options: LogOptions = LogOptions()
  ) throws(LogError) {
    let log = LogPath(path)
    let rotation = SegmentRotation(options, in: fileSystem)
    let file: any LogFile
    do throws(Errno) {
      file = try fileSystem.create(path, replacing: options.replacesExisting)
      try Self.clear(log, in: fileSystem, options, rotates: rotation != nil)
    } catch { throw LogError(creating: path, error) }
    try self.init(file: file, path: path, rotation: rotation, options: options)
    do { try fileSystem.syncName(of: path) } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot sync the directory: \(error)")
    }
  }

  /// Removes further segments of a log that is replaced. Throws `fileExists` where the names that rotation needs are
  /// taken and nothing is to be replaced.
  private static func clear(
    _ log: LogPath, in fileSystem: any LogFileSystem, _ options: LogOptions, rotates: Bool
  ) throws(Errno) {
    guard rotates || options.replacesExisting else { return }
    for name in (try? fileSystem.names(in: log.directory)) ?? [] {
      guard let number = log.segmentNumber(ofName: name), number > 1 else { continue }
      if !options.replacesExisting { throw .fileExists }
      try fileSystem.remove(log.segment(number))
    }
  }

  /// Writes to a file that is open already; for tests of failures of files.
  package convenience init(
    file: any LogFile, path: String, options: LogOptions = LogOptions()
  ) throws(LogError) {
    try self.init(file: file, path: path, rotation: nil, options: options)
  }

  private convenience init(
    file: any LogFile, path: String, rotation: SegmentRotation?, options: LogOptions
  ) throws(LogError) {
    let header = LogHeader(
      program: options.program, salt: UInt64.random(in: 1 ... .max), created: wallClockNow(),
      metadata: options.metadata)
    var output = LogOutput(file, path: path)
    output.rotation = rotation
    var sealer = try Sealer(output: output, options: options)
    try sealer.writeHeader(header)
    try self.init(sealer, path: path, options: options)
  }

  /// Continues with a sealer that has begun a segment.
  init(_ sealer: Sealer, path: String, options: LogOptions) throws(LogError) {
    core = WriterCore(path: path, options: options, nextSeq: sealer.nextSeq)
    let core = core
    let ready = sealer
    nonisolated(unsafe) let owned = ready  // The thread is its only owner from here on.
    guard startThread({ core.run(owned) }) else {
      throw LogError(
        .io, path: path, message: "no thread can be started to write the log; close some and try again")
    }
    ExitFlush.add(core)
  }

  deinit {
    core.stage.withLock { stage in try? core.push(&stage) }
    core.monitor.withLock { $0.isClosing = true }
  }

  /// Returns when every event that was appended before has reached a level.
  ///
  /// Cost: for `written` one block, which packs less well than a full one; for `synced` also a write to the device,
  /// which calls from several threads share. Throws `io` if the file failed, now or before, or while the disk is full:
  /// then the events stay queued, and a later call may succeed.
  public func ensure(_ level: Durability) throws(LogError) {
    if level == .queued { return }
    let seq = try push()
    if level == .written { return try core.waitUntil(level) { $0.writtenSeq >= seq } }
    let number = core.monitor.withLock { $0.isFinished ? 0 : $0.askSync(upTo: seq) }
    try core.waitUntil(level) { $0.syncsDone >= number || $0.isFinished }
  }

  /// Writes what is queued, marks the log as whole, syncs it, and releases the file. Closing again does nothing; later
  /// appends throw `closed`. Throws `io` if the file failed, now or before, or the disk is still full.
  public func close() throws(LogError) {
    core.isClosed.store(true, ordering: .sequentiallyConsistent)
    core.isStopped.store(true, ordering: .sequentiallyConsistent)
    defer { core.monitor.withLock { $0.isClosing = true } }
    do { _ = try push() } catch {}
    core.monitor.withLock { $0.isClosing = true }
    let _: Bool = core.monitor.wait { $0.isFinished ? true : nil }
    if let failure = core.monitor.withLock({ $0.failure ?? $0.syncFailure }) { throw failure }
  }

  /// Queues the open chunk and returns the last seq.
  private func push() throws(LogError) -> UInt64 {
    try core.stage.withLock { stage throws(LogError) in
      try core.push(&stage)
      return stage.nextSeq - 1
    }
  }
}

// MARK: Whole events

extension LogWriter {
  /// Appends an event whose seq is `seq(.queued)` + 1.
  ///
  /// Returns when the event is queued; see ``Durability`` for what that survives. A value over 8 MiB, over half a
  /// million parts or nested more than 64 deep is replaced by `opaque` of the type
  /// `too large: N bytes`. Times and durations are kept as exactly as ``LogOptions/timeUnit`` says. Throws `invalidEvent`
  /// or `tooLarge` for an event that cannot be in a log, which is then not recorded, `closed` after ``close()``, and
  /// `io` once the file failed. Cost: about 100 ns and a hash for each component of a path.
  public func append(_ event: Event) throws(LogError) {
    _ = try core.append { stage throws(LogError) in
      guard event.seq == stage.nextSeq else {
        throw stage.invalid("seq \(event.seq) is not the next, \(stage.nextSeq)")
      }
      return try stage.append(
        event.body, time: event.time, cause: event.cause, site: event.site, origin: event.origin)
    }
  }

  /// Appends an event that gets the next seq, and returns that; otherwise as ``append(_:)``.
  @discardableResult
  public func append(
    _ body: Event.Body, time: UInt64, cause: UInt64? = nil, site: String? = nil, origin: Origin? = nil
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.append(body, time: time, cause: cause, site: site, origin: origin)
    }
  }
}

// MARK: Interned paths

/// The fastest way to append: the path is looked up once, and each set then costs a lock and a few bytes. The writer
/// keeps each path that was interned until it is closed, so this is for paths that are set often.
///
/// ```swift
/// let level = try writer.intern(Path(root: .named("app"), components: [.property("audioLevel")]))
/// try writer.set(level, .int(17), time: now)
/// ```
extension LogWriter {
  /// A path that one writer keeps.
  public struct InternedPath: Hashable, Sendable {
    /// Its id when it was interned, which holds for as long as that epoch lasts.
    let logged: LoggedPath
    /// Its number among those that the writer keeps.
    let number: PathTable.ID
    /// Identifies the writer that interned the path.
    let owner: UInt32

    /// Whether two are the same path of the same writer.
    public static func == (a: InternedPath, b: InternedPath) -> Bool {
      a.number == b.number && a.owner == b.owner
    }

    /// Adds what makes it equal to another.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(number)
      hasher.combine(owner)
    }
  }

  /// A path to be set in this log.
  ///
  /// Throws `tooLarge` for a path deeper than ``Path/maximumDepth`` or with a step over 64 KiB, `closed` after
  /// ``close()``, and `io` once the file failed. Cost: two hashes a component.
  public func intern(_ path: Path) throws(LogError) -> InternedPath {
    try define { stage throws(LogError) in try stage.interned(path) }
  }

  /// Appends a set and returns its seq, otherwise as ``append(_:)``. Cost: about 25 ns for a number.
  ///
  /// Throws `invalidEvent` when the path comes from another writer.
  @discardableResult
  public func set(
    _ path: InternedPath, _ value: Value, sameValue: Bool = false, time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    try lock.withLock { () throws(LogError) in
      let isDone = core.appendQuickly {
        $0.setQuickly($0.latest(path), value, sameValue: sameValue, time: time, cause: cause)
      }
      if isDone { return core.lastSeq }
      return try setSlowly(path, value, sameValue: sameValue, time: time, cause: cause)
    }
  }

  /// Records a set of the value that some steps below a path lead to. Call it under ``lock``. Cost: a hash a step.
  ///
  /// - Parameter whole: The path, for the case that its id holds no more.
  package func setUnderLock(
    _ components: [PathComponent], under parent: LoggedPath, at whole: @autoclosure () -> Path,
    _ value: Value,
    time: UInt64
  ) throws(LogError) -> UInt64 {
    var path: LoggedPath? = parent
    for component in components {
      if let known = path { path = try logged(component, under: known) }
    }
    if let path, let seq = try setUnderLock(path, value, sameValue: false, time: time) { return seq }
    let whole = whole()
    let renewed = try logged(Path(root: whole.root, components: whole.components + components))
    return try setUnderLock(renewed, value, sameValue: false, time: time) ?? 0
  }

  @inline(never)
  private func setSlowly(
    _ path: InternedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      let path = try stage.staged(path)
      return try stage.set(path, value, sameValue: sameValue, time: time, cause: cause, site: nil)
    }
  }

  /// Stages what later events refer to.
  private func define<T>(_ body: (inout Stage) throws(LogError) -> T) throws(LogError) -> T {
    try core.stage.withLock { stage throws(LogError) in
      if core.isStopped.load(ordering: .relaxed) { try core.checkStopped(stage) }
      return try body(&stage)
    }
  }
}

// MARK: For a session

/// Appending for a session, which has interned what it names and holds the lock already: no string is hashed.
///
/// Otherwise every function is as ``LogWriter/append(_:)`` and returns the seq.
extension LogWriter {
  /// The lock that guards appending, for a session that shares it.
  package var lock: RecursiveLock { core.stage.lock }

  /// The id of a path, new if need be. Cost: one hash a component.
  ///
  /// - Parameter old: The id that the caller has of the path so far, if any.
  package func logged(_ path: Path, renewing old: LoggedPath? = nil) throws(LogError) -> LoggedPath {
    try define { stage throws(LogError) in try stage.logged(path, renewing: old) }
  }

  /// The id of a path one step below another, new if need be; nil if that of the other holds no more. Cost: one hash.
  package func logged(
    _ component: PathComponent, under parent: LoggedPath
  ) throws(LogError) -> LoggedPath? {
    try define { stage throws(LogError) in try stage.logged(component, under: parent) }
  }

  /// Whether the id of a path holds still. Call it under ``lock``.
  package func holds(_ path: LoggedPath) -> Bool { path.epoch == core.stage.underLock { $0.epoch } }

  /// How many paths and names are remembered for the events to come.
  package var tableEntries: Int { core.stage.withLock { $0.tableEntries } }

  /// The origin of an event, interned in one writer, for as long as its epoch lasts.
  package typealias OriginID = StagedOrigin

  /// The id of an origin. Cost: a hash of each of its texts.
  ///
  /// - Parameter old: The id that the caller has of the origin so far, if any. If it holds, that is the answer.
  package func define(
    _ origin: @autoclosure () -> Origin, renewing old: OriginID?
  ) throws(LogError) -> OriginID {
    try define { stage throws(LogError) in
      if let old, old.epoch == stage.epoch { return old }
      return try stage.origin(origin(), isRenewal: old != nil)
    }
  }

  /// As ``append(_:time:cause:site:origin:)``, for an event whose origin is interned.
  @discardableResult
  package func append(
    _ body: Event.Body, time: UInt64, cause: UInt64?, site: String?, from origin: OriginID?
  ) throws(LogError) -> UInt64 {
    try core.append { stage throws(LogError) in
      try stage.withOrigin(origin) { stage throws(LogError) in
        try stage.append(body, time: time, cause: cause, site: site)
      }
    }
  }

  /// As ``set(_:_:sameValue:time:cause:)``. Call it under ``lock``. If the id of the path holds no more, nothing is
  /// appended, and nil is returned.
  package func setUnderLock(
    _ path: LoggedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64? {
    if setQuickly(path, value, sameValue: sameValue, time: time, cause: cause) { return core.lastSeq }
    if path.epoch != core.stage.underLock({ $0.epoch }) { return nil }
    return try core.appendUnderLock { stage throws(LogError) in
      try stage.set(UInt64(path.staged), value, sameValue: sameValue, time: time, cause: cause, site: nil)
    }
  }

  /// Does the same where that takes no more than to write the row, as it mostly does; false, with nothing done, where it
  /// must be done in the other way. Call it under ``lock``. Cost: some 120 instructions.
  @inline(never)
  package func setQuickly(
    _ path: LoggedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?
  ) -> Bool {
    core.appendQuickly { $0.setQuickly(path, value, sameValue: sameValue, time: time, cause: cause) }
  }

  /// Call it under ``lock``.
  @discardableResult
  package func appendInvalidate(
    _ projection: inout LoggedName, causes: [UInt64], time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.invalidate(projection.id(in: &stage), causes: causes, time: time, cause: cause, site: nil)
    }
  }

  /// As ``appendInvalidate(_:causes:time:cause:)`` for one cause, without an array. Call it under ``lock``.
  @discardableResult
  package func appendInvalidate(
    _ projection: inout LoggedName, by cause: UInt64, time: UInt64
  ) throws(LogError) -> UInt64 {
    if core.appendQuickly({ $0.invalidateQuickly(projection.last, by: cause, time: time) }) {
      return core.lastSeq
    }
    return try appendInvalidate(&projection, causes: [cause], time: time, cause: cause)
  }

  /// Call it under ``lock``.
  @discardableResult
  package func appendEvaluate(
    _ projection: inout LoggedName, duration: UInt64, changed: Bool?, inputChanged: Bool? = nil, time: UInt64,
    cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    let flags = EventFlags(changed: changed, inputChanged: inputChanged)
    let isDone = core.appendQuickly {
      $0.evaluateQuickly(projection.last, duration: duration, flags, time: time, cause: cause)
    }
    if isDone { return core.lastSeq }
    return try evaluateSlowly(&projection, duration: duration, flags, time: time, cause: cause)
  }

  @inline(never)
  private func evaluateSlowly(
    _ projection: inout LoggedName, duration: UInt64, _ flags: EventFlags, time: UInt64, cause: UInt64?
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.evaluate(
        projection.id(in: &stage), duration: duration, flags, time: time, cause: cause, site: nil)
    }
  }

  /// Call it under ``lock``.
  @discardableResult
  package func appendDispose(_ projection: inout LoggedName, time: UInt64) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.dispose(projection.id(in: &stage), time: time, cause: nil, site: nil)
    }
  }
}
