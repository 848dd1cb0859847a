import EventLog
import Invalidation

// A hosted projection is a node whose body its host runs, as SwiftUI runs the body of a view. The session
// records these runs and what invalidates the node; it does not run or queue it.

/// The engine's data about a hosted projection, besides its node.
final class Hosting {
  /// The turn in which it last ran; 0 before its first run.
  @exclusivity(unchecked) fileprivate(set) var turn: UInt64 = 0
  /// The event that caused that run.
  @exclusivity(unchecked) fileprivate(set) var cause: UInt64?
  /// The last turn in which it ran twice and read something else each time, and the number of these turns.
  @exclusivity(unchecked) fileprivate var mixedTurn: UInt64 = 0
  @exclusivity(unchecked) fileprivate var mixedTurns = 0
  /// The event in which the projection was made.
  @exclusivity(unchecked) fileprivate(set) var madeBy: UInt64?
  /// What the host has of the projection: a `HostedProjection`, which knows the engine.
  @exclusivity(unchecked) weak var handle: AnyObject?
  /// What to call when the projection goes out of date; nil for nothing.
  @exclusivity(unchecked) var onInvalidate: (() -> Void)?
  /// Whether a flush is going to call that.
  @exclusivity(unchecked) var isSignalled = false
  /// Whether the projection is in the list of those that are out of date.
  @exclusivity(unchecked) var isListed = false
  /// Whether the host tells what runs have drawn; see ``HeldRun``.
  @exclusivity(unchecked) var isDrawnLater = false
  /// The last run, as long as the log does not have it.
  @exclusivity(unchecked) var heldRun: HeldRun?
  /// The roots that end with the projection.
  @exclusivity(unchecked) var roots: [String] = []

  init() {}

  /// Releases the host's code.
  func end() { onInvalidate = nil }
}

/// Groups runs of hosted projections into turns.
///
/// A host runs the body of a child after that of its parent has ended, so no frame shows why the child runs.
/// If both run in the same turn, the parent is the cause. A turn ends with the next change of the state, or
/// mark, that no hosted run caused, and when the host ends it. A frame is one turn, whatever is changed meanwhile.
struct HostTurn {
  /// The number of the current turn.
  private(set) var number: UInt64 = 1
  /// The last change that belongs to the turn or precedes it.
  private var lastMutation: UInt64 = 0
  /// Whether the host ends its turns itself, so that each is known to be one frame.
  private(set) var isEndedByHost = false
  /// How many frames are being drawn, within each other.
  private var frames = 0

  /// Ends the turn if a change that does not belong to it has been made.
  mutating func endIfChanged(by mutation: UInt64) {
    if mutation == lastMutation { return }
    end()
    lastMutation = mutation
  }

  /// Extends the turn by changes, because a hosted run caused them.
  mutating func extend(upTo mutation: UInt64) { lastMutation = mutation }

  /// Ends the turn, unless a frame is being drawn.
  mutating func end() { if frames == 0 { number += 1 } }

  /// Ends the turn because the host says so.
  mutating func endByHost() {
    isEndedByHost = true
    number += 1
  }

  /// Begins a frame, which ends the turn.
  mutating func beginFrame() {
    endByHost()
    frames += 1
  }

  /// Ends a frame, and its turn.
  mutating func endFrame() {
    frames -= 1
    endByHost()
  }
}

extension Engine {
  /// Makes a hosted projection. Without a given parent it becomes a child of the current hosted run, if there
  /// is one.
  func makeHosted(
    name: String, id: AnyHashable?, tracking: Tracking, parent: Node?, site: String?, home: (any Actor)?
  )
    -> Node
  {
    let outer = Frame.current
    return withLock { state in
      let running = state.hostedRun(within: outer)
      if running == nil { state.endHostTurnIfChanged() }
      // After a parent has ended, another node may have its name.
      let parent = parent?.isDisposed == true ? nil : parent ?? running?.node
      let hosting = Hosting()
      hosting.madeBy = state.cause(ofHosted: parent, hosting, within: outer)
      let node = state.addNode(
        name: name, id: id, tracking: tracking, parent: parent, cause: hosting.madeBy, site: site)
      node.hosting = hosting
      node.home = home
      node.isDirty = false
      return node
    }
  }

