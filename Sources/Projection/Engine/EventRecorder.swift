import EventLog

/// Gives the events of a session their seq, time and origin, and appends them to the log, if there is one.
///
/// If the log fails, recording ends: the session continues, and `close()` reports the error.
struct EventRecorder {
  private(set) var lastSeq: UInt64 = 0
  /// The time of the last event.
  private var lastTime: UInt64 = 0
  private let beginning: UInt64
  /// The time of all events while a recording is driven: the present time of the drive. Nil if the clock gives it.
  private var standing: UInt64?
  private var log: LogWriter?
  /// The log; nil once it accepts no more events. It is unretained, because reference counting would add a
  /// third to the cost of an append.
  private var uncountedLog: Unmanaged<LogWriter>?
  private var failure: (any Error)?
  /// Finds the origins of events; nil if they are not recorded.
  private var origins: OriginRecorder?
  /// The last source location that was converted to text.
  private var lastSite: (fileID: String, line: Int, text: String) = ("", 0, ":0")

  /// - Parameter elapsed: The nanoseconds that the log covers before this run of the app.
  init(log: LogWriter?, elapsed: UInt64) {
    beginning = TickClock.now() &- elapsed
    self.log = log
    uncountedLog = log.map { .passUnretained($0) }
  }

  /// The number of paths and names that the log remembers for later events.
  var tableEntries: Int { log?.tableEntries ?? 0 }

  /// Whether events reach a log.
  var isRecording: Bool { mutating get { uncountedLog != nil } }

  /// The time from the beginning of the session to a moment of the system's clock, in nanoseconds.
  private func time(atClock moment: UInt64) -> UInt64 { moment &- beginning }

  /// The time of the last event by the system's clock; nil if events have no times, because none are recorded.
  var momentOfLastEvent: UInt64? {
    mutating get { uncountedLog == nil || standing != nil ? nil : lastTime &+ beginning }
  }

  /// Gives all events this time from now on, without a clock.
  @inline(__always)
  mutating func stand(at time: UInt64) { standing = time }

  /// Gives an event the next seq and appends it to the log, if there is one. The closure must not use the
  /// recorder.
  ///
  /// - Parameter moment: The time of the event by the system's clock; nil for now.
  @inline(__always)
  mutating func append(
    atClock moment: UInt64? = nil, _ event: (LogWriter, _ time: UInt64) throws(LogError) -> Void
  ) -> UInt64 {
    lastSeq += 1
    guard let log = uncountedLog else { return lastSeq }
    // A run's end may be appended after later events of another thread, so times are kept from decreasing.
    lastTime = max(lastTime, standing ?? time(atClock: moment ?? TickClock.now()))
    append(to: log, event)
    return lastSeq
  }

  @inline(__always)
  private mutating func append(
    to log: Unmanaged<LogWriter>, _ event: (LogWriter, _ time: UInt64) throws(LogError) -> Void
  ) {
    log._withUnsafeGuaranteedRef { log in
      do { try event(log, lastTime) } catch { fail(error) }
    }
  }

  private mutating func fail(_ error: any Error) {
    failure = failure ?? error
    uncountedLog = nil
  }

  /// Sets the strand of the events from here on.
  func select(_ strand: Int) {
    uncountedLog?._withUnsafeGuaranteedRef { $0.setStrandUnderLock(strand) }
  }

  /// Records an event that does not concern the core.
  @discardableResult
  mutating func emit(_ body: Event.Body, cause: UInt64? = nil, site: String? = nil) -> UInt64 {
    invariant(cause ?? 0 <= lastSeq, "a cause comes before what it causes")
    guard var origins = origins.take() else {
      return append { log, time throws(LogError) in
        try log.append(body, time: time, cause: cause, site: site)
      }
    }
    defer { self.origins = origins }
    return append { log, time throws(LogError) in
      let origin = try origins.origin(of: body, in: log)
      _ = try log.append(body, time: time, cause: cause, site: site, from: origin)
    }
  }

  /// Records that a node is out of date, right after the event that invalidates it and with the same time.
  @inline(__always)
  mutating func appendInvalidate(_ node: Node, causes: [UInt64], by seq: UInt64) {
    invariant(
      seq <= lastSeq && causes.allSatisfy { $0 <= seq }, "a cause comes before what it invalidates")
    lastSeq += 1
    guard let log = uncountedLog else { return }
    append(to: log) { log, time throws(LogError) in
      try log.appendInvalidate(&node.loggedName, causes: causes, time: time, cause: seq)
    }
  }

  /// The same for an event that is the only cause.
  @inline(__always)
  mutating func appendInvalidate(_ node: Node, by seq: UInt64) {
    invariant(seq <= lastSeq, "a cause comes before what it invalidates")
    lastSeq += 1
    guard let log = uncountedLog else { return }
    append(to: log) { log, time throws(LogError) in
      try log.appendInvalidate(&node.loggedName, by: seq, time: time)
    }
  }

  /// Uses up a seq for an event that is not recorded, because there is no log.
  mutating func skipSeq() { lastSeq += 1 }

  /// Continues after the last event of the log that is continued.
  mutating func resume(after seq: UInt64) { lastSeq = seq }

  /// The log; nil if there is none.
  ///
  /// - Throws: The error after which it accepts no more events.
  func openLog() throws -> LogWriter? {
    if let failure { throw failure }
    return log
  }

  /// Stops accepting events.
  ///
  /// - Returns: The log, which the caller closes, and the error if it failed.
  mutating func end() -> (log: LogWriter?, failure: (any Error)?) {
    defer { (log, uncountedLog) = (nil, nil) }
    return (log, failure)
  }

  /// A source location as written in the log. The text of the last location is cached, because many events in
  /// a row may share a location.
  mutating func site(_ fileID: String, _ line: Int) -> String {
    if lastSite.line == line, lastSite.fileID == fileID { return lastSite.text }
    lastSite = (fileID, line, "\(fileID):\(line)")
    return lastSite.text
  }
}

// MARK: Origins

extension EventRecorder {
  /// Sets how the origins of events are determined from now on; nil turns this off.
  mutating func setOrigins(_ origins: OriginRecorder?) { self.origins = origins }

  /// Removes and returns that, so that it can be set again.
  mutating func removeOrigins() -> OriginRecorder? { origins.take() }

  /// Whether some events are recorded with their origin.
  @inline(__always)
  var recordsOrigins: Bool { mutating get { origins != nil } }

  /// Whether every write to a path is recorded with its origin.
  func wantsOrigins(at path: Path) -> Bool { origins?.wantsAll(at: path) == true }

  /// Whether the next write is recorded with its origin, regardless of its path.
  var isOriginDue: Bool { mutating get { origins?.isDue == true } }

  /// Counts a write that was recorded without its origin, if origins are recorded for some.
  mutating func countSkippedOrigin() { origins?.markSkipped() }
}
