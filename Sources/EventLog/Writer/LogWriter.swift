import SystemPackage

/// Writes a log. Events can be appended from any thread; they are written to the file in blocks.
///
/// ```swift
/// let writer = try LogWriter(creating: "run.evlog")
/// try writer.append(Event(seq: 1, time: 0, body: .mark(label: "start")))
/// try writer.close()
/// ```
///
/// The ``Durability`` of an event is *queued* when `append` returns, *written* within
/// ``LogOptions/flushInterval``, and *synced* on request. ``ensure(_:)`` waits for a level; ``seq(_:)``
/// returns the last event that has reached it.
///
/// If events arrive faster than the disk can take them, `append` waits: nothing is dropped, and memory stays
/// bounded by about 32 MiB, or a few of the largest events. While the disk is full, the writer accepts events
/// as long as memory allows, then throws `io` for each event that it does not record; it keeps trying to
/// write, and continues when there is space. After any other failure of the file every call throws that
/// failure, and the writer makes no further attempts. A writer that is released without ``close()`` closes
/// itself later on its own thread, and ignores errors. When the process exits, queued events are written;
/// when it is killed or crashes, the events of the last ``LogOptions/flushInterval`` are lost.
public final class LogWriter: Sendable {
  let core: WriterCore

  /// The path of the file.
  public var path: String { core.path }

  /// The seq up to which events have reached a level; 0 before the first event. It never decreases.
  public func seq(_ level: Durability) -> UInt64 {
    switch level {
    case .queued: core.stage.withLock { $0.nextSeq - 1 }
    case .written: core.monitor.withLock { $0.writtenSeq }
    case .synced: core.monitor.withLock { $0.syncedSeq }
    }
  }

  /// Creates the file, readable by its owner only, and writes its header.
  ///
  /// Throws `exists` if the file exists and ``LogOptions/replacesExisting`` is not set, `locked` if another
  /// writer has it open, and `io` if it cannot be written.
  public convenience init(creating path: String, options: LogOptions = LogOptions()) throws(LogError) {
    try self.init(creating: path, in: SystemFileSystem(), options: options)
  }

  /// Creates the file in the given file system, so that tests can simulate its failures.
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

  /// Removes further segments of a log that is replaced. Throws `fileExists` if files have names that
  /// rotation needs and may not be replaced.
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

  /// Writes to a file that is already open, so that tests can simulate its failures.
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

  /// Waits until every event appended so far has reached a level.
  ///
  /// Cost: for `written` one block, which compresses less well than a full one; for `synced` also a write to
  /// the device, which calls from several threads share. Throws `io` if the file has failed, or while the
  /// disk is full; in the latter case the events stay queued, and a later call may succeed.
  public func ensure(_ level: Durability) throws(LogError) {
    if level == .queued { return }
    let seq = try push()
    if level == .written { return try core.waitUntil(level) { $0.writtenSeq >= seq } }
    let number = core.monitor.withLock { $0.isFinished ? 0 : $0.askSync(upTo: seq) }
    try core.waitUntil(level) { $0.syncsDone >= number || $0.isFinished }
  }

  /// Writes queued events, marks the log as closed, syncs it, and releases the file. Closing again does
  /// nothing; later appends throw `closed`. Throws `io` if the file has failed, or if the disk is still full.
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
  /// Returns when the event is queued; see ``Durability`` for what that survives. Of a value of more than 15
  /// MiB, of more than 983,040 parts or nested more than 64 deep, the largest parts are replaced by `opaque` of
  /// the type `too large: N bytes`: texts, bytes, and arrays and maps without objects in them. Times and
  /// durations are stored with the precision of ``LogOptions/timeUnit``. Throws `invalidEvent` or `tooLarge` for
  /// an event that no log can hold, which is then not recorded, `closed` after ``close()``, and `io` after the
  /// file failed. Cost: about 100 ns and a hash for each component of a path.
  public func append(_ event: Event) throws(LogError) {
    _ = try core.append { stage throws(LogError) in
      guard event.seq == stage.nextSeq else {
        throw stage.invalid("seq \(event.seq) is not the next, \(stage.nextSeq)")
      }
      return try stage.append(
        event.body, time: event.time, cause: event.cause, site: event.site, origin: event.origin)
    }
  }