  /// Runs the body of a hosted projection and records the run. If the projection has ended or is running
  /// already, it only runs the body.
  ///
  /// - Parameters:
  ///   - input: The input, to compare with the last one; nil if the host compares them itself.
  ///   - inputChanged: Whether the input differs from the last one; nil if that is not known.
  ///   - changed: Returns whether an output differs from the last one. It is called within the run.
  func run<Output>(
    hosted node: Node, input: ChildInput? = nil, inputChanged: Bool?, _ body: () throws -> Output,
    changed isChanged: (Output) -> Bool?
  ) rethrows -> Output {
    let outer = Frame.current
    // Comparing them may run the app's code.
    let isSame = input.map { compare($0, with: node.input, within: outer) }
    let state = lock()
    let own = state.own
    let isWithin = state.hostedRun(within: outer) != nil
    if !isWithin { state.endHostTurnIfChanged() }
    let isSecond = !node.isDirty && node.hosting?.turn == state.hostTurn.number
    state.releaseHeldRun(of: node)
    guard !node.isRunning, let frame = state.start(node, of: self, within: outer, own) else {
      unlock()
      return try body()
    }
    if let input, let isSame {
      node.input = input
      node.inputChanged = isSame.map { !$0 }
      if !input.isComparable { state.reportIncomparable(input, of: node) }
      if input.isComparedByParts { state.countComparison(byPartsOf: input, of: node) }
    } else {
      node.inputChanged = node.hosting?.turn == 0 ? nil : inputChanged
    }
    node.hosting?.turn = state.hostTurn.number
    node.hosting?.cause = frame.cause
    unlock()
    var changed: Bool?
    let began = TickClock.now()
    defer {
      withLock {
        frame.registerHandedOn(in: $0)
        if isSecond { $0.checkIdentity(of: node, frame) }
      }
      _ = finish(node, frame, within: outer, own, from: began, changed)
      _ = lock()
      own.recycle(frame)
      flushAndUnlock(state)
      if !isWithin { withLock { $0.hostTurn.extend(upTo: $0.lastMutation) } }
    }
    return try frame.run {
      let output = try mayObserve(node) ? observedIfDue(node, frame, body) : body()
      changed = isChanged(output)
      return output
    }
  }

  /// Runs an action of the host that follows from the last run of a hosted projection, if that run was in
  /// this turn.
  func perform<Output>(after node: Node, _ action: () throws -> Output) rethrows -> Output {
    if isClosed { return try action() }
    let outer = Frame.current
    let (cause, isWithin) = withLock { state in
      let isWithin = state.hostedRun(within: outer) != nil
      if !isWithin { state.endHostTurnIfChanged() }
      let own = node.hosting.flatMap { $0.turn == state.hostTurn.number ? $0.cause : nil }
      // If no run were registered, sets of scalars would not look up their cause.
      state.runs.begin()
      return (outer?.engine === self ? outer?.cause ?? own : own, isWithin)
    }
    let frame = Frame(engine: self, node: nil, cause: cause, isTracking: false, outer: outer)
    defer {
      withLock { state in
        state.runs.forgetIfLast()
        state.runs.end()
        if !isWithin { state.hostTurn.extend(upTo: state.lastMutation) }
        if !isTakenAgain { state.endAbandoned() }
      }
    }
    return try frame.run { try carrying(frame.cause, action) }
  }

  /// Whether a hosted projection has run, is up to date, and would get the same input as at its last run.
  func isCurrent<Input>(hosted node: Node, for input: Input) -> Bool {
    let last = withLock { _ in node.isDirty || node.isDisposed || isClosed ? nil : node.input }
    guard let last = last as? InputBox<Input> else { return false }
    guard last.mayTakeLong, let frame = Frame.current, frame.engine === self else {
      return last.isSame(as: input) == true
    }
    return frame.timingComparison { last.isSame(as: input) } == true
  }

  /// Records that the host did not run a projection, because it is up to date and has the same input.
  func markSkip(hosted node: Node, site: String) {
    let outer = Frame.current
    withLock { state in
      guard !node.isDisposed, !isClosed, let hosting = node.hosting else { return }
      if state.hostedRun(within: outer) == nil { state.endHostTurnIfChanged() }
      let cause = state.cause(ofHosted: node.parent, hosting, within: outer)
      let label = MarkLabel.skipped(projection: node.name).text.asName
      state.recorder.emit(.mark(label: label), cause: cause, site: site)
    }
  }

  /// Makes a hosted projection the child of another parent.
  ///
  /// The log has this as an end and a new beginning under the same name, with the same reads. That the beginning
  /// has the end as its cause, which nothing else has, distinguishes it from a new projection. Within a transaction
  /// it is recorded when that ends, because a projection that begins there has not missed the changes before.
  func move(hosted node: Node, to parent: Node?) {
    withLock { state in
      let parent = parent?.isDisposed == true ? nil : parent
      guard !node.isDisposed, !isClosed, node.parent !== parent else { return }
      if let parent, parent.isWithin(node) {
        state.report("\(node.name) was not moved into \(parent.name), which is within it")
        return state.appendDiagnostics()
      }
      node.parent = parent
      if !state.moved.contains(where: { $0 === node }) { state.moved.append(node) }
      if state.core.openTransactions == 0 { state.recordMoves() }
    }
  }

  /// Ends the current turn of the host.
  func endHostTurn() {
    withLock { state in
      state.releaseHeldRuns()
      state.hostTurn.endByHost()
    }
  }

