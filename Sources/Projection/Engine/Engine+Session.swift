import EventLog

extension Engine {
  func beginTransaction(_ label: String?, site: String) {
    withLock { state in
      if isClosed { return }
      state.collect()
      for measurement in state.measurements { measurement.noteBegin(label, site: site) }
      state.begin(label, cause: currentCause, site: site)
    }
  }

  func endTransaction() {
    withLock { state in
      if isClosed { return }
      state.end(cause: currentCause)
      for measurement in state.measurements { measurement.noteEnd() }
      state.endCollectionIfDue()
    }
    flush()
  }

  func mark(_ label: String, site: String?) {
    withLock { state in
      if isClosed { return }
      let cause = currentCause
      if cause == nil { state.hostTurn.end() }
      state.recorder.emit(.mark(label: label), cause: cause, site: site)
    }
  }

  /// Sets how the origins of events are found from now on; nil for not at all.
  func setOrigins(_ origins: OriginRecorder?) {
    withLock { state in
      state.recorder.setOrigins(origins)
      if origins != nil, !CallStack.isAvailable {
        state.diagnostics.report(
          "this C library cannot capture call stacks; origins have thread and task alone")
      }
    }
  }

  /// A source location as the log has it. The text of the last one is kept, since a hundred rows may have one
  /// location.
  func site(_ fileID: String, _ line: Int) -> String {
    withLock { $0.recorder.site(fileID, line) }
  }

  /// Ends the transaction that collects changes, if there is one, and runs what it made out of date.
  func flushCollected() {
    withLock { $0.endCollection() }
    flush()
  }

  /// The event on whose account the current thread runs, if it does for this session.
  var currentCause: UInt64? {
    Frame.current.flatMap { $0.engine === self ? $0.cause : nil }
  }

  /// Returns when all events so far have reached a level. Waits outside the lock.
  func sync(_ level: Durability) throws {
    try withLock({ try $0.recorder.openLog() })?.ensure(level)
  }

  func close() throws {
    flushAll()
    cleanAll()
    let (log, failure) = withLock { state in
      markClosed()
      state.releaseNodes()
      return state.recorder.end()
    }
    if let failure { throw failure }
    try log?.close()
  }

  /// Runs the cleanups of all projections, but no projections that these invalidate.
  private func cleanAll() {
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
          own.cleanups += state.takeCleanups(of: node)
        }
        return own.cleanups.isEmpty
      }
      if isDone { return }
      cleanEnded()
    }
  }

  /// Completes the log of a session that was released without `close()`. There is no caller left to whom an error
  /// could be reported.
  func shutDown() {
    do { try close() } catch { report("\(error)") }
  }
}

extension EngineState {
  /// Releases all bodies, which breaks the cycle of references: bodies retain the app's objects, which retain their
  /// attachment, which retains the engine.
  fileprivate func releaseNodes() {
    diagnostics.add(diagnosticsOfEarlyReads())
    // In the log they are marks, for readers of the log.
    for message in diagnostics.forLog {
      recorder.emit(.mark(label: ReportedDiagnostic(message).label))
    }
    earlyReaders.removeAll()
    for node in nodes.all {
      node.end()
      node.children = [:]
    }
    // The last reader of one may have been among them.
    abandoned = []
    flushes.end()
    nodes.removeAll()
    _ = held.takeAll()
    receivers.removeAll()
    derivedBySlot = [:]
    playback.removeAll()
  }
}
