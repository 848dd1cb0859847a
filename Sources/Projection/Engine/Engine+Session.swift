import EventLog

extension Engine {
  func beginTransaction(_ label: String?, site: String) {
    lock.withLock {
      if isClosed { return }
      collect(cause: currentCause)
      for measurement in measurements { measurement.noteBegin(label, site: site) }
      begin(label, cause: currentCause, site: site)
    }
  }

  func endTransaction() {
    lock.withLock {
      if isClosed { return }
      end(cause: currentCause)
      for measurement in measurements { measurement.noteEnd() }
      endCollectionIfDue()
    }
    flush()
  }

  func mark(_ label: String, site: String) {
    lock.withLock {
      if isClosed { return }
      emit(.mark(label: label), cause: currentCause, site: site)
    }
  }

  /// From here on the origins of events are found out so, or not at all.
  func setOrigins(_ origins: OriginRecorder?) {
    lock.withLock {
      self.origins = origins
      // Places that are meant are written to the slow way.
      core.forgetPlans()
      if origins != nil, !CallStack.isAvailable {
        diagnostics.append(
          SessionDiagnostic(
            message: "call stacks cannot be had with this C library; origins tell thread and task alone"))
      }
    }
  }

  /// A place in the source as the log has it. The last one is kept: one place makes a hundred rows.
  func site(_ fileID: String, _ line: Int) -> String {
    lock.withLock {
      if lastSite.line == line, lastSite.fileID == fileID { return lastSite.text }
      lastSite = (fileID, line, "\(fileID):\(line)")
      return lastSite.text
    }
  }

  /// Ends the transaction that collects changes, if there is one, and runs what it made out of date.
  func flushCollected() {
    lock.withLock { endCollection() }
    flush()
  }

  /// The event on whose account the current thread runs, if it does for this session.
  var currentCause: UInt64? {
    Frame.current.flatMap { $0.engine === self ? $0.cause : nil }
  }

  func close() throws {
    flushAll()
    cleanAll()
    let log: LogWriter? = lock.withLock {
      markClosed()
      defer { self.log = nil }
      releaseNodes()
      return self.log
    }
    if let logError { throw logError }
    try log?.close()
  }

  /// Does what all projections want done at their end, and runs nothing because of it.
  private func cleanAll() {
    hold()
    defer {
      lock.withLock {
        endCollection()
        own.holds -= 1
      }
    }
    while !isClosed {
      let isDone = lock.withLock {
        for node in nodes.values.sorted(by: { $0.id > $1.id }) where !node.cleanups.isEmpty {
          own.cleanups += takeCleanups(of: node)
        }
        return own.cleanups.isEmpty
      }
      if isDone { return }
      cleanEnded()
    }
  }

  /// The session is gone: what was recorded is completed, and nobody is left to tell of an error.
  func shutDown() {
    do { try close() } catch { report(.init(message: "\(error)")) }
  }

  /// Bodies hold the app's objects, which hold their attachment, which holds the engine.
  private func releaseNodes() {
    diagnostics += diagnosticsOfEarlyReads()
    (earlyReaders, lateFollowers, attachedDuringRuns) = ([:], [:], [:])
    abandoned = []
    for node in nodes.values {
      node.end()
      node.children = [:]
    }
    for flush in flushes.values { flush.end() }
    nodes = [:]
    held = [:]
    receivers = [:]
    derivedByPlace = [:]
    playback.removeAll()
  }
}
