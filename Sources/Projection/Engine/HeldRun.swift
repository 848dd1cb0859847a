import EventLog
import Invalidation

// The body of a view in most frameworks returns another view. What can be compared is what the host draws for it, and that is
// known after its children have run. So the log gets the run of a projection whose host tells what it has drawn when that is
// told, or else when the turn ends.

/// A run of a hosted projection that has ended, and that the log does not have yet.
struct HeldRun {
  /// The time of its end by the system's clock.
  let ended: UInt64
  /// In nanoseconds, of which some passed in comparing.
  var duration: UInt64
  var comparing: UInt64
  let cause: UInt64?
  let inputChanged: Bool?
  /// Whether nothing may tell if its output changed.
  let isHidden: Bool
}

extension EngineState {
  /// Whether the log gets a run later. Within a transaction it does not, since readers of the log compare what is changed there
  /// with the values at the event of the run.
  func holdsRun(of node: Node) -> Bool {
    node.hosting?.isDrawnLater == true && core.openTransactions == 0 && !engine.isClosed
  }

  /// Keeps a run for the log.
  func hold(_ run: HeldRun, of node: Node) {
    node.hosting?.heldRun = run
    heldRuns.append(node)
    hasHeldRuns = true
  }

  /// Records a run that is held, if there is one.
  ///
  /// - Parameters:
  ///   - changed: Whether its output differed; nil if that is not known.
  ///   - comparing: The time that it took to find out.
  func releaseHeldRun(of node: Node, changed: Bool? = nil, comparing: UInt64 = 0) {
    guard hasHeldRuns, node.hosting?.heldRun != nil else { return }
    heldRuns.removeAll { $0 === node }
    hasHeldRuns = !heldRuns.isEmpty
    record(node, changed: changed, comparing: comparing)
  }

  /// Records all runs that are held, with unknown outputs.
  func releaseHeldRuns() {
    if !hasHeldRuns { return }
    let nodes = heldRuns
    (heldRuns, hasHeldRuns) = ([], false)
    for node in nodes { record(node, changed: nil, comparing: 0) }
  }

  /// Records the runs that have read something of a property, before it changes: the log has a run before the events that put it
  /// out of date.
  ///
  /// Cost: the reads of the runs that are held, so nothing outside of a turn.
  func releaseHeldRuns(reading property: SlotID) {
    if !hasHeldRuns { return }
    let object = core.object(of: property)
    let readers = heldRuns.filter { node in
      !node.earlyReads.isEmpty
        || node.lastReads.contains {
          core.property(of: $0) == property || node.tracking == .object && core.object(of: $0) == object
        }
    }
    for node in readers { releaseHeldRun(of: node) }
  }

  /// Records the runs that an event at a path may put out of date. That of a new root puts none.
  func releaseHeldRuns(before path: Path) {
    if !hasHeldRuns { return }
    if path.components.isEmpty, case .named(let name) = path.root, core.state.roots[name] == nil,
      heldRuns.allSatisfy(\.earlyReads.isEmpty)
    {
      return
    }
    releaseHeldRuns()
  }

  private func record(_ node: Node, changed: Bool?, comparing: UInt64) {
    guard let run = node.hosting?.heldRun else { return }
    node.hosting?.heldRun = nil
    let changed = run.isHidden ? nil : changed
    _ = recorder.append(atClock: run.ended) { log, time throws(LogError) in
      try log.appendEvaluate(
        &node.loggedName, duration: run.duration + comparing, changed: changed,
        inputChanged: run.inputChanged, comparing: run.comparing + comparing, time: time, cause: run.cause)
    }
  }
}

extension Engine {
  /// Takes what the host has drawn for a projection. If the log does not have its last run yet, it gets it now.
  ///
  /// Cost: without such a run, as for most that a frame draws, that of `keep`.
  ///
  /// - Parameters:
  ///   - isChanged: Returns whether that differs from what was drawn before, which it replaces; nil if they cannot be compared.
  ///   - keep: Replaces what was drawn before.
  func drew(_ node: Node, timing isTimed: Bool, changed isChanged: () -> Bool?, keep: () -> Void) {
    let isHeld = withLock { _ in
      guard !isClosed, !node.isDisposed, let hosting = node.hosting else { return false }
      hosting.isDrawnLater = true
      return hosting.heldRun != nil
    }
    guard isHeld else { return keep() }
    // Comparing may run the app's code, outside the lock.
    let began = isTimed ? TickClock.now() : 0
    let changed = Frame.untracked(isChanged)
    let ended = isTimed ? TickClock.now() : 0
    withLock { state in
      guard !isClosed, !node.isDisposed else { return }
      state.releaseHeldRun(of: node, changed: changed, comparing: ended > began ? ended - began : 0)
    }
  }
}
