import Algorithms
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
  #if REPLAY_CHECKS
    unowned var engine: Engine!
  #else
    @exclusivity(unchecked) unowned(unsafe) var engine: Engine!
  #endif

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
  /// The hosted projections whose last run the log does not have yet, and whether there are any.
  @exclusivity(unchecked) var heldRuns: [Node] = []
  @exclusivity(unchecked) var hasHeldRuns = false
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
  /// announced in one turn of a followed object's actor.
  @exclusivity(unchecked) var continuesLast = false
  /// The number of frames whose read slots are not linked to a node yet. Slots are not removed meanwhile.
  @exclusivity(unchecked) var unlinkedFrames = 0
  /// The number of events that were refused.
  @exclusivity(unchecked) var refusedCount = 0
  /// The writes with a cause since no transaction was open, in order.
  @exclusivity(unchecked) private var causedWrites: [UInt64] = []
  /// Which code has transactions open.
  @exclusivity(unchecked) private var strands = Strands()
  /// What waits for the actor on which it was made.
  @exclusivity(unchecked) var handedOver: [ObjectIdentifier: [Node]] = [:]
  /// Whether a transaction of the session is ending, which concerns what all actors have made.
  @exclusivity(unchecked) private(set) var isEndingForAll = false
  /// Whether the session has a transaction open that collects changes until the next `flush()`.
  @exclusivity(unchecked) var isCollecting = false
  /// The time at which that transaction ends by itself, by the session's clock.
  @exclusivity(unchecked) var collectionDue: Duration?
  @exclusivity(unchecked) var held = HeldCallbacks()
  /// The number of tasks that wait for the clock, or are about to.
  var waits = 0

  @exclusivity(unchecked) var measurements: [Measurement] = []
  @exclusivity(unchecked) var diagnostics = DiagnosticList()
  @exclusivity(unchecked) var unfollowedReads = UnfollowedReads()

  @exclusivity(unchecked) var objects = AttachedObjects()
  /// The objects that are followed; nil as long as there was none.
  @exclusivity(unchecked) var followed: FollowedObjects?
  /// How the next objects are followed.
  @exclusivity(unchecked) var followingWay = FollowingWay.best
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

  /// Checks that the lock is held. Nothing else keeps a caller from using the state after it has given the lock back.
  @inline(__always)
  func checkLock() { invariant(engine.isLocked, "the state of a session is used under its lock") }

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
    countMutation(seq, cause: cause)
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
  func countMutation(_ seq: UInt64, cause: UInt64?) {
    checkLock()
    lastMutation = seq
    if core.openTransactions > 0 { countWithinTransaction(seq, cause: cause) }
    lastChange.store(seq)
    if holds > 0 { markHeldWrite() }
  }

  @inline(never)
  private func countWithinTransaction(_ seq: UInt64, cause: UInt64?) {
    if cause != nil { causedWrites.append(seq) }
    if isCollecting, own.isFlushing { own.hasCollected = true }
  }

  /// Makes the strand of the current thread that of the next events. Necessary only while a transaction is open.
  func selectStrand() { select(strands.strand(of: own.owner)) }

  @inline(__always)
  private func select(_ strand: Int) {
    if strand == strands.selected { return }
    strands.selected = strand
    core.select(strand)
    recorder.select(strand)
  }

  /// Whether the current thread is within a transaction that it opened itself.
  var isInOwnTransaction: Bool { strands.contains(own.owner) }

  /// Opens a transaction of the current thread.
  func begin(_ label: String?, cause: UInt64?, site: String? = nil) {
    releaseHeldRuns()
    select(strands.begin(of: own.owner))
    if strands.isOverfull {
      report(
        "over \(OpenTransactions.strandsMax - 1) threads have transactions open at once; some of them count as one"
      )
    }
    core.begin()
    recorder.emit(.begin(label: label), cause: cause, site: site)
  }

  /// Closes the innermost transaction of the current thread. If it was the outermost, invalidates the readers that it affects.
  func end(cause: UInt64?) {
    guard isInOwnTransaction else { return report("there is no open transaction to end") }
    close(cause: cause)
    strands.end(of: own.owner)
    selectStrand()
  }

  /// Opens a transaction of the session, to which the changes of all threads belong.
  func beginForAll(_ label: String? = nil, site: String? = nil) {
    releaseHeldRuns()
    select(OpenTransactions.session)
    core.begin()
    recorder.emit(.begin(label: label), site: site)
    selectStrand()
  }

  /// Closes it.
  func endForAll() {
    select(OpenTransactions.session)
    isEndingForAll = true
    close(cause: nil)
    isEndingForAll = false
    for node in flushes.popWaiting() { deliver(node) }
    selectStrand()
  }

  /// Whether a write since no transaction was open has a cause.
  private func isCaused(_ seq: UInt64) -> Bool {
    let index = causedWrites.partitioningIndex { $0 >= seq }
    return index < causedWrites.count && causedWrites[index] == seq
  }

  /// Closes a transaction of the strand that is selected.
  private func close(cause: UInt64?) {
    do {
      let hits = try core.end()
      if core.openTransactions == 0 { reportDuplicateIDs() }
      let seq = recorder.emit(.end, cause: cause)
      for hit in hits {
        guard let node = nodes[hit.node] else { continue }
        recorder.appendInvalidate(node, causes: hit.causes, by: seq)
        // The end of what a session collected belongs to no action; a run belongs to that of the last write.
        let last = isEndingForAll ? hit.causes.last.flatMap { isCaused($0) ? $0 : nil } : nil
        markInvalidated(node, by: last ?? seq, causes: hit.causes)
      }
      guard core.openTransactions == 0 else { return }
      causedWrites.removeAll(keepingCapacity: causedWrites.count < 1 << 10)
      if !moved.isEmpty { recordMoves() }
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
    checkLock()
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
    if node.hosting == nil { schedule(node) }
    node.checkState()
  }

  /// Has a node that is out of date run, or its host called: by this thread, unless what ends concerns all actors.
  func schedule(_ node: Node) {
    if isEndingForAll { deliver(node) } else if node.hosting == nil { enqueue(node) } else { signal(node) }
  }
}

/// The strands of the code that has transactions open.
///
/// A transaction belongs to the thread that opened it, since its body neither suspends nor changes threads. What other threads
/// change meanwhile is outside of it: it is delivered at once, on the thread that changed it.
private struct Strands {
  private var open: [(owner: UInt, strand: Int, depth: Int)] = []
  /// The strand of the next event.
  var selected = 0

  func contains(_ owner: UInt) -> Bool { open.contains { $0.owner == owner } }

  /// Whether several threads have to share the last strand.
  var isOverfull: Bool { open.count > OpenTransactions.strandsMax - 1 }

  /// The strand of some code: a free one if it has no transaction open, 0 if nothing has.
  func strand(of owner: UInt) -> Int {
    if let entry = open.first(where: { $0.owner == owner }) { return entry.strand }
    let free = (0...).first { strand in
      strand != OpenTransactions.session && !open.contains { $0.strand == strand }
    }
    return min(free ?? 0, OpenTransactions.strandsMax - 1)
  }

  /// Counts a transaction, and returns its strand.
  mutating func begin(of owner: UInt) -> Int {
    let strand = strand(of: owner)
    if let index = open.firstIndex(where: { $0.owner == owner }) {
      open[index].depth += 1
    } else {
      open.append((owner, strand, 1))
    }
    return strand
  }

  mutating func end(of owner: UInt) {
    guard let index = open.firstIndex(where: { $0.owner == owner }) else { return }
    open[index].depth -= 1
    if open[index].depth == 0 { open.remove(at: index) }
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
