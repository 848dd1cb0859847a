import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records the mutations of an app's objects, and keeps projections of them up to date.
///
///     let session = try Session(recordingTo: URL(filePath: "run.evlog"))
///     let store = Store()
///     session.attach(store, as: "store")
///     session.projection("Badge") { _ in draw(store.unreadCount) }
///     store.unreadCount += 1          // recorded; "Badge" runs again
///     try session.close()
///
/// A session is open until it is closed or released. Its projections and callbacks exist as long, unless they
/// are cancelled. Sessions share nothing, so any number of them may run at a time. An object belongs to one
/// session at a time.
///
/// The bodies and callbacks passed to a session run synchronously, on the thread that made the change, after
/// the outermost mutation or transaction. So code on the main actor needs no annotations.
public final class Session: Sendable {
  let engine: Engine
  /// The rules for restoring objects from the log that the session continues; nil if it continues none.
  ///
  /// It never changes, and is used only by `restore`, whose caller is in the isolation of the classes.
  nonisolated(unsafe) let continued: RestoringRules?

  /// Creates a session that continues a log.
  init(_ engine: Engine, continuing rules: RestoringRules) {
    self.engine = engine
    continued = rules
  }

  /// Creates a session without a log, which only keeps projections up to date.
  ///
  /// - Parameters:
  ///   - delivery: When projections and callbacks that are out of date run.
  ///   - clock: The clock for ``Delivery/every(_:)``, and for callbacks that are throttled or debounced. The
  ///     times in a log are those of the system's monotonic clock.
  ///   - isolation: The actor on which delayed projections and callbacks run. Create a session on the actor
  ///     of the objects that it will record. If it is created without an actor, delayed projections and
  ///     callbacks run on another thread, concurrently with the rest of the program.
  public init(
    delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(delivery: delivery, clock: clock, log: nil)
    continued = nil
  }

  /// Creates a session that records to a new log.
  ///
  /// - Throws: `LogError` if the file exists and the options do not replace it, or if it cannot be created.
  public init(
    recordingTo url: URL, delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    options: LogOptions = LogOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(
      delivery: delivery, clock: clock, log: try LogWriter(creating: url.path, options: options))
    continued = nil
  }

  /// Creates a session that keeps only the last part of its recording, in memory, to be dumped when something
  /// goes wrong.
  ///
  ///     let recorder = try FlightRecorder(keeping: .seconds(60))
  ///     let session = Session(recordingInto: recorder)
  ///     try recorder.dumpOnCrash(to: "crash.evlog")
  ///
  /// The dump is a normal log that begins in the middle of a run. A recorder can be used for one session.
  public init(
    recordingInto recorder: FlightRecorder, delivery: Delivery = .immediate,
    clock: some Clock<Duration> = ContinuousClock(), isolation: isolated (any Actor)? = #isolation
  ) {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(delivery: delivery, clock: clock, log: recorder.writer)
    continued = nil
  }

  /// Creates a session that is driven by a recording.
  init(drivenBy engine: Engine) {
    self.engine = engine
    continued = nil
  }

  deinit { engine.shutDown() }

  /// Makes an object a root. From now on its mutations, and those of every recorded object that it refers to,
  /// directly or indirectly, are recorded under its name.
  ///
  /// Cost: linear in the objects that it refers to. An object that another session records is not attached;
  /// the diagnostics report its class.
  ///
  /// - Precondition: `name` is not `derived`, the root under which derived values are published.
  public func attach(_ object: some RecordedObject, as name: String) {
    precondition(name != Engine.derivedRoot, "the root \"derived\" is the session's own; choose another name")
    engine.attach(object, as: name)
  }

  /// Makes the object of a root an ordinary one, and gives the root's name back. It stays in the log as long as another object
  /// refers to it, or the app has it: by its number, which is not reused. Nothing is out of date because of it. Does nothing if
  /// there is no such root.
  ///
  /// Cost: one event.
  public func detach(_ name: String) { engine.detach(name) }

  /// Runs `body` as one transaction: at its end, readers are invalidated by the values that differ from those
  /// at its beginning. Transactions nest, and the outermost one counts. Each set is recorded. `label` is its
  /// name in the log.
  ///
  /// It belongs to the code of `body`. What other threads change meanwhile is outside of it, and is delivered at once.
  public func transaction<R>(
    _ label: String? = nil, fileID: String = #fileID, line: Int = #line, _ body: () throws -> R
  ) rethrows -> R {
    engine.beginTransaction(label, site: engine.site(fileID, line))
    defer { engine.endTransaction() }
    return try body()
  }

  /// Adds a mark to the log: a note that commands of `replay` can use as a position, as in `mark:checkout`.
  public func mark(_ label: String, fileID: String = #fileID, line: Int = #line) {
    engine.mark(label, site: engine.site(fileID, line))
  }

