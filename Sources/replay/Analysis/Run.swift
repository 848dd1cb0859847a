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
      throw ToolError(log, event, error)
    }
  }
}

/// The state of a run, as its events are gone through.
struct StateReplay {
  private(set) var state = State()
  private let log: LogSource

  init(_ log: LogSource) { self.log = log }

  /// The state after an event. Cost: every event up to it.
  static func state(of log: LogSource, at seq: UInt64) throws -> State {
    var replay = StateReplay(log)
    var cursor = log.cursor()
    while let event = cursor.next(), event.seq <= seq { try replay.apply(event) }
    return replay.state
  }

  mutating func apply(_ event: Event) throws {
    do throws(StateError) { try state.apply(event) } catch { throw ToolError(log, event, error) }
  }
}

extension ToolError {
  fileprivate init(_ log: LogSource, _ event: Event, _ error: StateError) {
    self.init("\(log.path): event \(event.seq) does not fit the events before it: \(error)")
  }
}
