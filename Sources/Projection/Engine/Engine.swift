import EventLog
import Invalidation
import Synchronization

/// What a session does: numbers and records events, drives the invalidation core, runs what is out of date.
///
/// Everything mutable is guarded by `lock`. The app's code (bodies, callbacks) always runs outside it, so no two
/// accesses to a property overlap. Checking that at run time, here and in what a flush goes through, was a quarter of
/// the time of an invalidation, so it is off.
final class Engine: @unchecked Sendable {
  /// The log's own lock where there is one.
  let lock: RecursiveLock
  let delivery: Delivery
  let clock: SessionClock

  @exclusivity(unchecked) var core = InvalidationCore()
  @exclusivity(unchecked) var lastSeq: UInt64 = 0
  /// The time of the last event.
  @exclusivity(unchecked) private var lastTime: UInt64 = 0
  /// The last event that touched the state.
  @exclusivity(unchecked) var lastMutation: UInt64 = 0
  /// The same, for code that reads it without the lock.
  let lastChange = Atomic<UInt64>(0)
  var log: LogWriter? {
    didSet { uncountedLog = log.map { .passUnretained($0) } }
  }
  /// The log, or nil once it takes no more events. Unretained, because counting references would add a third to the
  /// cost of appending.
  @exclusivity(unchecked) private(set) var uncountedLog: Unmanaged<LogWriter>?
  private(set) var logError: (any Error)?
  /// Atomic, because every access of an object reads it, also outside the lock.
  private let closed = Atomic<Bool>(false)
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  @exclusivity(unchecked) var nodes = NodeTable()
  @exclusivity(unchecked) var livingNames: Set<ExactString> = []
  /// For each name that several nodes have, the lowest number that may be free: `Row#2`, `Row#3`.
  @exclusivity(unchecked) var nextNumbers: [ExactString: Int] = [:]
  var appeared: Set<[Node.Key]> = []
  @exclusivity(unchecked) var receivers: [ReceiverKey: [Node.ID: Node]] = [:]
  /// The derived values by the slots at which their values are published.
  @exclusivity(unchecked) var derivedBySlot: [SlotID: Node] = [:]
  /// The derived values that were released and had no readers when they were added.
  @exclusivity(unchecked) var abandoned: [Node] = []
  /// The readers of each object that the session does not record, by the object's link.
  @exclusivity(unchecked) var earlyReaders: [ObjectIdentifier: [Node.ID: Node]] = [:]
  /// The readers of objects that are being attached, until the event that defines these.
  @exclusivity(unchecked) var lateFollowers: [Node.ID: Node] = [:]
  /// The objects that were attached while a projection runs, and the threads that attached them.
  @exclusivity(unchecked) var attachedDuringRuns: [ObjectID: UInt] = [:]

  /// What each thread has to run, by thread.
  var flushes: [UInt: ThreadFlush] = [:]
  @exclusivity(unchecked) var lastFlush = ThreadFlush(thread: 0, number: 0)
  var flushesMade = 0
  /// How many runs are under way, on any thread.
  @exclusivity(unchecked) var runsUnderWay = 0
  /// How many frames have read slots to which nothing is linked yet. Meanwhile no slot may go.
  @exclusivity(unchecked) var unlinkedFrames = 0
  /// Changes made while projections run: what a run read before one may be out of date when the run ends.
  @exclusivity(unchecked) var changesDuringRuns: [(seq: UInt64, property: SlotID, isSame: Bool)] = []
  /// How many events were refused.
  @exclusivity(unchecked) var refusedCount = 0
  /// Whether the open transaction is the one that collects changes until the next `flush()`.
  @exclusivity(unchecked) var isCollecting = false
  /// When that transaction ends by itself, by the session's clock.
  var collectionDue: Duration?
  /// The callbacks that are out of date and may not run yet.
  @exclusivity(unchecked) var held: [Node.ID: HeldCallback] = [:]
  /// Whether callbacks run without regard to their pace.
  var ignoresPace = false
  /// How many tasks wait by the clock, or are about to.
  var waits = 0