  /// Begins a frame of the host, which lasts until ``endFrame()``.
  func beginFrame() {
    withLock { state in
      state.releaseHeldRuns()
      state.hostTurn.beginFrame()
    }
  }

  /// Ends a frame of the host.
  func endFrame() {
    withLock { state in
      state.releaseHeldRuns()
      state.hostTurn.endFrame()
    }
  }

  /// Records that the app has released a hosted projection, which ends as soon as nothing runs. The app may
  /// release the last reference on any thread, even on one that holds the lock.
  func abandon(hosted node: Node) {
    withLock { state in
      guard !isClosed, !node.isDisposed else { return }
      state.abandoned.append(node)
      // If this thread already holds the lock, it may be in the middle of recording an event.
      if !isTakenAgain { state.endAbandoned() }
    }
  }
}

extension Node {
  /// Whether it is another node or below it.
  fileprivate func isWithin(_ other: Node) -> Bool {
    var next: Node? = self
    while let node = next, node !== other { next = node.parent }
    return next != nil
  }
}

extension EngineState {
  /// Ends the turn of the host if a change that does not belong to it has been made.
  fileprivate func endHostTurnIfChanged() {
    let turn = hostTurn.number
    hostTurn.endIfChanged(by: lastMutation)
    if turn != hostTurn.number { releaseHeldRuns() }
  }

  /// Ends the turn of the host, unless a frame is being drawn.
  func endHostTurn() {
    let turn = hostTurn.number
    hostTurn.end()
    if turn != hostTurn.number { releaseHeldRuns() }
  }

  /// Records the moves of hosted projections. No transaction may be open.
  func recordMoves() {
    for node in moved where !node.isDisposed { recordMove(of: node) }
    moved = []
  }

  private func recordMove(of node: Node) {
    releaseHeldRun(of: node)
    let end = recorder.append { log, time throws(LogError) in
      try log.appendDispose(&node.loggedName, time: time)
    }
    node.beginAgain(order: core.replaceNode(node.id, tracking: node.tracking))
    let parent = node.parent?.isDisposed == true ? nil : node.parent?.name
    let beginning = Event.Body.projection(name: node.name, parent: parent, tracking: node.tracking)
    recorder.emit(beginning, cause: end, site: node.site)
    if !node.lastReads.isEmpty { changeReads(added: node.lastReads, dropped: [], of: node, cause: end) }
  }

  /// Marks the current run of a hosted projection, which no event has caused, as the cause of what its body writes. Otherwise
  /// these would look like writes of the app itself. Returns the mark; nil if there is no such run.
  func markHostRun() -> UInt64? {
    guard let frame = Frame.current, frame.engine === engine, frame.cause == nil, let node = frame.node,
      let hosting = node.hosting
    else { return nil }
    let seq = recorder.emit(.mark(label: MarkLabel.hostRun(projection: node.name).text.asName))
    frame.setCause(seq)
    hosting.cause = seq
    return seq
  }

  /// Reports a projection that runs twice in one turn of its host, reads something else each time though nothing has put it out
  /// of date, and does so again: it stands for two views. One such turn may be an accident.
  fileprivate func checkIdentity(of node: Node, _ frame: Frame) {
    guard hostTurn.isEndedByHost, let hosting = node.hosting, hosting.mixedTurn != hosting.turn,
      !frame.reads.isAsExpected, Set(frame.reads.slots) != Set(node.lastReads)
    else { return }
    hosting.mixedTurn = hosting.turn
    hosting.mixedTurns += 1
    guard hosting.mixedTurns == 2 else { return }
    let name = node.name.projectionGroup
    report(
      "\(name) runs twice in one turn of its host, and reads something else each time: an identity is not one view; key"
        + " projections by identity and type, and measure in untracked code")
  }

  /// The innermost run of this session's hosted projections among a frame and its outer frames.
  fileprivate func hostedRun(within frame: Frame?) -> Frame? {
    var next = frame
    while let frame = next {
      if frame.engine === engine, frame.node?.hosting != nil { return frame }
      next = frame.outer
    }
    return nil
  }

  /// The cause of a hosted projection's run if no event has invalidated the projection: that of the nearest
  /// projection around it that has run in this turn or is running. Then it is the action around it. A first run may be caused by
  /// any run, or else by what the projection was made in.
  func cause(ofHosted parent: Node?, _ hosting: Hosting, within outer: Frame?) -> UInt64? {
    var next = parent
    while let ancestor = next {
      if let hosting = ancestor.hosting, hosting.turn == hostTurn.number { return hosting.cause }
      next = ancestor.parent
    }
    if let outer, outer.engine === engine {
      // A host that draws within a callback may draw a frame, which is an action.
      let isAction = outer.cause.map { actions[$0] != nil } ?? false
      return hosting.turn == 0 || isAction ? outer.cause : nil
    }
    return AmbientCause.seq(in: engine) ?? (hosting.turn == 0 ? hosting.madeBy : nil)
  }
}
