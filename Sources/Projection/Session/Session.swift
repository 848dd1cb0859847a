import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Records what happens to a family of objects, and keeps projections of them up to date.
///
///     let session = try Session(recordingTo: URL(filePath: "run.evlog"))
///     let store = Store()
///     session.attach(store, as: "store")
///     session.projection("Badge") { _ in draw(store.unreadCount) }
///     store.unreadCount += 1          // recorded; "Badge" runs again
///     try session.close()
///
/// A session lives until it is closed or released; its projections and callbacks live as long unless they
/// are cancelled. Sessions share nothing: tests may run any number of them side by side. An object belongs
/// to one session at a time.
///
/// The bodies and callbacks handed to a session run synchronously, on the thread that made the change, after
/// the outermost mutation or transaction. So code on the main actor needs no annotations.
public final class Session: Sendable {
  let engine: Engine

  init(_ engine: Engine) { self.engine = engine }

  /// Begins a session that records nothing, and only keeps projections up to date.
  ///
  /// - Parameters:
  ///   - delivery: When what is out of date runs.
  ///   - clock: What the session waits by: for ``Delivery/every(_:)``, and for callbacks that are throttled or
  ///     debounced. The times in a log are those of the system's monotonic clock.
  ///   - isolation: Where what has waited runs. Make a session on the actor of the objects that it will record; one
  ///     made on none runs what has waited on a thread of its own, at the same time as the rest of the program.
  public init(
    delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation
  ) {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(delivery: delivery, clock: clock, log: nil)
  }

  /// Begins a session that records to a new log.
  ///
  /// - Throws: ``LogError`` when the file exists or cannot be created.
  public init(
    recordingTo url: URL, delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    options: LogOptions = LogOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(
      delivery: delivery, clock: clock, log: try LogWriter(creating: url.path, options: options))
  }

  /// Begins a session of which only the end is kept, in memory, for when something goes wrong.
  ///
  ///     let recorder = try FlightRecorder(keeping: .seconds(60))
  ///     let session = Session(recordingInto: recorder)
  ///     try recorder.dumpOnCrash(to: "crash.evlog")
  ///
  /// What is dumped is a log like any other, which begins in the middle. One recorder takes one session.
  public init(
    recordingInto recorder: FlightRecorder, delivery: Delivery = .immediate,
    clock: some Clock<Duration> = ContinuousClock(), isolation: isolated (any Actor)? = #isolation
  ) {
    let clock = SessionClock(clock, isolation: isolation)
    engine = Engine(delivery: delivery, clock: clock, log: recorder.writer)
  }

  deinit { engine.shutDown() }

  /// Makes an object a root: from now on its mutations, and those of every recorded object that it leads
  /// to, are recorded under its name.
  ///
  /// - Precondition: `name` is not `derived`, under which derived values are published.
  public func attach(_ object: some RecordedObject, as name: String) {
    precondition(name != Engine.derivedRoot, "the root \"derived\" is the session's own; choose another name")
    engine.attach(object, as: name)
  }

  /// Runs `body` as one transaction: nobody is woken before its end, and then only by what differs from
  /// its beginning. Transactions nest; the outermost counts. Every set is recorded all the same.
  public func transaction<R>(
    _ label: String? = nil, fileID: String = #fileID, line: Int = #line, _ body: () throws -> R
  ) rethrows -> R {
    engine.beginTransaction(label, site: engine.site(fileID, line))
    defer { engine.endTransaction() }
    return try body()
  }

  /// Leaves a note in the log.
  public func mark(_ label: String, fileID: String = #fileID, line: Int = #line) {
    engine.mark(label, site: engine.site(fileID, line))
  }

  /// Runs everything that is out of date now: with ``Delivery/manual`` nothing runs before, with
  /// ``Delivery/every(_:)`` nothing waits any longer, and throttled and debounced callbacks do not either.
  public func flush() {
    engine.flushAll()
  }

  /// Ends the session: waits until all is written, and completes the log. Afterwards objects behave as
  /// if they had never been attached. Closing again does nothing.
  ///
  /// - Throws: ``LogError``, also for anything that could not be written before.
  public func close() throws {
    try engine.close()
  }

  /// What the session had to work around, oldest first; then who reads objects that it does not record, as it is now or
  /// was when the session was closed.
  public var diagnostics: [SessionDiagnostic] {
    engine.lock.withLock { engine.diagnostics + engine.diagnosticsOfEarlyReads() }
  }
}

/// Something that a session had to work around.
public struct SessionDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// What happened, in one sentence.
  public var message: String

  /// The message.
  public var description: String { message }
}
