import EventLog
import Invalidation
import Synchronization

/// Everything of an engine that its lock guards. Code that has it holds the lock: the engine gives it out in no other way.
///
/// Nothing here runs the app's code, except to read and encode values. While it does, the thread may take the lock
/// again, so this is a class: no two accesses to one property are under way at once, but two to the whole may be. To
/// check that at run time, here and in what a flush goes through, was a quarter of the time of an invalidation, so
/// those checks are off.
final class EngineState {
  /// The engine that has this; set before anything is done here.
  @exclusivity(unchecked) unowned(unsafe) var engine: Engine!

  @exclusivity(unchecked) var core = InvalidationCore()
  /// What numbers events and appends them to the log.
  @exclusivity(unchecked) var recorder: EventRecorder
  let delivery: Delivery
  let clock: SessionClock
  /// The last event that touched the state, for code that reads it without the lock.
  private let lastChange: LastChange
  /// The same, for code that has the lock.
  @exclusivity(unchecked) var lastMutation: UInt64 = 0

  @exclusivity(unchecked) var nodes = NodeRegistry()
  /// The nodes that have appeared, also in lives before.
  var appeared: Set<[Node.Key]> = []
  @exclusivity(unchecked) var receivers = Receivers()
  @exclusivity(unchecked) var earlyReaders = EarlyReaders()
  /// The derived values by the slots at which their values are published.
  @exclusivity(unchecked) var derivedBySlot: [SlotID: Node] = [:]
  /// The present turn of the host that runs the bodies of hosted projections.
  @exclusivity(unchecked) var hostTurn = HostTurn()
  /// The derived values that were released and had no readers when they were added, and the hosted projections that
  /// were.
  @exclusivity(unchecked) var abandoned: [Node] = []

  /// What each thread has to run.
  @exclusivity(unchecked) var flushes = ThreadFlushes()
  @exclusivity(unchecked) var runs = RunsUnderWay()
  /// How many holds there are on all threads; see ``Engine/hold()``.
  @exclusivity(unchecked) var holds = 0
  /// Whether what is driven now is a write that continues the one before in the recording.
  @exclusivity(unchecked) var isDrivenOn = false
  /// How many frames have read slots to which nothing is linked yet. Meanwhile no slot may go.
  @exclusivity(unchecked) var unlinkedFrames = 0
  /// How many events were refused.
  @exclusivity(unchecked) var refusedCount = 0
  /// Whether the open transaction is the one that collects changes until the next `flush()`.
  @exclusivity(unchecked) var isCollecting = false
  /// When that transaction ends by itself, by the session's clock.
  var collectionDue: Duration?
  @exclusivity(unchecked) var held = HeldCallbacks()
  /// Whether callbacks run without regard to their pace.
  var ignoresPace = false
  /// How many tasks wait by the clock, or are about to.
  var waits = 0

  @exclusivity(unchecked) var measurements: [Measurement] = []
  @exclusivity(unchecked) var diagnostics = DiagnosticList()

  @exclusivity(unchecked) var objects = ObjectTable()
  /// The redacted properties, and the derived values that were computed from them.
  @exclusivity(unchecked) var redactedSlots: [SlotID: Redaction] = [:]
  let redactedHasher = RedactedHasher()
  /// What recordings are applied through.
  let playback = Playback()

  init(delivery: Delivery, clock: SessionClock, _ lastChange: LastChange, log: LogWriter?, elapsed: UInt64) {
    self.delivery = delivery
    self.clock = clock
    self.lastChange = lastChange
    recorder = EventRecorder(log: log, elapsed: elapsed)
    core.state.findsDuplicateIDs = true
  }

  /// Records a mutation and invalidates the readers that it concerns.
  func emitMutation(_ body: Event.Body, cause: UInt64?, site: String? = nil) throws(StateError) {
    let followers = followAttached()
    try defineDeepObjects(cause: cause, site: site)
    let old = measurements.isEmpty ? nil : body.writtenPath.flatMap { core.state.value(at: $0) }
    let hits = try core.apply(body, seq: recorder.lastSeq + 1)
    objects.departures.noteReleased(core.state.releasedObjects)
    if core.openTransactions == 0 { reportDuplicateIDs() }
    let seq = recorder.emit(body, cause: cause, site: site)
    noteMutation(seq)
    if cause != nil { playback.noteReaction(body) }
    if !measurements.isEmpty { measureWrite(body, over: old, seq: seq) }
    invalidate(hits, by: seq)
    // A set to an equal value invalidates nothing, except readers of an object that the event defines: they read it
    // before the session recorded it.
    guard body.isSameValue else { return }
    for node in followers where !node.isDirty { noteInvalidated(node, by: seq, causes: [seq]) }
  }

  /// Notes that an event touched the state.
  @inline(__always)
  func noteMutation(_ seq: UInt64) {
    lastMutation = seq
    lastChange.note(seq)
    if holds > 0 { noteHeldWrite() }
  }

  /// Opens a transaction.
  func begin(_ label: String?, cause: UInt64?, site: String? = nil) {
    core.begin()
    recorder.emit(.begin(label: label), cause: cause, site: site)
  }

  /// Closes the innermost transaction. If it was the outermost, invalidates the readers that it concerns.
  func end(cause: UInt64?) {
    do {
      let hits = try core.end()
      if core.openTransactions == 0 {
        reportDuplicateIDs()
        flushes.adoptWaiting()
      }
      let seq = recorder.emit(.end, cause: cause)
      invalidate(hits, by: seq)
    } catch {
      diagnostics.report("\(error)")
    }
  }

  /// Records the timeline's entries and queues the nodes.
  func invalidate(_ hits: [InvalidationCore.Hit], by seq: UInt64) {
    for hit in hits {
      if let node = nodes[hit.node] { invalidate(node, by: seq, causes: hit.causes) }
    }
  }

  /// Records that a node is out of date, and queues it, right after the event that invalidates it.
  func invalidate(_ node: Node, by seq: UInt64, causes: [UInt64]) {
    recorder.appendInvalidate(node, causes: causes, by: seq)
    noteInvalidated(node, by: seq, causes: causes)
  }

  /// The same, for an event that is the only cause.
  func invalidate(_ node: Node, by seq: UInt64) {
    recorder.appendInvalidate(node, by: seq)
    noteInvalidated(node, by: seq, causes: [seq])
  }

  private func noteInvalidated(_ node: Node, by seq: UInt64, causes: @autoclosure () -> [UInt64]) {
    if !measurements.isEmpty {
      for measurement in measurements { measurement.noteInvalidation(of: node, causes: causes()) }
    }
    node.invalidatedBy = seq
    node.isDirty = true
    if node.isRunning { node.invalidatedWhileRunning.append(seq) }
    node.pacing?.noteInvalidation(at: clock)
    if node.derived != nil { markDependents(of: node) }
    own.queue.insert(node)
  }
}

/// The last event that touched a session's state, which each read looks at without the lock.
final class LastChange: Sendable {
  private let last = Atomic<UInt64>(0)

  @inline(__always)
  var seq: UInt64 { last.load(ordering: .acquiring) }

  /// Notes the event. One thread at a time may do so.
  @inline(__always)
  func note(_ seq: UInt64) { last.store(seq, ordering: .releasing) }
}