  /// Runs everything that is out of date now. With ``Delivery/manual`` nothing runs before that. With
  /// ``Delivery/every(_:)``, and for throttled and debounced callbacks, it ends the delay.
  ///
  /// Before that it records what has changed of followed objects that this thread can read and of whose sets it was not told when they
  /// were made, so it must not be called within a mutation of one.
  ///
  /// What was made on another actor runs there, soon after. What another actor's flush has left to this one runs now.
  ///
  /// - Parameter isolation: The actor whose code calls it.
  public func flush(isolation: (any Actor)? = #isolation) {
    engine.flushAll(on: isolation)
  }

  /// Waits until everything recorded so far has reached a level of durability: `written` survives the end of
  /// the process, however it ends, and `synced` also survives a loss of power.
  ///
  ///     .onChange(of: scenePhase) { if $1 == .background { try? session.sync(.written) } }
  ///
  /// An event is written at most about `LogOptions.flushInterval` after it was recorded, or when the process
  /// exits; it is lost only if the process is killed or crashes before that. A session that has no log or is
  /// closed does nothing.
  ///
  /// Cost: a block of the log, and for `synced` a write to the device.
  ///
  /// - Throws: `LogError` if the log cannot be written, or could not be earlier.
  public func sync(_ level: Durability = .synced) throws {
    try engine.sync(level)
  }

  /// Ends the session: waits until all events are written, and completes the log. After that, objects behave
  /// as if they had never been attached. Closing again does nothing.
  ///
  /// - Parameter isolation: The actor whose code calls it, whose projections run for the last time.
  /// - Throws: `LogError`, also for an earlier failure to write.
  public func close(isolation: (any Actor)? = #isolation) throws {
    try engine.close(on: isolation)
  }

  /// Mistakes in the use of the session and things that it could not do, the oldest first; then the
  /// projections that read objects which the session does not record, at present or when it was closed.
  ///
  /// Each is there once, and once in the log, as a mark. The log gets those about objects that are not recorded some
  /// 256 events after the read, or when the session is closed, because they may be attached until then. At most 1,000 are kept.
  public var diagnostics: [SessionDiagnostic] {
    engine.withLock { $0.diagnostics.all + $0.diagnosticsOfEarlyReads().filter($0.diagnostics.isNew) }
  }
}

// MARK: Measuring

extension Session {
  /// Runs `body` and returns the projections that ran because of it, so that a test can check how many view
  /// bodies ran.
  ///
  /// With ``Delivery/manual`` and ``Delivery/every(_:)``, changes are flushed at the end of `body`.
  public func measure(
    isolation: (any Actor)? = #isolation, _ body: () throws -> Void
  ) rethrows -> MeasureReport {
    let measurement = engine.beginMeasurement()
    defer { engine.end(measurement) }
    try body()
    return engine.report(of: measurement, on: isolation)
  }

  /// Runs `body` and returns the projections that ran meanwhile. Delayed projections count if they ran before
  /// `body` returned.
  public func measure(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    let measurement = engine.beginMeasurement()
    defer { engine.end(measurement) }
    try await body()
    return engine.report(of: measurement, on: isolation)
  }
}

// MARK: Origins of events

extension Session {
  /// Records the origin of events from now on: the call stack of every write, transaction and mark, and the
  /// names of the thread and the task.
  ///
  ///     session.recordOrigins()                                  // of all events
  ///     session.recordOrigins(sampling: 100)                     // of one event in a hundred
  ///     try session.recordOrigins(of: "store.rows[*].count")     // of writes to these paths
  ///
  /// `replay why` shows them. Stacks are recorded as addresses; `replay` looks up their names and lines in
  /// the app's binaries when it reads the log. Another call replaces the options of this one.
  ///
  /// Cost: some microseconds for each event with an origin; none for other events.
  ///
  /// - Parameter interval: The number of events of which one is recorded with its origin; 1 for all.
  public func recordOrigins(sampling interval: Int = 1) {
    engine.setOrigins(OriginRecorder(patterns: [], interval: interval))
  }

  /// Records the origin of writes to paths that match a pattern, from now on; otherwise as
  /// ``recordOrigins(sampling:)``.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of paths, as for the commands of `replay`: `store.rows[*].count`, `**.isLoading`.
  ///   - interval: The number of these events of which one is recorded with its origin; 1 for all.
  /// - Throws: `TextError` if a pattern cannot be parsed.
  public func recordOrigins(of patterns: String..., sampling interval: Int = 1) throws {
    engine.setOrigins(
      OriginRecorder(patterns: try patterns.map { try PathPattern(parsing: $0) }, interval: interval))
  }

  /// Stops recording origins.
  public func stopRecordingOrigins() { engine.setOrigins(nil) }
}
