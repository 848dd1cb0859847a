import EventLog
import Invalidation

// A hosted projection is a node whose body its host runs, such as SwiftUI a view's. The session records the runs, and
// what invalidates it; nothing here runs or queues it.

/// What the engine keeps of a hosted projection besides its node.
final class Hosting {
  /// The turn in which it last ran; 0 before its first run.
  @exclusivity(unchecked) fileprivate(set) var turn: UInt64 = 0
  /// The event that led to that run.
  @exclusivity(unchecked) fileprivate(set) var cause: UInt64?

  init() {}
}

/// Which runs of hosted projections belong together.
///
/// A host runs the body of a child when that of its parent has ended, so no frame tells why the child runs. It does
/// because of the parent if both run in one turn. A turn ends with the next change of the state or mark that no hosted
/// run led to, and when the host says so.
struct HostTurn {
  /// The number of the present turn.
  private(set) var number: UInt64 = 1
  /// The last change that belongs to the turn, or came before it.
  private var lastMutation: UInt64 = 0

  /// Ends the turn if the state has changed since a run of the turn, or before its first.
  mutating func endIfChanged(by mutation: UInt64) {
    if mutation == lastMutation { return }
    end()
    lastMutation = mutation
  }

  /// Notes that changes belong to the turn: a hosted run led to them.
  mutating func take(upTo mutation: UInt64) { lastMutation = mutation }

  /// Ends the turn.
  mutating func end() { number += 1 }
}

extension Engine {
  /// Makes a hosted projection, which belongs to the hosted run under way if it is given no parent.
  func makeHosted(name: String, id: AnyHashable?, tracking: Tracking, parent: Node?, site: String) -> Node {
    let outer = Frame.current
    return withLock { state in
      let running = state.hostedRun(within: outer)
      if running == nil { state.hostTurn.endIfChanged(by: state.lastMutation) }
      // The name of a parent that has ended may be another one's by now.
      let parent = parent?.isDisposed == true ? nil : parent ?? running?.node
      let hosting = Hosting()
      let node = state.addNode(
        name: name, id: id, tracking: tracking, parent: parent,
        cause: state.cause(ofHosted: parent, hosting, within: outer), site: site)
      node.hosting = hosting
      node.isDirty = false
      return node
    }
  }

  /// Runs the body of a hosted projection and records that; only runs it if the projection has ended, or runs already.
  ///
  /// - Parameters:
  ///   - inputChanged: Whether what was handed in differs, if it ran before; nil where that is not known.
  ///   - changed: Whether an output differs from the last, which is called within the run.
  func run<Output>(
    hosted node: Node, inputChanged: Bool?, _ body: () throws -> Output, changed isChanged: (Output) -> Bool?
  ) rethrows -> Output {
    let outer = Frame.current
    let state = lock()
    let own = state.own
    let isWithin = state.hostedRun(within: outer) != nil
    if !isWithin { state.hostTurn.endIfChanged(by: state.lastMutation) }
    guard !node.isRunning, let frame = state.start(node, of: self, within: outer, own) else {
      unlock()
      return try body()
    }
    node.inputChanged = node.hosting?.turn == 0 ? nil : inputChanged
    node.hosting?.turn = state.hostTurn.number
    node.hosting?.cause = frame.cause
    unlock()
    var changed: Bool?
    let began = TickClock.now()
    defer {
      withLock { frame.noteHandedOn(in: $0) }
      _ = finish(node, frame, within: outer, own, from: began, changed)
      _ = lock()
      own.recycle(frame)
      flushAndUnlock(state)
      if !isWithin { withLock { $0.hostTurn.take(upTo: $0.lastMutation) } }
    }
    return try frame.run {
      let output = try body()
      changed = isChanged(output)
      return output
    }
  }

  /// Runs an action of the host that follows from the last run of a hosted projection, if that was in this turn.
  func perform<Output>(after node: Node, _ action: () throws -> Output) rethrows -> Output {
    if isClosed { return try action() }
    let outer = Frame.current
    let (cause, isWithin) = withLock { state in
      let isWithin = state.hostedRun(within: outer) != nil
      if !isWithin { state.hostTurn.endIfChanged(by: state.lastMutation) }
      let own = node.hosting.flatMap { $0.turn == state.hostTurn.number ? $0.cause : nil }
      // While nothing runs, sets of scalars look for no cause.
      state.runs.begin()
      return (outer?.engine === self ? outer?.cause ?? own : own, isWithin)
    }
    let frame = Frame(engine: self, node: nil, cause: cause, isTracking: false, outer: outer)
    defer {
      withLock { state in
        state.runs.forgetIfLast()
        state.runs.end()
        if !isWithin { state.hostTurn.take(upTo: state.lastMutation) }
        if !isTakenAgain { state.endAbandoned() }
      }
    }
    return try frame.run(action)
  }

  /// Ends the present turn of the host.
  func endHostTurn() { withLock { $0.hostTurn.end() } }

  /// Notes that the app has released a hosted projection, which ends as soon as nothing runs. The last reference may be
  /// released on any thread, also while that holds the lock.
  func abandon(hosted node: Node) {
    withLock { state in
      guard !isClosed, !node.isDisposed else { return }
      state.abandoned.append(node)
      // Code of this thread that holds the lock may be in the middle of recording an event.
      if !isTakenAgain { state.endAbandoned() }
    }
  }
}

extension EngineState {
  /// The innermost run of a hosted projection of this session, among a frame and those around it.
  fileprivate func hostedRun(within frame: Frame?) -> Frame? {
    var next = frame
    while let frame = next {
      if frame.engine === engine, frame.node?.hosting != nil { return frame }
      next = frame.outer
    }
    return nil
  }

  /// Why a hosted projection runs that nothing has invalidated: for the reason of the nearest projection around it that
  /// has run in this turn, or is running. One that runs for the first time may do so because of any run.
  func cause(ofHosted parent: Node?, _ hosting: Hosting, within outer: Frame?) -> UInt64? {
    var next = parent
    while let ancestor = next {
      if let hosting = ancestor.hosting, hosting.turn == hostTurn.number { return hosting.cause }
      next = ancestor.parent
    }
    return hosting.turn == 0 && outer?.engine === engine ? outer?.cause : nil
  }
}
