import EventLog
import Synchronization

/// What a session does: numbers and records events, drives the invalidation core, runs what is out of date.
///
/// Everything mutable is guarded by `lock`. The app's code (bodies, callbacks) always runs outside it.
final class Engine: @unchecked Sendable {
  let lock = RecursiveLock()
  let delivery: Delivery

  var core = InvalidationCore()
  /// Places read, relative to the object that owns them: such a name stays good when the object moves.
  var places = PathTable()
  var lastSeq: UInt64 = 0
  /// The last event that touched the state.
  var lastMutation: UInt64 = 0
  var log: LogWriter?
  var logError: (any Error)?
  /// Read by every access of an object, outside the lock too.
  private let closed = Atomic<Bool>(false)
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  var nodes: [Node.ID: Node] = [:]
  var livingNames: Set<String> = []
  var appeared: Set<[Node.Key]> = []
  var receivers: [ReceiverKey: [Receiver]] = [:]
  var derivedByName: [String: Node] = [:]

  var queue = FlushQueue()
  var isFlushing = false
  /// How many runs are under way, on any thread.
  var runsUnderWay = 0
  /// How many sets are between their store and the end of the user's `didSet`.
  var holds = 0
  /// Changes made while something runs: what it read before may already be out of date when it ends.
  var changesDuringRuns: [(seq: UInt64, property: PathTable.ID)] = []
  /// Whether the open transaction is the one that collects changes until the next `flush()`.
  var isCollecting = false

  var measurements: [Measurement] = []
  var diagnostics: [SessionDiagnostic] = []
  var nextObjectNumber: UInt64 = 1
  var identities = ObjectIdentities()

  private let start = MonotonicClock.now()

  init(delivery: Delivery, log: LogWriter?) {
    self.delivery = delivery
    self.log = log
  }

  /// From here on objects behave as if they were attached to nothing.
  func markClosed() { closed.store(true, ordering: .releasing) }

  /// Nanoseconds since the session began.
  func now() -> UInt64 { MonotonicClock.now() &- start }

  /// Records an event that the core need not see. Called under the lock.
  @discardableResult
  func emit(_ body: Event.Body, cause: UInt64? = nil, site: String? = nil) -> UInt64 {
    lastSeq += 1
    guard let log, logError == nil else { return lastSeq }
    do {
      try log.append(Event(seq: lastSeq, time: now(), cause: cause, site: site, body: body))
    } catch {
      // The session goes on unrecorded; `close()` and `flush()` report why.
      logError = error
    }
    return lastSeq
  }

  /// Records a mutation and wakes whom it concerns. Called under the lock.
  func emitMutation(_ body: Event.Body, cause: UInt64?) throws(StateError) {
    let hits = try core.apply(body, seq: lastSeq + 1)
    let seq = emit(body, cause: cause)
    lastMutation = seq
    wake(hits, by: seq)
  }

  /// Opens a transaction. Called under the lock.
  func begin(_ label: String?, cause: UInt64?, site: String? = nil) {
    core.begin()
    emit(.begin(label: label), cause: cause, site: site)
  }

  /// Closes the innermost transaction and wakes whom it concerns if it was the outermost.
  func end(cause: UInt64?) {
    do {
      let hits = try core.end()
      let seq = emit(.end, cause: cause)
      wake(hits, by: seq)
    } catch {
      report(.init(message: "\(error)"))
    }
  }

  /// Records the timeline's entries and queues the nodes. Called under the lock.
  private func wake(_ hits: [InvalidationCore.Hit], by seq: UInt64) {
    for hit in hits {
      guard let node = nodes[hit.projection] else { continue }
      emit(.invalidate(projection: node.name, causes: hit.causes), cause: seq)
      for measurement in measurements { measurement.noteInvalidation(of: node) }
      node.wokenBy = seq
      node.isDirty = true
      if node.isRunning { node.wokenWhileRunning.append(seq) }
      queue.insert(node.id)
    }
  }

  func report(_ diagnostic: SessionDiagnostic) {
    lock.withLock { diagnostics.append(diagnostic) }
  }
}
