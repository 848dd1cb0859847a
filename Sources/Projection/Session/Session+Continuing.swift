import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Goes on with a log that is there: events, times and numbers of objects continue.
  ///
  ///     let session = try Session(continuing: url)
  ///     let store = try session.restore(Store.self, root: "store")
  ///     store.count += 1                          // recorded behind what was there
  ///
  /// The projections that lived at its end are disposed, and transactions that were open there end.
  ///
  /// - Parameters:
  ///   - migrations: How the app differs from the one that recorded the log so far.
  ///   - types: As of ``Recording/init(_:migrations:types:)``.
  /// - Throws: ``LogError`` as of ``LogWriter/init(appendingTo:options:)``, and `invalidEvent` if the state at the end is
  ///   not known.
  public convenience init(
    continuing url: URL, migrations: [Migration] = [], types: [RestorableType] = [],
    delivery: Delivery = .immediate, clock: some Clock<Duration> = ContinuousClock(),
    options: LogOptions = LogOptions(), isolation: isolated (any Actor)? = #isolation
  ) throws {
    // Locked before it is read: nobody else appends in between.
    let log = try LogWriter(appendingTo: url.path, options: options)
    let recording = Recording(try LogReader(path: url.path), migrations: migrations, types: types)
    var fold = try recording.reader.fold(at: .max)
    if let failure = fold.failure { throw recording.reader.misfit(failure) }
    guard fold.state.freeObjectID.number < .max / 2 else {
      throw LogError(
        .tooLarge, path: url.path, message: "few numbers are left for new objects; record to a new log")
    }
    let engine = Engine(
      delivery: delivery, clock: SessionClock(clock, isolation: isolation), log: log,
      elapsed: options.timeUnit.time(notBefore: fold.time))
    engine.resume(from: fold, recording)
    self.init(engine)
  }

  /// The app's objects as the log that is continued has them, attached: from now on they are recorded under the numbers
  /// that they have there. What differs, such as a property that is newer than the log, is recorded at once.
  ///
  /// - Precondition: The session continues a log. The caller is in the isolation of the classes.
  /// - Throws: ``RestoreError`` with all that does not fit; then nothing is attached.
  public func restore<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String
  ) throws -> Model {
    try engine.restore(type, root: root, isStrict: true).object
  }

  /// As ``restore(_:root:)``, but what does not fit stays as the initializers make it, which is recorded, and is told.
  ///
  /// - Throws: ``RestoreError`` if there is no root of this name or its object cannot be made at all.
  public func restoreWhatFits<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String
  ) throws -> Restored<Model> {
    try engine.restore(type, root: root, isStrict: false)
  }
}
