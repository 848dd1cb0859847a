import EventLog

extension Engine {
  func beginTransaction(_ label: String?, site: String) {
    let label = label?.asName
    withLock { state in
      if isClosed { return }
      state.collect()
      for measurement in state.measurements { measurement.markBegin(label, site: site) }
      state.begin(label, cause: currentCause, site: site)
    }
  }

  func endTransaction() {
    withLock { state in
      if isClosed { return }
      state.end(cause: currentCause)
      for measurement in state.measurements { measurement.markEnd() }
      state.endCollectionIfDue()
    }
    flush()
  }

  func mark(_ label: String, site: String?) {
    withLock { state in
      if isClosed { return }
      if runCause == nil { state.endHostTurn() }
      state.recorder.emit(.mark(label: label.asName), cause: currentCause, site: site)
    }
  }

  /// Begins an action, and returns its event; nil if the session is closed.
  ///
  /// - Parameter cause: Its cause; nil for that of the current code.
  func beginAction(_ label: String, cause: UInt64? = nil, site: String?) -> UInt64? {
    withLock { state in
      if isClosed { return nil }
      if runCause == nil { state.endHostTurn() }
      let seq = state.recorder.emit(.action(label: label.asName), cause: cause ?? currentCause, site: site)
      state.actions[seq] = label
      return seq
    }
  }

  /// Ends an action, unless the session is closed by now.
  func endAction(_ seq: UInt64?, _ outcome: ActionOutcome) {
    guard let seq else { return }
    withLock { state in
      state.actions[seq] = nil
      if isClosed { return }
      _ = state.recorder.emit(.finish(outcome), cause: seq)
    }
  }

  /// Sets how the origins of events are determined from now on; nil turns this off.
  func setOrigins(_ origins: OriginRecorder?) {
    withLock { state in
      state.recorder.setOrigins(origins)
      if origins != nil, !CallStack.isAvailable {
        state.report("this C library cannot capture call stacks; origins have thread and task alone")
        state.appendDiagnostics()
      }
    }
  }

  /// A source location as written in the log. The text of the last location is cached, because many events in
  /// a row may share a location.
  func site(_ fileID: String, _ line: Int) -> String {
    withLock { $0.recorder.site(fileID, line) }
  }

  /// Ends the transaction that collects changes, if it is open, and runs what it made out of date.
  func flushCollected(on actor: (any Actor)? = nil) {
    flush(on: actor) { $0.endCollection() }
  }

  /// The event that caused the current thread's run, if this session's code is running on it.
  var runCause: UInt64? {
    Frame.current.flatMap { $0.engine === self ? $0.cause : nil }
  }

  /// The event that the current code's events have as their cause: that of the thread's run, or that of the task.
  var currentCause: UInt64? { runCause ?? AmbientCause.seq(in: self) }

  /// Waits until all events so far have reached a level. It waits outside the lock.
  func sync(_ level: Durability) throws {
    try withLock { state in
      state.releaseHeldRuns()
      return try state.recorder.openLog()
    }?.ensure(level)
  }

  func close(on actor: (any Actor)? = nil) throws {
    flushAll(on: actor)
    cleanAll()
    let (log, failure) = withLock { state in
      state.endFollowing()
      state.reportHandedOver()
      state.releaseHeldRuns()
      markClosed()
      state.releaseNodes()
      return state.recorder.end()
    }
    if let failure { throw failure }
    try log?.close()
  }

  /// Runs the cleanups of all projections, but not the projections that these invalidate.
  private func cleanAll() {
    cleanElsewhere()
    hold()
    defer {
      withLock { state in
        state.endCollection()
        state.endHold()
      }
    }
    while !isClosed {
      let isDone = withLock { state in
        let own = state.own
        for node in state.nodes.all.sorted(by: { $0.order > $1.order }) where !node.cleanups.isEmpty {
          own.cleanups += state.popCleanups(of: node)
        }
        return own.cleanups.isEmpty
      }
      if isDone { return }
      cleanEnded()
    }
  }

  /// Completes the log of a session that was released without `close()`. No caller is left to receive an
  /// error, so it becomes a diagnostic.
  func shutDown() {
    do { try close() } catch { report("\(error)") }
  }
}

extension EngineState {
  /// Releases all bodies. This breaks a reference cycle: bodies retain the app's objects, which retain their
  /// attachment, which retains the engine.
  fileprivate func releaseNodes() {
    // Those that have not waited long; now it is certain that the objects are not attached any more.
    for diagnostic in diagnosticsOfEarlyReads() { report(diagnostic.message) }
    appendDiagnostics()
    earlyReaders.removeAll()
    for node in nodes.all {
      node.end()
      node.children = [:]
    }
    // The last reader of an abandoned derived value may have been among the nodes.
    abandoned = []
    moved = []
    invalidatedHosted.removeAll()
    flushes.end()
    nodes.removeAll()
    _ = held.popAll()
    receivers.removeAll()
    derivedBySlot = [:]
    playback.removeAll()
  }
}
