import EventLog
import Invalidation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log as the history of an app: its state after any event, its objects at that time, and the projections
/// that each event invalidated.
///
///     let recording = try Recording(URL(filePath: "run.evlog"))
///     try recording.state(at: 17)                              // any log, without the app's types
///     try recording.restore(Store.self, root: "store", at: 17) // the app's own objects
///     for step in recording where !step.invalidated.isEmpty { print(step.event.seq, step.invalidated) }
///
/// The log may still be growing. The recording contains the events that were in the log when it was opened.
public struct Recording {
  let reader: LogReader
  let rules: RestoringRules

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - migrations: The differences between the app and the version of it that recorded the log.
  ///   - types: Classes that cannot be found from the types of properties, such as subclasses and classes
  ///     used only through protocols; and classes whose objects the app creates itself.
  /// - Throws: `LogError`, as `LogReader.init(path:)`.
  public init(
    _ url: URL, migrations: [Migration] = [], types: [RestorableType] = []
  ) throws(LogError) {
    self.init(try LogReader(path: url.path), migrations: migrations, types: types)
  }

  /// Creates a recording from a log that is already open.
  public init(_ reader: LogReader, migrations: [Migration] = [], types: [RestorableType] = []) {
    self.reader = reader
    rules = RestoringRules(log: reader.header.salt, migrations: migrations, types: types)
  }

  /// The seq of the first event; greater than 1 if the file does not contain the beginning of the log.
  public var firstSeq: UInt64 { reader.firstSeq }

  /// The seq of the last event; one less than ``firstSeq`` if there is none.
  public var lastSeq: UInt64 { reader.nextSeq - 1 }

  /// The state after an event, without migrations. For 0 it is the empty state; for a seq above ``lastSeq``,
  /// the last state.
  ///
  /// Cost: reads one checkpoint and the events from there to `seq`.
  ///
  /// - Throws: `LogError`, as `LogReader.state(at:)`.
  public func state(at seq: UInt64) throws(LogError) -> State { try reader.state(at: seq) }

  /// Creates the app's objects in their state after an event, from a root down; each object of the log once.
  ///
  /// An object is created by the initializer of its class whose parameters have the names of properties. Its
  /// other variables are set after that, without informing observers. Values that the log does not hold,
  /// because they were redacted or could not be recorded, and properties that are newer than the log, keep
  /// the values that the initializer sets. The objects are attached to no session; see `Session(continuing:)`
  /// for a session that continues to record them.
  ///
  /// - Parameters:
  ///   - type: The class of the root.
  ///   - root: The name by which the root was attached.
  ///   - seq: The event; the last one by default.
  /// - Precondition: The caller is in the isolation of the classes.
  /// - Throws: ``RestoreError`` with every value that does not fit, its path and its types; `LogError`. Use
  ///   ``restoreWhatFits(_:root:at:)`` to restore the other values.
  public func restore<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String, at seq: UInt64 = .max
  ) throws -> Model {
    let restored = try restoreWhatFits(type, root: root, at: seq)
    if !restored.problems.isEmpty { throw RestoreError(problems: restored.problems) }
    return restored.object
  }

  /// Restores objects as ``restore(_:root:at:)``, but values that do not fit keep the values that the
  /// initializers set, and are returned as problems.
  ///
  /// - Throws: ``RestoreError`` if there is no root of this name or its object cannot be created at all;
  ///   `LogError`.
  public func restoreWhatFits<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String, at seq: UInt64 = .max
  ) throws -> Restored<Model> {
    let restorer = ObjectRestorer(try state(at: seq), rules)
    do {
      let object = try restorer.restore(type, root: root)
      return Restored(object: object, problems: restorer.problems)
    } catch let problem as RestoreProblem {
      throw RestoreError(problems: [problem] + restorer.problems)
    }
  }
}

/// A restored object, and the values that do not fit the app.
public struct Restored<Model> {
  /// The object, with every value that could be restored.
  public var object: Model
  /// The values that could not be restored, each with its path and types.
  public var problems: [RestoreProblem]
}

// MARK: Steps

extension Recording {
  /// An event of a recording, and the projections that it invalidated.
  public struct Step: Hashable, Sendable {
    /// The event.
    public var event: Event
    /// The projections that are out of date since this event, in the order in which they were created. The
    /// `end` of a transaction has those of the whole transaction.
    public var invalidated: [String]
  }

  /// Calls `body` with every step from an event on, by default from the first. The projections that an event
  /// invalidates are derived from all earlier events, too.
  ///
  /// Cost: some microseconds an event. Memory: one block and the recorded state.
  ///
  /// - Throws: The errors of `body`, which end the pass; `LogError` if the log is damaged; `StateError` if an
  ///   event does not fit the state before it.
  public func forEachStep(from seq: UInt64 = 1, _ body: (Step) throws -> Void) throws {
    let steps = try Steps(of: reader, from: seq)
    while let step = try steps.step() { try body(step) }
    if case .damaged(let error, _) = steps.reader.tail { throw error }
  }
}

extension Recording: Sequence {
  /// Iterates over the steps in order, up to the first that cannot be read; ``forEachStep(from:_:)`` throws
  /// the reason.
  public func makeIterator() -> AnyIterator<Step> {
    guard let steps = try? Steps(of: reader, from: 1) else { return AnyIterator { nil } }
    return AnyIterator { try? steps.step() }
  }
}

/// The events of a log from a given one on, with the core that derives the projections that they invalidate.
private final class Steps {
  private(set) var reader: LogReader
  private var blocks: ArraySlice<BlockInfo>
  private var events: ArraySlice<Event> = []
  /// The first event that is not loaded yet.
  private var next: UInt64
  private var timeline: Timeline

  init(of reader: LogReader, from seq: UInt64) throws {
    self.reader = reader
    let first = Swift.max(seq, reader.firstSeq, 1)
    var start = first
    var fold = start > 1 ? try reader.fold(at: start - 1) : StateFold()
    // The invalidations of a transaction depend on all its events, so the core begins before the transaction.
    while fold.openTransactions > 0, start > reader.firstSeq {
      start = reader.block(containing: start - 1)?.firstSeq ?? reader.firstSeq
      fold = start > 1 ? try reader.fold(at: start - 1) : StateFold()
    }
    timeline = Timeline(resuming: fold)
    next = start
    blocks = reader.blocks.drop { $0.endSeq <= start }
    while start < first, try step() != nil { start += 1 }
  }

  /// Loads the next events. If the log's index is wrong, continues without it.
  private func load() throws(LogError) {
    do throws(LogError) {
      while events.isEmpty, let block = blocks.first {
        events = try reader.events(in: block).drop { $0.seq < next }
        next = block.endSeq
        blocks.removeFirst()
      }
      if events.isEmpty { try reader.checkEnd() }
    } catch {
      guard error.code == .wrongIndex, let scanned = try reader.withoutWrongIndex() else { throw error }
      reader = scanned
      blocks = scanned.blocks.drop { $0.endSeq <= next }
      try load()
    }
  }

  func step() throws -> Recording.Step? {
    if events.isEmpty { try load() }
    guard let event = events.popFirst() else { return nil }
    return Recording.Step(event: event, invalidated: try timeline.apply(event).map(\.projection))
  }
}