  /// Finds the origins of events; nil if they are not recorded.
  @exclusivity(unchecked) var origins: OriginRecorder?
  @exclusivity(unchecked) var measurements: [Measurement] = []
  var diagnostics: [SessionDiagnostic] = []
  var nextObjectNumber: UInt64 = 1
  /// The objects that the app has released, until the session looks at them.
  let departed = DepartedObjects()
  /// Those that it has looked at and that are still in the state.
  @exclusivity(unchecked) var departures = Departures()
  /// The redacted properties, and the derived values that were computed from them.
  @exclusivity(unchecked) var redactedSlots: [SlotID: Redaction] = [:]
  let redactedHasher = RedactedHasher()
  /// Objects that lie deep in the value that is being encoded.
  var deepObjects: [(object: any RecordedObject, attachment: Attachment)] = []
  /// The definitions of such objects, to be recorded before the next event, which refers to them.
  var deepDefinitions: [ObjectDefinition] = []
  /// The path of the object that was named last, and the shape of the state for which it holds.
  var lastNamed: (object: ObjectID, shape: UInt64, path: Path) = (ObjectID(1), .max, Path(root: .named("")))
  /// The last source location that was converted to text.
  var lastSite: (fileID: String, line: Int, text: String) = ("", 0, ":0")
  /// How the elements of arrays are read, by their type; nil for those that are not structs of plain values.
  @exclusivity(unchecked) var elementLayouts: [ObjectIdentifier: StructLayout?] = [:]
  /// The circles of derived values that were reported.
  var reportedCycles: Set<DerivedCycle> = []
  /// The ids that were reported as given to more than one element.
  var reportedIDs: Set<DuplicateID> = []
  /// The classes of which an object was reported as another session's.
  var foreignTypes: Set<ObjectIdentifier> = []
  var identities = ObjectIdentities()
  /// What recordings are applied through.
  let playback = Playback()

  private let beginning: UInt64

  /// - Parameter elapsed: Nanoseconds of the log before this run of the app.
  init(delivery: Delivery, clock: SessionClock, log: LogWriter?, elapsed: UInt64 = 0) {
    self.delivery = delivery
    self.clock = clock
    beginning = TickClock.now() &- elapsed
    self.log = log
    uncountedLog = log.map { .passUnretained($0) }
    lock = log?.lock ?? RecursiveLock()
    core.state.findsDuplicateIDs = true
  }

  /// Makes all objects behave from now on as if they were attached to no session.
  func markClosed() { closed.store(true, ordering: .releasing) }

  /// Nanoseconds since the session began.
  func now() -> UInt64 { time(atClock: TickClock.now()) }

  /// The same at a moment of the system's clock.
  func time(atClock moment: UInt64) -> UInt64 { moment &- beginning }

  /// The time of the last event by the system's clock; nil if events have no times, because none are recorded. Called
  /// under the lock.
  var momentOfLastEvent: UInt64? { uncountedLog == nil ? nil : lastTime &+ beginning }

  /// Records an event that the core need not see. Called under the lock.
  @discardableResult
  func emit(_ body: Event.Body, cause: UInt64? = nil, site: String? = nil) -> UInt64 {
    append { log, time throws(LogError) in
      guard origins != nil else { return try log.append(body, time: time, cause: cause, site: site) }
      let origin = try origins?.origin(of: body, in: log)
      return try log.append(body, time: time, cause: cause, site: site, from: origin)
    }
  }

  /// Gives an event the next seq and appends it to the log, if there is one. Called under the lock.
  ///
  /// - Parameter time: When it happened; nil for now.
  @inline(__always)
  func append(
    at time: UInt64? = nil, _ event: (LogWriter, _ time: UInt64) throws(LogError) -> UInt64
  ) -> UInt64 {
    lastSeq += 1
    uncountedLog?._withUnsafeGuaranteedRef { log in
      // The end of a run may be appended after later events of another thread.
      lastTime = max(lastTime, time ?? now())
      do { _ = try event(log, lastTime) } catch { fail(error) }
    }
    return lastSeq
  }

