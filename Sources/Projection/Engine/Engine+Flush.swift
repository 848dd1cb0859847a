import EventLog

extension Engine {
  /// Runs all that is out of date, unless a run, a transaction or a hold is under way: then its end will.
  func flush() {
    lock.lock()
    guard !isFlushing, runsUnderWay == 0, holds == 0, core.openTransactions == 0, !queue.isEmpty, !isClosed
    else { return lock.unlock() }
    isFlushing = true
    let outer = Frame.current
    while let node = nextToRun() {
      let frame = start(node, within: outer)
      lock.unlock()
      if let frame { run(node, frame, within: outer) }
      lock.lock()
    }
    lock.unlock()
  }

  /// Takes the next node that has something to do; ends the flush when there is none. Called under the lock.
  private func nextToRun() -> Node? {
    while let node = queue.next() {
      if queue.rounds >= FlushQueue.maximumRounds {
        stopEndlessFlush(at: node)
        break
      }
      guard node.isDirty, !node.isDisposed, node.derived == nil || isObserved(derived: node),
        !holdsBack(node)
      else { continue }
      return node
    }
    queue.endFlush()
    isFlushing = false
    return nil
  }

  private func stopEndlessFlush(at first: Node) {
    var names: [String] = []
    var next: Node? = first
    while let node = next {
      if names.count < 20 { names.append(node.name) }
      node.isDirty = false
      node.wokenBy = nil
      next = queue.next()
    }
    diagnostics.append(
      SessionDiagnostic(
        message: "stopped after \(FlushQueue.maximumRounds) rounds: these keep waking each other: "
          + names.joined(separator: ", ")))
  }
}
