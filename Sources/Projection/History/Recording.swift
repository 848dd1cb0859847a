import EventLog
import Invalidation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log as the history of an app: its state after any event, its objects as they were, and what each event invalidated.
///
///     let recording = try Recording(URL(filePath: "run.evlog"))
///     try recording.state(at: 17)                              // any log, without the app's types
///     try recording.restore(Store.self, root: "store", at: 17) // the app's own objects
///     for step in recording where !step.invalidated.isEmpty { print(step.event.seq, step.invalidated) }
///
/// The log may still be growing: the recording has the events that were in it when it was opened.
public struct Recording {
  let reader: LogReader
  let rules: RestoringRules

  /// Opens a log.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - migrations: How the app differs from the one that recorded the log.
  ///   - types: Classes that are not found by the types of properties, such as subclasses and those that are only used as
  ///     protocols; and classes whose objects the app makes itself.
  /// - Throws: `LogError` as of `LogReader.init(path:)`.
  public init(
    _ url: URL, migrations: [Migration] = [], types: [RestorableType] = []
  ) throws(LogError) {
    self.init(try LogReader(path: url.path), migrations: migrations, types: types)
  }

  /// The history in a log that is already open.
  public init(_ reader: LogReader, migrations: [Migration] = [], types: [RestorableType] = []) {
    self.reader = reader
    rules = RestoringRules(log: reader.header.salt, migrations: migrations, types: types)
  }

  /// The seq of the first event; greater than 1 if the file does not hold the beginning of the log.
  public var firstSeq: UInt64 { reader.firstSeq }

  /// The seq of the last event; one less than ``firstSeq`` if there is none.
  public var lastSeq: UInt64 { reader.nextSeq - 1 }

  /// The state after an event, without migrations: the last state if `seq` is greater than ``lastSeq``, the empty one for 0.
  ///
  /// Cost: reads one checkpoint and the events from there to `seq`.
  ///
  /// - Throws: `LogError` as `LogReader.state(at:)`.
  public func state(at seq: UInt64) throws(LogError) -> State { try reader.state(at: seq) }

  /// Makes the app's objects as they were after an event, from a root down; each object of the log once.
  ///
  /// An object is made by the initializer of its class whose parameters have the names of properties. Its other variables
  /// are set after that, without observers. Values that the log does not hold, because they were redacted or could not be
  /// recorded, and properties that are newer than the log, stay as the initializer sets them. The objects are attached to
  /// no session; see `Session(continuing:)` for a session that goes on recording them.
  ///
  /// - Parameters:
  ///   - type: The class of the root.
  ///   - root: The name by which it was attached.
  ///   - seq: The event; the last one by default.
  /// - Precondition: The caller is in the isolation of the classes.
  /// - Throws: ``RestoreError`` with every value that does not fit, its path and its types; `LogError`. Use
  ///   ``restoreWhatFits(_:root:at:)`` to get the rest.
  public func restore<Model: RecordedObject>(
    _ type: Model.Type = Model.self, root: String, at seq: UInt64 = .max
  ) throws -> Model {
    let restored = try restoreWhatFits(type, root: root, at: seq)
    if !restored.problems.isEmpty { throw RestoreError(problems: restored.problems) }
    return restored.object
  }

  /// As ``restore(_:root:at:)``, but values that do not fit stay as the initializers set them, and are returned as problems.
  ///
  /// - Throws: ``RestoreError`` if there is no root of this name or its object cannot be made at all; `LogError`.
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

/// An object from a log, and the values that do not fit the app.
public struct Restored<Model> {
  /// The object, with every value that could be restored.
  public var object: Model
  /// The values that could not, each with its path and types.
  public var problems: [RestoreProblem]
}

// MARK: Steps

extension Recording {
  /// An event of a recording, and the projections that it invalidated.
  public struct Step: Hashable, Sendable {
    /// The event.
    public var event: Event
    /// The projections that were out of date from this event on, in the order in which they were created. The `end` of a
    /// transaction has those of the whole transaction.
    public var invalidated: [String]
  }

  /// Calls `body` with every step from an event on, the first by default. Which projections an event invalidates is derived
  /// from all events before it, too.
  ///
  /// Cost: some microseconds an event. Memory: one block and the recorded state.
  ///
  /// - Throws: What `body` throws, which ends the pass; `LogError` where the log is damaged; `StateError` where an event
  ///   does not fit the state before it.
  public func forEachStep(from seq: UInt64 = 1, _ body: (Step) throws -> Void) throws {
    var steps = try Steps(of: reader, from: seq)
    while let step = try steps.step() { try body(step) }
    if case .damaged(let error, _) = steps.reader.tail { throw error }
  }
}

extension Recording: Sequence {
  /// Iterates over the steps in order, up to the first that cannot be read; ``forEachStep(from:_:)`` throws the reason.
  public func makeIterator() -> AnyIterator<Step> {
    guard var steps = try? Steps(of: reader, from: 1) else { return AnyIterator { nil } }
    return AnyIterator { try? steps.step() }
  }
}

/// The events of a log from a given one on, with the core that derives what they invalidate.
private struct Steps {
  private(set) var reader: LogReader
  private var blocks: ArraySlice<BlockInfo>
  private var events: ArraySlice<Event> = []
  /// The first event that is not loaded.
  private var next: UInt64
  private var timeline: Timeline

  init(of reader: LogReader, from seq: UInt64) throws {
    self.reader = reader
    let first = Swift.max(seq, reader.firstSeq, 1)
    var start = first
    var fold = start > 1 ? try reader.fold(at: start - 1) : StateFold()
    // What a transaction invalidates is derived from all of its events, so the core begins before the transaction.
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
  private mutating func load() throws(LogError) {
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

  mutating func step() throws -> Recording.Step? {
    if events.isEmpty { try load() }
    guard let event = events.popFirst() else { return nil }
    return Recording.Step(event: event, invalidated: try timeline.apply(event).map(\.projection))
  }
}