  /// Notes that the log failed: the session goes on unrecorded, and `close()` reports why. Called under the lock.
  func fail(_ error: any Error) {
    logError = logError ?? error
    uncountedLog = nil
  }

  /// Records a mutation and invalidates the readers that it concerns. Called under the lock.
  func emitMutation(_ body: Event.Body, cause: UInt64?) throws(StateError) {
    let followers = followAttached()
    try defineDeepObjects(cause: cause)
    let old = measurements.isEmpty ? nil : body.writtenPath.flatMap { core.state.value(at: $0) }
    let hits = try core.apply(body, seq: lastSeq + 1)
    departures.noteReleased(core.state.releasedObjects)
    if core.openTransactions == 0 { reportDuplicateIDs() }
    let seq = emit(body, cause: cause)
    noteMutation(seq)
    if !measurements.isEmpty { measureWrite(body, over: old, seq: seq) }
    invalidate(hits, by: seq)
    // A set to an equal value invalidates nothing, except readers of an object that the event defines: they read it
    // before the session recorded it.
    guard body.isSameValue else { return }
    for node in followers where !node.isDirty { noteInvalidated(node, by: seq, causes: [seq]) }
  }

  /// Notes that an event touched the state. Called under the lock.
  @inline(__always)
  func noteMutation(_ seq: UInt64) {
    lastMutation = seq
    lastChange.store(seq, ordering: .releasing)
  }

  /// Opens a transaction. Called under the lock.
  func begin(_ label: String?, cause: UInt64?, site: String? = nil) {
    core.begin()
    emit(.begin(label: label), cause: cause, site: site)
  }

  /// Closes the innermost transaction. If it was the outermost, invalidates the readers that it concerns.
  func end(cause: UInt64?) {
    do {
      let hits = try core.end()
      if core.openTransactions == 0 {
        reportDuplicateIDs()
        adoptWaiting()
      }
      let seq = emit(.end, cause: cause)
      invalidate(hits, by: seq)
    } catch {
      report(.init(message: "\(error)"))
    }
  }

  /// Records the timeline's entries and queues the nodes. Called under the lock.
  func invalidate(_ hits: [InvalidationCore.Hit], by seq: UInt64) {
    for hit in hits {
      if let node = nodes[hit.node] { invalidate(node, by: seq, causes: hit.causes) }
    }
  }

  /// Records that a node is out of date, and queues it. Called under the lock, right after the event that invalidates
  /// it.
  func invalidate(_ node: Node, by seq: UInt64, causes: [UInt64]) {
    _ = append(at: lastTime) { log, time throws(LogError) in
      try log.appendInvalidate(&node.loggedName, causes: causes, time: time, cause: seq)
    }
    noteInvalidated(node, by: seq, causes: causes)
  }

  /// The same, for an event that is the only cause.
  func invalidate(_ node: Node, by seq: UInt64) {
    _ = append(at: lastTime) { log, time throws(LogError) in
      try log.appendInvalidate(&node.loggedName, by: seq, time: time)
    }
    noteInvalidated(node, by: seq, causes: [seq])
  }

  private func noteInvalidated(_ node: Node, by seq: UInt64, causes: @autoclosure () -> [UInt64]) {
    for measurement in measurements { measurement.noteInvalidation(of: node, causes: causes()) }
    node.invalidatedBy = seq
    node.isDirty = true
    if node.isRunning { node.invalidatedWhileRunning.append(seq) }
    node.pacing?.noteInvalidation(at: clock)
    if node.derived != nil { markDependents(of: node) }
    own.queue.insert(node)
  }

  func report(_ diagnostic: SessionDiagnostic) {
    lock.withLock { diagnostics.append(diagnostic) }
  }
}

/// A mistake in the use of a session, or something that it could not do, after which it goes on.
public struct SessionDiagnostic: Hashable, Sendable, CustomStringConvertible {
  /// What happened, in one sentence.
  public var message: String

  /// The message.
  public var description: String { message }
}
