import EventLog

extension Engine {
  /// Runs all that is out of date, unless a run, a transaction or a hold is under way: then its end will.
  func flush() {
    let mayStart = lock.withLock {
      guard !isFlushing, runsUnderWay == 0, holds == 0, core.openTransactions == 0, !queue.isEmpty, !isClosed
      else { return false }
      isFlushing = true
      return true
    }
    guard mayStart else { return }
    while let node = nextToRun() { evaluate(node) }
  }

  /// Takes the next node that has something to do; ends the flush when there is none.
  private func nextToRun() -> Node? {
    lock.withLock {
      while let id = queue.next() {
        if queue.rounds >= FlushQueue.maximumRounds {
          stopEndlessFlush(at: id)
          break
        }
        guard let node = nodes[id], node.isDirty, node.isEager?() ?? true else { continue }
        return node
      }
      queue.reset()
      isFlushing = false
      return nil
    }
  }

  private func stopEndlessFlush(at id: Node.ID) {
    var names: [String] = []
    var next: Node.ID? = id
    while let id = next, names.count < 20 {
      if let node = nodes[id] {
        names.append(node.name)
        node.isDirty = false
        node.wokenBy = nil
      }
      next = queue.next()
    }
    diagnostics.append(
      SessionDiagnostic(
        message: "stopped after \(FlushQueue.maximumRounds) rounds: these keep waking each other: "
          + names.joined(separator: ", ")))
  }
}
