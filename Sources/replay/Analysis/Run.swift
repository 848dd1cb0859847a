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
  private var timeline: Timeline
  /// The routes of the paths of the present block, as far as they were met: -1 where not yet.
  private var routes: [Int] = []
  private let progress: Progress
  private let total: Int

  init(_ log: LogSource, progress: Progress = .hidden) {
    self.log = log
    self.progress = progress
    cursor = log.cursor()
    timeline = log.base.map { Timeline(resuming: $0) } ?? Timeline()
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
    progress.note(Int(clamping: event.seq - log.firstSeq), of: total, "replaying \(log.path)")
    do throws(StateError) {
      let route = route(of: event)
      return Step(event: event, invalidations: try timeline.apply(event, route: route))
    } catch {
      progress.finish()
      throw ToolError(log, event.seq, error)
    }
  }
}

extension Run {
  /// Finds the route of a path that is set once a block.
  private mutating func route(of event: Event) -> Int? {
    if let count = cursor.newPathCount { routes = Array(repeating: -1, count: count) }
    guard let subject = cursor.subject, case .set(let path, _, _) = event.body else { return nil }
    if routes[subject] >= 0 { return routes[subject] }
    let route = timeline.route(of: path)
    if let route { routes[subject] = route }
    return route
  }
}

/// The state of a run, as its events are gone through.
struct StateReplay {
  private(set) var state: State
  private let log: LogSource

  init(_ log: LogSource) {
    self.log = log
    var base = log.base
    state = base?.state ?? State()
  }

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
