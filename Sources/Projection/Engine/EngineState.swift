import EventLog
import Invalidation
import Synchronization

/// The part of an engine that its lock guards. The engine hands it out only to code that holds the lock.
///
/// Nothing here runs the app's code, except to read and encode values. During that the thread may take the
/// lock again, so accesses to the whole may overlap, although two accesses to one property never do;
/// therefore this is a class. Checking exclusive access at run time, here and in what a flush uses, took a
/// quarter of the time of an invalidation, so these checks are off.
final class EngineState {
  /// The engine that owns this; set before anything else is done.
  @exclusivity(unchecked) unowned(unsafe) var engine: Engine!

  @exclusivity(unchecked) var core = InvalidationCore()
  /// Numbers events and appends them to the log.
  @exclusivity(unchecked) var recorder: EventRecorder
  let delivery: Delivery
  let clock: SessionClock
  /// The last event that changed the state, for code that reads it without the lock.
  private let lastChange: LastChange
  /// The last event that changed the state, for code that holds the lock.
  @exclusivity(unchecked) var lastMutation: UInt64 = 0

  @exclusivity(unchecked) var nodes = NodeRegistry()
  /// The identities of all nodes so far. A node that is made again has the same identity.
  var appeared: Set<[Node.Key]> = []
  @exclusivity(unchecked) var receivers = Receivers()
  @exclusivity(unchecked) var earlyReaders = EarlyReaders()
  /// The derived values by the slots at which they are published.
  @exclusivity(unchecked) var derivedBySlot: [SlotID: Node] = [:]
  /// The labels of the actions that have not ended, by their events.
  @exclusivity(unchecked) var actions: [UInt64: String] = [:]
  /// The current turn of the host that runs the bodies of hosted projections.
  @exclusivity(unchecked) var hostTurn = HostTurn()
  /// The hosted projections that are out of date.
  @exclusivity(unchecked) var invalidatedHosted = InvalidatedHosted()
  /// The hosted projections that have moved within the open transaction.
  @exclusivity(unchecked) var moved: [Node] = []
  /// The released derived values that had no readers when they were added, and the released hosted
  /// projections.
  @exclusivity(unchecked) var abandoned: [Node] = []

  /// The queue of each thread.
  @exclusivity(unchecked) var flushes = ThreadFlushes()
  @exclusivity(unchecked) var runs = RunsUnderWay()
  /// The number of holds on all threads; see ``Engine/hold()``.
  @exclusivity(unchecked) var holds = 0
  /// Whether the write that is being recorded continues the one before it: in the recording that is driven, or because both were
  /// in one turn of a followed object's actor.
  @exclusivity(unchecked) var continuesLast = false
  /// The number of frames whose read slots are not linked to a node yet. Slots are not removed meanwhile.
  @exclusivity(unchecked) var unlinkedFrames = 0
  /// The number of events that were refused.
  @exclusivity(unchecked) var refusedCount = 0
  /// Whether the open transaction is the one that collects changes until the next `flush()`.
  @exclusivity(unchecked) var isCollecting = false
  /// The time at which that transaction ends by itself, by the session's clock.
  @exclusivity(unchecked) var collectionDue: Duration?
  @exclusivity(unchecked) var overdueWatch = OverdueWatch()
  @exclusivity(unchecked) var held = HeldCallbacks()
  /// Whether callbacks ignore their pace.
  var ignoresPace = false
  /// The number of tasks that wait for the clock, or are about to.
  var waits = 0

  @exclusivity(unchecked) var measurements: [Measurement] = []
  @exclusivity(unchecked) var diagnostics = DiagnosticList()
  @exclusivity(unchecked) var unfollowedReads = UnfollowedReads()

  @exclusivity(unchecked) var objects = AttachedObjects()
  /// The objects that are followed; nil as long as there was none.
  @exclusivity(unchecked) var followed: FollowedObjects?
  @exclusivity(unchecked) var largeValues = LargeValues()
  /// Whether the definitions that an event needs are being recorded, before the event.
  @exclusivity(unchecked) var isDefiningObjects = false
  /// The redacted properties, and the derived values that were computed from them.
  @exclusivity(unchecked) var redactedSlots: [SlotID: Redaction] = [:]
  let redactedHasher = RedactedHasher()
  /// The state for applying recordings.
  let playback = Playback()

