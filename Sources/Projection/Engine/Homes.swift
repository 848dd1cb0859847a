import CTicks
import EventLog

// A body belongs to the actor on which it was made. Mostly nothing needs to know that: what a body reads belongs to its actor, and
// what a thread changes is delivered on that thread. But a flush of the whole session, and what is due later, also concern what
// other actors have made; that is handed over to them.

/// Tells whose code the current thread runs, which code without an isolation of its own does not know.
enum CurrentActor {
  /// Whether it is that of an actor. Of one with an executor of its own this is known within tasks only.
  ///
  /// Threads do not tell: one runs the code of many actors, and on Linux no thread is that of the main actor once the main
  /// function has suspended.
  static func isOn(_ actor: any Actor) -> Bool {
    let executor = current_executor()
    return executor != 0 ? executor == identity(of: actor) : actor is MainActor && is_main_thread() != 0
  }

  private static func identity(of actor: any Actor) -> UInt {
    unsafeBitCast(actor.unownedExecutor, to: swift_executor.self).identity
  }
}

extension EngineState {
  /// Whether a node may run on the current thread: if it was made on the actor whose code this is, or on none.
  fileprivate func isHere(_ node: Node) -> Bool {
    guard let home = node.home, clock.driven == nil else { return true }
    return own.actor === home || CurrentActor.isOn(home)
  }

  /// Queues a node that is out of date on its own actor.
  func deliver(_ node: Node) {
    if !isHere(node) { return handOver(node) }
    if node.hosting == nil { enqueue(node) } else { signal(node) }
  }

  /// Queues what waits for the actor whose code the thread runs.
  func deliverHandedOver() {
    for (key, waiting) in handedOver where waiting.first.map({ isHere($0) }) ?? true {
      handedOver[key] = nil
      for node in waiting where node.isDirty && !node.isDisposed { deliver(node) }
    }
  }

  /// Reports what has not run, because the session is closed on another actor than its own.
  func reportHandedOver() {
    let names = handedOver.values.joined().filter { $0.isDirty && !$0.isDisposed }.map(\.name).sorted()
    if names.isEmpty { return }
    report(
      "closed before the actors on which these were made could run them: \(names.prefix(20).joined(separator: ", "))"
        + (names.count > 20 ? " and \(names.count - 20) more" : "")
        + "; flush and await something before close()")
  }

  private func handOver(_ node: Node) {
    guard let home = node.home else { return }
    // There it is not known that a flush has ended the delay.
    if own.ignoresPace { node.pacing?.endDelay() }
    let isFirst = handedOver[ObjectIdentifier(home), default: []].isEmpty
    handedOver[ObjectIdentifier(home), default: []].append(node)
    if isFirst { engine.runHandedOver(to: home) }
  }
}

extension Engine {
  /// Whether something waits for another actor to run it.
  var awaitsOthers: Bool { withLock { !$0.handedOver.isEmpty } }

  /// Runs the cleanups of what other actors have made, there, soon.
  func cleanElsewhere() {
    let cleanups = withLock { state in
      state.nodes.all.sorted { $0.order > $1.order }.filter { !$0.cleanups.isEmpty && !state.isHere($0) }
        .compactMap { node in
          node.home.map { Cleanups(home: $0, actions: state.popCleanups(of: node)) }
        }
    }
    for cleanups in cleanups { Task.detached { await cleanups.run(on: cleanups.home) } }
  }

  /// Code of an actor, which only that calls.
  private struct Cleanups: @unchecked Sendable {
    let home: any Actor
    let actions: [() -> Void]

    func run(on home: isolated any Actor) async { for action in actions { action() } }
  }

  fileprivate func runHandedOver(to home: any Actor) {
    Task.detached { [weak self] in await self?.flushHandedOver(on: home) }
  }

  private func flushHandedOver(on home: isolated any Actor) async {
    flush(on: home) { state in state.deliverHandedOver() }
  }

  /// Flushes as code of an actor, after `prepare` has queued what is to run; nil if the actor is not known.
  ///
  /// - Parameter isLooking: Whether what has changed of the thread's followed objects is recorded before.
  ///
  /// What this writes meanwhile may get into a collection of changes that another thread has begun. It is flushed again for that.
  func flush(on actor: (any Actor)?, looking isLooking: Bool = false, _ prepare: (EngineState) -> Void) {
    for _ in 0..<FlushQueue.maximumRounds {
      var state = lock()
      let (own, outer) = (state.own, state.own.actor)
      if let actor { own.actor = actor }
      own.hasCollected = false
      if isLooking {
        unlock()
        lookAtOwn()
        state = lock()
      }
      prepare(state)
      flushAndUnlock(state)
      let isDone = withLock { _ in
        own.actor = outer
        return !own.hasCollected
      }
      if isDone { return }
    }
  }
}
