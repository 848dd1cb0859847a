import EventLog

extension Engine {
  /// Runs all that is out of date, unless a run, a transaction or a hold is under way: then its end will.
  func flush() {
    lock.lock()
    flushAndUnlock()
  }

  /// The same. Called under the lock, which it gives back.
  func flushAndUnlock() {
    let own = own
    if !abandoned.isEmpty { endAbandoned() }
    guard own.isFree, core.openTransactions == 0, !own.queue.isEmpty, !isClosed else { return lock.unlock() }
    own.isFlushing = true
    let outer = Frame.current
    while let node = nextToRun(own) {
      guard let frame = start(node, within: outer, own) else { continue }
      lock.unlock()
      run(node, frame, within: outer, own)
      lock.lock()
      own.recycle(frame)
    }
    if !abandoned.isEmpty { endAbandoned() }
    lock.unlock()
  }

  /// Takes the next node that has something to do; ends the flush when there is none. Called under the lock.
  private func nextToRun(_ own: ThreadFlush) -> Node? {
    while let node = own.queue.next() {
      if own.queue.rounds >= FlushQueue.maximumRounds {
        stopEndlessFlush(own, at: node)
        break
      }
      // One that runs on another thread looks again itself when it ends.
      guard !node.isDisposed, !node.isRunning, node.derived == nil || isAwaited(derived: node),
        !holdsBack(node)
      else { continue }
      return node
    }
    own.queue.endFlush()
    own.isFlushing = false
    return nil
  }

  /// Whether a receiver may be called so many times; it may not when it keeps setting what it hears of.
  func mayCall(_ node: Node, times: Int) -> Bool {
    lock.withLock {
      if own.queue.noteCalls(times) { return true }
      diagnostics.append(
        SessionDiagnostic(
          message:
            "stopped after \(FlushQueue.maximumCalls) calls: \(node.name) keeps setting what it hears of"))
      return false
    }
  }

  private func stopEndlessFlush(_ own: ThreadFlush, at first: Node) {
    var names: [String] = []
    var next: Node? = first
    while let node = next {
      if names.count < 20 { names.append(node.name) }
      node.isDirty = false
      node.wokenBy = nil
      next = own.queue.next()
    }
    diagnostics.append(
      SessionDiagnostic(
        message: "stopped after \(FlushQueue.maximumRounds) rounds: these keep waking each other: "
          + names.joined(separator: ", ")))
  }
}