  /// Appends an event with the next seq, and returns that seq; otherwise as ``append(_:)``.
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

/// Interned paths are the fastest way to append: the path is looked up once, and each set then costs a lock
/// and a few bytes. The writer keeps an interned path until it is closed, so use this for paths that are set
/// often.
///
/// ```swift
/// let level = try writer.intern(Path(root: .named("app"), components: [.property("audioLevel")]))
/// try writer.set(level, .int(17), time: now)
/// ```
extension LogWriter {
  /// A path that one writer keeps until it is closed.
  public struct InternedPath: Hashable, Sendable {
    /// The id that the path had when it was interned, which is valid only in its epoch.
    let logged: LoggedPath
    /// Its id among the paths that the writer keeps.
    let number: PathTable.ID
    /// Identifies the writer that interned the path.
    let owner: UInt32

    /// Whether both are the same path of the same writer.
    public static func == (a: InternedPath, b: InternedPath) -> Bool {
      a.number == b.number && a.owner == b.owner
    }

    /// Hashes consistently with `==`.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(number)
      hasher.combine(owner)
    }
  }

  /// Interns a path, so that it can be set in this log.
  ///
  /// Throws `tooLarge` for a path deeper than ``Path/maximumDepth`` or with a step over 64 KiB, `closed`
  /// after ``close()``, and `io` after the file failed. Cost: two hashes a component.
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

  @inline(never)
  private func setSlowly(
    _ path: InternedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      let path = try stage.staged(path)
      return try stage.set(path, value, sameValue: sameValue, time: time, cause: cause, site: nil)
    }
  }

  /// Stages definitions that later events refer to.
  private func define<T>(_ body: (inout Stage) throws(LogError) -> T) throws(LogError) -> T {
    core.checkMayWait()
    return try core.stage.withLock { stage throws(LogError) in
      if core.isStopped.load(ordering: .relaxed) { try core.checkStopped(stage) }
      return try body(&stage)
    }
  }
}

// MARK: Functions for a session

/// Functions for a session, which has interned its names and already holds the lock, so that no string is
/// hashed.
///
/// Otherwise each function behaves like ``LogWriter/append(_:)`` and returns the seq.
extension LogWriter {
  /// The lock that guards appending, for a session that shares it.
  package var lock: RecursiveLock { core.stage.lock }

  /// The id of a path; defines it if it is new. Cost: one hash a component.
  ///
  /// - Parameter old: The last id of the path that the caller has, if any.
  package func logged(_ path: Path, renewing old: LoggedPath? = nil) throws(LogError) -> LoggedPath {
    try define { stage throws(LogError) in try stage.logged(path, renewing: old) }
  }

  /// The id of the path some steps below another; defines it if it is new. Nil if the id of the parent is no longer valid.
  /// Cost: a hash a step.
  package func logged(
    _ components: [PathComponent], under parent: LoggedPath
  ) throws(LogError) -> LoggedPath? {
    try define { stage throws(LogError) in
      var path = parent
      for component in components {
        guard let below = try stage.logged(component, under: path) else { return nil }
        path = below
      }
      return path
    }
  }

  /// Whether the id of a path is still valid. Call it under ``lock``.
  package func holds(_ path: LoggedPath) -> Bool { path.epoch == core.stage.underLock { $0.epoch } }

  /// The number of paths and names that are remembered for later events.
  package var tableEntries: Int { core.stage.withLock { $0.tableEntries } }

  /// The origin of an event, interned in one writer and valid in its epoch.
  package typealias OriginID = StagedOrigin

  /// The id of an origin; defines it if it is new. Cost: a hash of each of its texts.
  ///
  /// - Parameter old: The last id of the origin that the caller has, if any. If it is still valid, it is
  ///   returned.
  package func define(
    _ origin: @autoclosure () -> Origin, renewing old: OriginID?
  ) throws(LogError) -> OriginID {
    try define { stage throws(LogError) in
      if let old, old.epoch == stage.epoch { return old }
      return try stage.origin(origin(), isRenewal: old != nil)
    }
  }

