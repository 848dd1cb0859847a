import EventLog
import Projection

/// A recorded run, gone through event by event with what the invalidation core derives from each.
struct Run {
  /// An event, and the projections that it was found to put out of date.
  struct Step {
    var event: Event
    var invalidations: [Invalidation]
  }

  let log: LogSource
  private var cursor: EventCursor
  private var timeline = Timeline()
  private let progress: Progress
  private let total: Int

  init(_ log: LogSource, progress: Progress = .hidden) {
    self.log = log
    self.progress = progress
    cursor = log.cursor()
    total = log.eventCount
  }

  /// The state after the last step.
  var state: State { timeline.state }

  /// The event that began the chain of causes that led to this one, as far back as is remembered.
  func root(of seq: UInt64) -> UInt64 { timeline.root(of: seq).seq }

  /// The next step, or nil at the end.
  ///
  /// - Throws: `ToolError` when an event does not fit those before it.
  mutating func next() throws -> Step? {
    guard let event = cursor.next() else {
      progress.finish()
      return nil
    }
    progress.note(Int(clamping: event.seq), of: total, "replaying \(log.path)")
    do throws(StateError) {
      return Step(event: event, invalidations: try timeline.apply(event))
    } catch {
      progress.finish()
      throw ToolError(log, event.seq, error)
    }
  }
}

/// The state of a run, as its events are gone through.
struct StateReplay {
  private(set) var state = State()
  private let log: LogSource

  init(_ log: LogSource) { self.log = log }

  /// The state after an event. Cost: a checkpoint and what follows it; where these cannot be read, every event up to
  /// it that can.
  static func state(of log: LogSource, at seq: UInt64) throws -> State {
    do {
      var fold = try log.reader.fold(at: seq)
      if let failure = fold.failure { throw ToolError(log, failure.seq, failure.error) }
      return fold.state
    } catch let error as LogError where error.code == .damaged {}
    var replay = StateReplay(log)
    var cursor = log.cursor()
    while let event = cursor.next(), event.seq <= seq { try replay.apply(event) }
    return replay.state
  }

  mutating func apply(_ event: Event) throws {
    do throws(StateError) { try state.apply(event) } catch { throw ToolError(log, event.seq, error) }
  }
}

extension ToolError {
  fileprivate init(_ log: LogSource, _ seq: UInt64, _ error: StateError) {
    self.init("\(log.path): event \(seq) does not fit the events before it: \(error)")
  }
}
