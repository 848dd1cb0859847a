import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Begins a session that continues an existing log: events, times and object ids continue from its end.
  ///
  ///     let session = try Session(continuing: url)
  ///     let store = try session.restore(Store.self, root: "store")
  ///     store.count += 1                          // recorded after the events of the log
  ///
  /// The projections that exist at its end are disposed of, and open transactions are ended.
  ///
  /// Cost: reads the last checkpoint and the events after it.
  ///
  /// - Parameters:
  ///   - url: The log.
  ///   - migrations: The differences between the app and the version of it that recorded the log.
  ///   - types: As for `Recording.init(_:migrations:types:)`.
  ///   - delivery: When the session runs what is out of date.
  ///   - clock: The clock for the session's delays.
  ///   - options: How the session records.
  ///   - isolation: The actor on which delayed projections and callbacks run.
  /// - Throws: `LogError`, as `LogWriter.init(appendingTo:options:)`, and `invalidEvent` if the
  ///   state at the end cannot be read.
  public convenience init(
    continuing url: URL, migrations: [Migration] = [], types: [RestorableType] = [],
    delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    options: LogOptions = LogOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws {
    // The writer locks the file first, so that no other process appends to it before it is read.
    let log = try LogWriter(appendingTo: url.path, options: options)
    let reader = try LogReader(path: url.path)
    let fold = try reader.fold(at: .max)
    if let failure = fold.failure { throw reader.misfit(failure) }
    guard fold.state.freeObjectID.number < .max / 2 else {
      throw LogError(
        .tooLarge, path: url.path, message: "few numbers are left for new objects; record to a new log")
    }
    let engine = Engine(
      delivery: delivery, clock: SessionClock(clock, isolation: isolation), log: log,
      elapsed: options.timeUnit.time(notBefore: fold.time))
    engine.resume(from: fold)
    self.init(
      engine, continuing: RestoringRules(log: reader.header.salt, migrations: migrations, types: types))
  }

  /// Creates the app's objects in their state at the end of the log that the session continues, and attaches
  /// them. From now on they are recorded with the ids that they have in the log. Values that differ, such as
  /// properties that are newer than the log, are recorded at once.
  ///
  /// - Precondition: The session continues a log, and is open. The caller is in the isolation of the classes.
  /// - Throws: ``RestoreError`` with every value that does not fit; nothing is attached then.
  public func restore<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String
  ) throws -> Model {
    try engine.restore(type, root: root, by: rulesOfLog(), isStrict: true).object
  }

  /// Restores objects as ``restore(_:root:)``, but values that do not fit keep the values that the
  /// initializers set. These are recorded, and the problems are returned.
  ///
  /// - Throws: ``RestoreError`` if there is no root of this name or its object cannot be created at all.
  public func restoreWhatFits<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String
  ) throws -> Restored<Model> {
    try engine.restore(type, root: root, by: rulesOfLog(), isStrict: false)
  }

  private func rulesOfLog() -> RestoringRules {
    guard let continued, !engine.isClosed else {
      preconditionFailure(
        "only a session that continues a log has objects to restore; see Session(continuing:)")
    }
    return continued
  }

  /// Changes the attached objects to the state of a recording after an event, forwards or backwards.
  ///
  ///     for seq in stride(from: recording.lastSeq, through: 1, by: -1) {
  ///       try session.apply(recording, through: seq)   // SwiftUI and projections update
  ///     }
  ///
  /// Each root of the recording that is attached to the session under the same name is changed, with all
  /// objects that it refers to, in one transaction. Projections run once if what they have read differs, and
  /// the standard library's observers are notified; callbacks (`onChange`, `onReceive`, `onFirstAppear`) and
  /// the classes' own `willSet` and `didSet` do not run. Only values that differ are set, and these are
  /// recorded if the session records. An object of the recording is paired with the same object of the
  /// session in each call; in the first call they are paired by path, or by id within an array. A root that
  /// the recording does not have after that event is left unchanged.
  ///
  /// Cost: linear in the state of the recording, and the sets of the values that differ.
  ///
  /// - Parameters:
  ///   - recording: The recording.
  ///   - seq: The event after which the state is taken. 0 stands for the empty state.
  ///   - runningCallbacks: Whether callbacks run as well.
  /// - Returns: The values of the recording that do not fit the app, and that are left unchanged in the
  ///   session. See ``Migration``.
  /// - Precondition: The caller is in the isolation of the classes, outside any transaction, projection or
  ///   callback of the session.
  /// - Throws: `LogError`.
  @discardableResult
  public func apply(
    _ recording: Recording, through seq: UInt64, runningCallbacks: Bool = false
  ) throws -> [RestoreProblem] {
    try engine.apply(recording, through: seq, runningCallbacks)
  }
}
