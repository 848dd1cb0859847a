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
/// A session is open until it is closed or released, and so are its projections and callbacks unless they are cancelled.
/// Sessions share nothing: any number of them may run at a time. An object belongs to one session at a time.
///
/// The bodies and callbacks passed to a session run synchronously, on the thread that made the change, after the
/// outermost mutation or transaction. So code on the main actor needs no annotations.
public final class Session: Sendable {
  let engine: Engine
  /// How objects are restored from the log that the session continues; nil if it continues none.
  ///
  /// It never changes, and is used only by `restore`, whose caller is in the isolation of the classes that it names.
  nonisolated(unsafe) let continued: RestoringRules?

  /// A session that continues a log.
  init(_ engine: Engine, continuing rules: RestoringRules) {
    self.engine = engine
    continued = rules
  }

  /// Begins a session that has no log, and only keeps projections up to date.
  ///
  /// - Parameters:
  ///   - delivery: When projections and callbacks that are out of date run.
  ///   - clock: The clock for ``Delivery/every(_:)``, and for callbacks that are throttled or debounced. The times in a log
  ///     are those of the system's monotonic clock.
  ///   - isolation: The actor on which what has waited for the clock runs. Make a session on the actor of the objects that
  ///     it will record; one that is made on none runs it on another thread, concurrently with the rest of the program.
  public init(
    delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(delivery: delivery, clock: clock, log: nil)
    continued = nil
  }

  /// Begins a session that records to a new log.
  ///
  /// - Throws: `LogError` if the file exists, unless the options replace it, or cannot be created.
  public init(
    recordingTo url: URL, delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    options: LogOptions = LogOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(
      delivery: delivery, clock: clock, log: try LogWriter(creating: url.path, options: options))
    continued = nil
  }

  /// Begins a session of which only the last part is kept, in memory, to be dumped when something goes wrong.
  ///
  ///     let recorder = try FlightRecorder(keeping: .seconds(60))
  ///     let session = Session(recordingInto: recorder)
  ///     try recorder.dumpOnCrash(to: "crash.evlog")
  ///
  /// The dump is a log like any other that begins in the middle of a run. A recorder takes one session.
  public init(
    recordingInto recorder: FlightRecorder, delivery: Delivery = .immediate,
    clock: some Clock<Duration> = ContinuousClock(), isolation: isolated (any Actor)? = #isolation
  ) {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(delivery: delivery, clock: clock, log: recorder.writer)
    continued = nil
  }

  /// A session that a recording drives.
  init(drivenBy engine: Engine) {
    self.engine = engine
    continued = nil
  }

  deinit { engine.shutDown() }

  /// Makes an object a root: from now on its mutations, and those of every recorded object that it refers to, directly or
  /// through others, are recorded under its name.
  ///
  /// Cost: linear in what the object refers to. An object that another session records is not attached; the diagnostics
  /// name its class.
  ///
  /// - Precondition: `name` is not `derived`, under which derived values are published.
  public func attach(_ object: some RecordedObject, as name: String) {
    precondition(name != Engine.derivedRoot, "the root \"derived\" is the session's own; choose another name")
    engine.attach(object, as: name)
  }

  /// Runs `body` as one transaction: readers are invalidated at its end, and only by what differs from its beginning.
  /// Transactions nest, and the outermost counts. Each set is recorded. `label` is its name in the log.
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

  /// Runs everything that is out of date now. With ``Delivery/manual`` nothing runs before that; with
  /// ``Delivery/every(_:)``, and for throttled and debounced callbacks, it ends the waiting.
  public func flush() {
    engine.flushAll()
  }

  /// Returns when everything recorded so far has reached a level of durability: it is with the operating system, and so
  /// survives the end of the process however it comes, or on the device, and survives the end of power too.
  ///
  ///     .onChange(of: scenePhase) { if $1 == .background { try? session.sync(.written) } }
  ///
  /// An event is with the operating system some `LogOptions.flushInterval` after it, or when the process exits; only one that
  /// is killed or crashes before that loses it. A session without a log, or one that is closed, does nothing.
  ///
  /// Cost: a block of the log, and for `synced` a write to the device.
  ///
  /// - Throws: `LogError` if the log could not be written, now or before.
  public func sync(_ level: Durability = .synced) throws {
    try engine.sync(level)
  }

  /// Ends the session: waits until all events are written, and completes the log. Afterwards objects behave as if they had
  /// never been attached. Closing again does nothing.
  ///
  /// - Throws: `LogError`, including the first error of a write before.
  public func close() throws {
    try engine.close()
  }

  /// Mistakes in the use of the session and what it could not do, oldest first; then the projections that read objects that
  /// it does not record, as of now or when the session was closed.
  public var diagnostics: [SessionDiagnostic] {
    engine.withLock { $0.diagnostics.all + $0.diagnosticsOfEarlyReads() }
  }
}

// MARK: Measuring

extension Session {
  /// Runs `body` and returns which projections ran because of it, so that a test can check how many view bodies ran.
  ///
  /// With ``Delivery/manual`` and ``Delivery/every(_:)`` the changes are flushed at the end of `body`.
  public func measure(_ body: () throws -> Void) rethrows -> MeasureReport {
    let measurement = engine.beginMeasurement()
    defer { engine.end(measurement) }
    try body()
    return engine.report(of: measurement)
  }

  /// Runs `body` and returns which projections ran meanwhile. Of those that wait for a clock, the ones that ran before
  /// `body` returned count.
  public func measure(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> MeasureReport {
    let measurement = engine.beginMeasurement()
    defer { engine.end(measurement) }
    try await body()
    return engine.report(of: measurement)
  }
}

// MARK: Origins of events

extension Session {
  /// Records from now on the origin of events: with every write, transaction and mark the call stack, and the names of the
  /// thread and the task.
  ///
  ///     session.recordOrigins()                                  // of all events
  ///     session.recordOrigins(sampling: 100)                     // of one event in a hundred
  ///     try session.recordOrigins(of: "store.rows[*].count")     // of writes to these paths
  ///
  /// `replay why` shows them. Stacks are recorded as addresses; `replay` finds their names and lines in the app's binaries
  /// when it reads the log. Another call replaces the options of this one.
  ///
  /// Cost: some microseconds for each event with an origin; the same as without for any other.
  ///
  /// - Parameter interval: The number of events of which one gets its origin; 1 for all.
  public func recordOrigins(sampling interval: Int = 1) {
    engine.setOrigins(OriginRecorder(patterns: [], interval: interval))
  }

  /// Records from now on the origin of writes to paths that match a pattern; otherwise as ``recordOrigins(sampling:)``.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of paths, as for the commands of `replay`: `store.rows[*].count`, `**.isLoading`.
  ///   - interval: The number of these events of which one gets its origin; 1 for all.
  /// - Throws: `TextError` if a pattern cannot be parsed.
  public func recordOrigins(of patterns: String..., sampling interval: Int = 1) throws {
    engine.setOrigins(
      OriginRecorder(patterns: try patterns.map { try PathPattern(parsing: $0) }, interval: interval))
  }

  /// Stops recording origins.
  public func stopRecordingOrigins() { engine.setOrigins(nil) }
}
