import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log as the history of an app: its state at any event, its objects as they were, and what each event woke.
///
///     let recording = try Recording(URL(filePath: "run.evlog"))
///     try recording.state(at: 17)                              // any log, without the app's types
///     try recording.restore(Store.self, root: "store", at: 17) // the app's own objects
///     for step in recording where !step.invalidated.isEmpty { print(step.event.seq, step.invalidated) }
///
/// The log may be one that is still being written: the recording holds what was in it when it was opened.
public struct Recording {
  let reader: LogReader
  let migrations: [Migration]
  let types: [RestorableType]

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - migrations: How the app differs from the one that recorded the log.
  ///   - types: Classes that no property names: subclasses, and those that are only met as protocols; and classes that
  ///     the app makes by itself.
  /// - Throws: ``LogError`` as of ``LogReader/init(path:scanned:)``.
  public init(
    _ url: URL, migrations: [Migration] = [], types: [RestorableType] = []
  ) throws(LogError) {
    self.init(try LogReader(path: url.path), migrations: migrations, types: types)
  }

  /// The history in a log that is open already.
  public init(_ reader: LogReader, migrations: [Migration] = [], types: [RestorableType] = []) {
    self.reader = reader
    self.migrations = migrations
    self.types = types
  }

  /// The seq of the first event: over 1 if the beginning of the log is not in the file.
  public var firstSeq: UInt64 { reader.firstSeq }

  /// The seq of the last event; one less than ``firstSeq`` if there is none.
  public var lastSeq: UInt64 { reader.nextSeq - 1 }

  /// The state after an event: that after the last one if `seq` is larger, the empty one for 0. It is as the log has
  /// it, without migrations.
  ///
  /// Cost: one checkpoint and the events behind it. Throws ``LogError`` as ``LogReader/state(at:)``.
  public func state(at seq: UInt64) throws(LogError) -> State { try reader.state(at: seq) }

  /// The app's objects as they were after an event, from a root down: each object of the log once, however many places
  /// hold it. The last event counts where no `seq` is given.
  ///
  /// An object is made by the initializer of its class whose parameters have the names of properties; its other
  /// variables are set after that, unseen by observers. What the log never held, because it was redacted or could not
  /// be recorded, and properties that are newer than the log, stay as the initializer makes them. The objects are
  /// attached to no session; see `Session(continuing:)` to record on.
  ///
  /// - Precondition: The caller is in the isolation of the classes.
  /// - Throws: ``RestoreError`` with all that does not fit, each with its path and types; ``LogError``. Use
  ///   ``restoreWhatFits(_:root:at:)`` for the rest.
  public func restore<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String, at seq: UInt64 = .max
  ) throws -> Model {
    let restored = try restoreWhatFits(type, root: root, at: seq)
    if !restored.problems.isEmpty { throw RestoreError(problems: restored.problems) }
    return restored.object
  }

  /// As ``restore(_:root:at:)``, but what does not fit stays as the initializers make it, and is told.
  ///
  /// - Throws: ``RestoreError`` if there is no root of this name or its object cannot be made at all; ``LogError``.
  public func restoreWhatFits<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String, at seq: UInt64 = .max
  ) throws -> Restored<Model> {
    let restorer = ObjectRestorer(try state(at: seq), migrations: migrations, types: types)
    do {
      let object = try restorer.restore(type, root: root)
      return Restored(object: object, problems: restorer.problems)
    } catch let problem as RestoreProblem {
      throw RestoreError(problems: [problem] + restorer.problems)
    }
  }
}

/// An object from a log, and what of the log does not fit the app.
public struct Restored<Model> {
  /// The object, with all that could be restored.
  public var object: Model
  /// What could not, each with its path and types.
  public var problems: [RestoreProblem]
}
