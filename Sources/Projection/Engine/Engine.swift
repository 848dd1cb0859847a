import EventLog
import Invalidation
import Synchronization

/// What a session does: numbers and records events, drives the invalidation core, runs what is out of date.
///
/// Everything mutable is guarded by `lock`. The app's code (bodies, callbacks) always runs outside it, so no two accesses
/// to a property overlap; having that checked at run time, here and in what a flush goes through, was a quarter of waking
/// a projection.
final class Engine: @unchecked Sendable {
  /// The log's own lock where there is one.
  let lock: RecursiveLock
  let delivery: Delivery
  let clock: SessionClock

  /// The core. Its state may lack the scalars that wait in slots: ``settle()`` before looking at values.
  @exclusivity(unchecked) var core = InvalidationCore()
  /// The slots whose values the core's state lacks.
  @exclusivity(unchecked) var waitingSlots: [(owner: AnyObject, slot: UnsafeMutablePointer<Slot>)] = []
  /// Places read, relative to the object that owns them: such a name stays good when the object moves.
  var places = PathTable()
  @exclusivity(unchecked) var lastSeq: UInt64 = 0
  /// The time of the last event.
  @exclusivity(unchecked) private var lastTime: UInt64 = 0
  /// The last event that touched the state.
  @exclusivity(unchecked) var lastMutation: UInt64 = 0
  /// The same, for who reads without the lock.
  let lastChange = Atomic<UInt64>(0)
  var log: LogWriter? {
    didSet { uncountedLog = log.map { .passUnretained($0) } }
  }
  /// The log as long as it takes events; counting references to it would cost as much as a third of appending.
  @exclusivity(unchecked) private(set) var uncountedLog: Unmanaged<LogWriter>?
  private(set) var logError: (any Error)?
  /// Read by every access of an object, outside the lock too.
  private let closed = Atomic<Bool>(false)
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  @exclusivity(unchecked) var nodes: [Node.ID: Node] = [:]
  var livingNames: Set<ExactString> = []
  /// The lowest number that may be free, of names that several have: `Row#2`, `Row#3`.
  var nextNumbers: [ExactString: Int] = [:]
  var appeared: Set<[Node.Key]> = []
  @exclusivity(unchecked) var receivers: [ReceiverKey: [Node.ID: Node]] = [:]
  var derivedByPlace: [PathTable.ID: Node] = [:]
  /// The derived values that nobody holds and nobody depended on when they came here.
  @exclusivity(unchecked) var abandoned: [Node] = []
  /// Who has read an object that the session does not record, by the object's link.
  @exclusivity(unchecked) var earlyReaders: [ObjectIdentifier: [Node.ID: Node]] = [:]
  /// Those of them whose object was attached, until the event that defines it.
  @exclusivity(unchecked) var lateFollowers: [Node.ID: Node] = [:]
  /// The objects that were attached while something runs, and by which thread.
  @exclusivity(unchecked) var attachedDuringRuns: [ObjectID: UInt] = [:]

  /// What each thread has to run, and that of the thread which asked last.
  var flushes: [UInt: ThreadFlush] = [:]
  @exclusivity(unchecked) var lastFlush = ThreadFlush(thread: 0, number: 0)
  var flushesMade = 0
  /// How many runs are under way, on any thread.
  @exclusivity(unchecked) var runsUnderWay = 0
  /// Changes made while something runs: what it read before may already be out of date when it ends.
  @exclusivity(unchecked) var changesDuringRuns: [(seq: UInt64, property: PathTable.ID, isSame: Bool)] = []
  /// How many events were refused.
  @exclusivity(unchecked) var refusedCount = 0
  /// Whether the open transaction is the one that collects changes until the next `flush()`.
  @exclusivity(unchecked) var isCollecting = false
  /// When that transaction ends by itself, by the session's clock.
  var collectionDue: Duration?
  /// The callbacks that are out of date and wait for their time.
  var held: [Node.ID: HeldCallback] = [:]
  /// Whether callbacks run without waiting for their time.
  var ignoresPace = false
  /// How many tasks wait by the clock, or are about to.
  var waits = 0