  /// Sets the strand of the events from here on whose origin names none. Call it under ``lock``.
  package func setStrandUnderLock(_ strand: Int) { core.stage.underLock { $0.setStrand(strand) } }

  /// Appends an event whose origin is interned; otherwise as ``append(_:time:cause:site:origin:)``.
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

  /// Appends a set as ``set(_:_:sameValue:time:cause:)``. Call it under ``lock``. If the id of the path is no
  /// longer valid, appends nothing and returns nil.
  package func setUnderLock(
    _ path: LoggedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?
  ) throws(LogError) -> UInt64? {
    if setQuickly(path, value, sameValue: sameValue, time: time, cause: cause) { return core.lastSeq }
    if path.epoch != core.stage.underLock({ $0.epoch }) { return nil }
    return try core.appendUnderLock { stage throws(LogError) in
      try stage.set(UInt64(path.staged), value, sameValue: sameValue, time: time, cause: cause, site: nil)
    }
  }

  /// Appends a set in the common case that only the row has to be written. Otherwise does nothing and returns
  /// false, and the caller uses ``setUnderLock(_:_:sameValue:time:cause:)``. Call it under ``lock``. Cost:
  /// some 120 instructions.
  @inline(never)
  package func setQuickly(
    _ path: LoggedPath, _ value: Value, sameValue: Bool, time: UInt64, cause: UInt64?
  ) -> Bool {
    core.appendQuickly { $0.setQuickly(path, value, sameValue: sameValue, time: time, cause: cause) }
  }

  /// Appends an `invalidate`. Call it under ``lock``.
  @discardableResult
  package func appendInvalidate(
    _ projection: inout LoggedName, causes: [UInt64], time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.invalidate(projection.id(in: &stage), causes: causes, time: time, cause: cause, site: nil)
    }
  }

  /// Appends an `invalidate` by one cause, without allocating an array. Call it under ``lock``.
  @discardableResult
  package func appendInvalidate(
    _ projection: inout LoggedName, by cause: UInt64, time: UInt64
  ) throws(LogError) -> UInt64 {
    if core.appendQuickly({ $0.invalidateQuickly(projection.last, by: cause, time: time) }) {
      return core.lastSeq
    }
    return try appendInvalidate(&projection, causes: [cause], time: time, cause: cause)
  }

  /// Appends an `evaluate`. Call it under ``lock``.
  @discardableResult
  package func appendEvaluate(
    _ projection: inout LoggedName, duration: UInt64, changed: Bool?, inputChanged: Bool? = nil,
    comparing: UInt64 = 0, time: UInt64, cause: UInt64? = nil
  ) throws(LogError) -> UInt64 {
    let flags = EventFlags(changed: changed, inputChanged: inputChanged)
    let isDone = core.appendQuickly {
      $0.evaluateQuickly(
        projection.last, duration: duration, comparing: comparing, flags, time: time, cause: cause)
    }
    if isDone { return core.lastSeq }
    return try evaluateSlowly(
      &projection, duration: duration, comparing: comparing, flags, time: time, cause: cause)
  }

  @inline(never)
  private func evaluateSlowly(
    _ projection: inout LoggedName, duration: UInt64, comparing: UInt64, _ flags: EventFlags, time: UInt64,
    cause: UInt64?
  ) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.evaluate(
        projection.id(in: &stage), duration: duration, comparing: comparing, flags, time: time, cause: cause,
        site: nil)
    }
  }

  /// Appends a `dispose`. Call it under ``lock``.
  @discardableResult
  package func appendDispose(_ projection: inout LoggedName, time: UInt64) throws(LogError) -> UInt64 {
    try core.appendUnderLock { stage throws(LogError) in
      try stage.dispose(projection.id(in: &stage), time: time, cause: nil, site: nil)
    }
  }
}