  init(delivery: Delivery, clock: SessionClock, _ lastChange: LastChange, log: LogWriter?, elapsed: UInt64) {
    self.delivery = delivery
    self.clock = clock
    self.lastChange = lastChange
    recorder = EventRecorder(log: log, elapsed: elapsed)
    core.state.findsDuplicateIDs = true
  }

  /// Records a mutation and invalidates the readers that it affects.
  func emitMutation(_ body: Event.Body, cause: UInt64?, site: String? = nil) throws(StateError) {
    let body = try fitted(body)
    let followers = followAttached()
    try defineDeepObjects(cause: cause, site: site)
    let old = measurements.isEmpty ? nil : body.writtenPath.flatMap { core.state.value(at: $0) }
    let hits = try core.apply(body, seq: recorder.lastSeq + 1)
    objects.departures.insertReleased(core.state.releasedObjects)
    if core.openTransactions == 0 { reportDuplicateIDs() }
    let seq = recorder.emit(body, cause: cause, site: site)
    countMutation(seq)
    if cause != nil, engine.runCause != nil { playback.appendReaction(body) }
    if !measurements.isEmpty { measureWrite(body, over: old, seq: seq) }
    invalidate(hits, by: seq)
    // The objects that are defined for a later event have no path before it.
    if !largeValues.isEmpty, !isDefiningObjects { reportLargeValues() }
    // A set to an equal value invalidates no readers, except those of an object that the event defines,
    // because they read it before the session recorded it.
    guard body.isSameValue else { return }
    for node in followers where !node.isDirty { markInvalidated(node, by: seq, causes: [seq]) }
  }

  /// Records that an event changed the state.
  @inline(__always)
  func countMutation(_ seq: UInt64) {
    lastMutation = seq
    lastChange.store(seq)
    if holds > 0 { markHeldWrite() }
  }

  /// Opens a transaction.
  func begin(_ label: String?, cause: UInt64?, site: String? = nil) {
    core.begin()
    recorder.emit(.begin(label: label), cause: cause, site: site)
  }

  /// Closes the innermost transaction. If it was the outermost, invalidates the readers that it affects.
  func end(cause: UInt64?) {
    do {
      let hits = try core.end()
      if core.openTransactions == 0 {
        reportDuplicateIDs()
        flushes.adoptWaiting()
      }
      let seq = recorder.emit(.end, cause: cause)
      invalidate(hits, by: seq)
      if core.openTransactions == 0, !moved.isEmpty { recordMoves() }
    } catch {
      report("\(error)")
    }
  }

  /// Records the invalidations that the core found, and queues the nodes.
  func invalidate(_ hits: [InvalidationCore.Hit], by seq: UInt64) {
    for hit in hits {
      if let node = nodes[hit.node] { invalidate(node, by: seq, causes: hit.causes) }
    }
  }

  /// Records that a node is out of date, right after the event that invalidates it, and queues the node.
  func invalidate(_ node: Node, by seq: UInt64, causes: [UInt64]) {
    recorder.appendInvalidate(node, causes: causes, by: seq)
    markInvalidated(node, by: seq, causes: causes)
  }

  /// The same for an event that is the only cause. This is not inlined, so that the set of a scalar is.
  @inline(never)
  func invalidate(_ node: Node, by seq: UInt64) {
    recorder.appendInvalidate(node, by: seq)
    markInvalidated(node, by: seq, causes: [seq])
  }

  private func markInvalidated(_ node: Node, by seq: UInt64, causes: @autoclosure () -> [UInt64]) {
    if !measurements.isEmpty {
      for measurement in measurements { measurement.markInvalidation(of: node, causes: causes()) }
    }
    let wasDirty = node.isDirty
    node.invalidatedBy = seq
    node.isDirty = true
    if node.isRunning {
      node.invalidatedWhileRunning.append(seq)
    } else if !wasDirty, node.hosting != nil {
      insertOutOfDate(hosted: node)
    }
    node.pacing?.markInvalidation(at: clock)
    if node.derived != nil { markDependents(of: node) }
    enqueue(node)
    node.checkState()
  }
}

/// The last event that changed a session's state. Each read loads it without the lock.
final class LastChange: Sendable {
  private let last = Atomic<UInt64>(0)

  @inline(__always)
  var seq: UInt64 { last.load(ordering: .acquiring) }

  /// Stores the event. Only one thread at a time may do so.
  @inline(__always)
  func store(_ seq: UInt64) { last.store(seq, ordering: .releasing) }
}