  /// What finds out who makes events, if somebody wants to know.
  @exclusivity(unchecked) var origins: OriginRecorder?
  @exclusivity(unchecked) var measurements: [Measurement] = []
  var diagnostics: [SessionDiagnostic] = []
  var nextObjectNumber: UInt64 = 1
  /// The redacted properties, and the derived values that were computed from them.
  @exclusivity(unchecked) var redactedPlaces: [PathTable.ID: Redaction] = [:]
  let veil = Veil()
  /// Objects that lie deep in the value that is being encoded.
  var deepObjects: [(object: any RecordedObject, attachment: Attachment)] = []
  /// What is to be recorded of such objects before the next event, which refers to them.
  var deepDefinitions: [ObjectDefinition] = []
  /// The place in the source that was last asked for.
  var lastSite: (fileID: String, line: Int, text: String) = ("", 0, ":0")
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
    beginning = MonotonicClock.now() &- elapsed
    self.log = log
    uncountedLog = log.map { .passUnretained($0) }
    lock = log?.lock ?? RecursiveLock()
    core.state.findsDuplicateIDs = true
  }

  /// From here on objects behave as if they were attached to nothing.
  func markClosed() { closed.store(true, ordering: .releasing) }

  /// Nanoseconds since the session began.
  func now() -> UInt64 { time(atClock: MonotonicClock.now()) }

  /// The same at a moment of the system's clock.
  func time(atClock moment: UInt64) -> UInt64 { moment &- beginning }

  /// Records an event that the core need not see. Called under the lock.
  @discardableResult
  func emit(_ body: Event.Body, cause: UInt64? = nil, site: String? = nil) -> UInt64 {
    append { log, time throws(LogError) in
      guard origins != nil else { return try log.append(body, time: time, cause: cause, site: site) }
      let origin = try origins?.origin(of: body, in: log)
      return try log.append(body, time: time, cause: cause, site: site, from: origin)
    }
  }

  /// Numbers an event and hands it to the log, if there is one. Called under the lock.
  ///
  /// - Parameter time: When it happened; now, where it is nil.
  @inline(__always)
  func append(
    at time: UInt64? = nil, _ event: (LogWriter, _ time: UInt64) throws(LogError) -> UInt64
  ) -> UInt64 {
    lastSeq += 1
    uncountedLog?._withUnsafeGuaranteedRef { log in
      // A run's end may come after what another thread has appended meanwhile.
      lastTime = max(lastTime, time ?? now())
      do { _ = try event(log, lastTime) } catch { fail(error) }
    }
    return lastSeq
  }

  /// The session goes on unrecorded; `close()` reports why. Called under the lock.
  func fail(_ error: any Error) {
    logError = logError ?? error
    uncountedLog = nil
  }

  /// Records a mutation and wakes whom it concerns. Called under the lock.
  func emitMutation(_ body: Event.Body, cause: UInt64?) throws(StateError) {
    settle()
    let followers = followAttached()
    try defineDeepObjects(cause: cause)
    let old = measurements.isEmpty ? nil : body.writtenPath.flatMap { core.state.value(at: $0) }
    let hits = try core.apply(body, seq: lastSeq + 1)
    if core.openTransactions == 0 { reportDuplicateIDs() }
    let seq = emit(body, cause: cause)
    noteMutation(seq)
    if !measurements.isEmpty { measureWrite(body, over: old, seq: seq) }
    wake(hits, by: seq)
    // What the app calls no change wakes nobody; but an object that it brings was read when nothing told of it.
    guard body.isSameValue else { return }
    for node in followers where !node.isDirty { noteWoken(node, by: seq, causes: [seq]) }
  }

  /// Notes that an event touched the state. Called under the lock.
  @inline(__always)
  func noteMutation(_ seq: UInt64) {
    lastMutation = seq
    lastChange.store(seq, ordering: .releasing)
  }

  /// Opens a transaction. Called under the lock.
  func begin(_ label: String?, cause: UInt64?, site: String? = nil) {
    settle()
    core.begin()
    emit(.begin(label: label), cause: cause, site: site)
  }

  /// Closes the innermost transaction and wakes whom it concerns if it was the outermost.
  func end(cause: UInt64?) {
    do {
      settle()
      let hits = try core.end()
      if core.openTransactions == 0 {
        reportDuplicateIDs()
        adoptWaiting()
      }
      let seq = emit(.end, cause: cause)
      wake(hits, by: seq)
    } catch {
      report(.init(message: "\(error)"))
    }
  }

  /// Records the timeline's entries and queues the nodes. Called under the lock.
  private func wake(_ hits: [InvalidationCore.Hit], by seq: UInt64) {
    for hit in hits {
      if let node = nodes[hit.projection] { wake(node, by: seq, causes: hit.causes) }
    }
  }

  /// Records that a node is out of date, and queues it. Called under the lock, right after the event that woke it.
  func wake(_ node: Node, by seq: UInt64, causes: [UInt64]) {
    _ = append(at: lastTime) { log, time throws(LogError) in
      try log.appendInvalidate(node.loggedName, causes: causes, time: time, cause: seq)
    }
    noteWoken(node, by: seq, causes: causes)
  }

  /// The same, for an event that is the only cause.
  func wake(_ node: Node, by seq: UInt64) {
    _ = append(at: lastTime) { log, time throws(LogError) in
      try log.appendInvalidate(node.loggedName, by: seq, time: time)
    }
    noteWoken(node, by: seq, causes: [seq])
  }

  private func noteWoken(_ node: Node, by seq: UInt64, causes: @autoclosure () -> [UInt64]) {
    for measurement in measurements { measurement.noteInvalidation(of: node, causes: causes()) }
    node.wokenBy = seq
    node.isDirty = true
    if node.isRunning { node.wokenWhileRunning.append(seq) }
    node.pacing?.noteWake(at: clock)
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
