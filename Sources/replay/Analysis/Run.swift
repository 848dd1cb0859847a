import EventLog
import Projection

/// A recorded run: the events of a log, and the timeline that the invalidation core derives from them.
struct Run {
  let log: LoadedLog
  /// Every invalidation, in order.
  let invalidations: [Invalidation]
  /// The state after the last event.
  let finalState: State
  let chains: CauseChains

  var events: [Event] { log.events }

  init(_ log: LoadedLog, progress: Progress = .hidden) throws {
    defer { progress.finish() }
    self.log = log
    var timeline = Timeline()
    var chains = CauseChains()
    var invalidations: [Invalidation] = []
    for event in log.events {
      progress.note(Int(truncatingIfNeeded: event.seq), of: log.events.count, "replaying \(log.path)")
      if let cause = event.cause { chains.note(event.seq, causedBy: cause) }
      invalidations += try Self.explaining(event, of: log) { () throws(StateError) in
        try timeline.apply(event)
      }
    }
    self.invalidations = invalidations
    finalState = timeline.state
    self.chains = chains
  }

  init(path: String, progress: Progress = .hidden) throws {
    try self.init(LoadedLog(path: path, progress: progress), progress: progress)
  }

  /// The event with this number; numbers run from 1 without holes.
  func event(_ seq: UInt64) -> Event? {
    guard seq > 0, let index = Int(exactly: seq - 1), events.indices.contains(index) else { return nil }
    return events[index]
  }

  /// Does something with an event, and says which event it was that did not fit.
  static func explaining<T>(
    _ event: Event, of log: LoadedLog, _ body: () throws(StateError) -> T
  ) throws -> T {
    do throws(StateError) {
      return try body()
    } catch {
      throw ToolError("\(log.path): event \(event.seq) does not fit the events before it: \(error)")
    }
  }

  /// The state after an event. Cost: every event up to it.
  static func state(of log: LoadedLog, at seq: UInt64) throws -> State {
    var state = State()
    for event in log.events.prefix(while: { $0.seq <= seq }) {
      try explaining(event, of: log) { () throws(StateError) in try state.apply(event) }
    }
    return state
  }
}
