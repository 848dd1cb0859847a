import EventLog
import HeapModule

/// The queue of one thread: the nodes that its own changes have made out of date.
///
/// Bodies read the objects that the thread has just changed, so they run on that thread, since other threads
/// may be changing other objects.
final class ThreadFlush {
  let thread: UInt
  /// Whose transactions the thread opens: its own, or those of the recorded code that a drive repeats on it.
  @exclusivity(unchecked) var owner: UInt
  /// The actor whose code flushes; nil if that is not known, see ``CurrentActor``.
  @exclusivity(unchecked) var actor: (any Actor)?
  /// Whether the thread's flush has written what the session collects, because another thread has begun to.
  @exclusivity(unchecked) var hasCollected = false
  /// Whether callbacks ignore their pace.
  @exclusivity(unchecked) var ignoresPace = false
  @exclusivity(unchecked) var queue: FlushQueue
  @exclusivity(unchecked) var isFlushing = false
  /// The number of runs in progress on the thread.
  @exclusivity(unchecked) var runs = 0
  /// The number of open holds: a hold covers a set from the store to the end of the class's `didSet`, or a
  /// whole mutation in place.
  @exclusivity(unchecked) var holds = 0
  /// Whether there was a write within these holds.
  @exclusivity(unchecked) var hasWrittenInHolds = false
  /// Whether a drive must still find out whether the next write belongs to the last one.
  @exclusivity(unchecked) var isPaused = false
  /// The sets of followed objects that the thread is making.
  @exclusivity(unchecked) var sets = SetsUnderWay()
  /// The hosted projections that the thread's changes have put out of date, until their hosts are called.
  @exclusivity(unchecked) var signals: [Node] = []
  /// Whether the thread is calling these hosts.
  @exclusivity(unchecked) var isSignalling = false
  /// The cleanups of nodes that the thread has ended, until it has released the lock.
  @exclusivity(unchecked) var cleanups: [() -> Void] = []
  /// A used frame, for the next run.
  @exclusivity(unchecked) private var spare: Frame?

  init(thread: UInt, number: Int) {
    self.thread = thread
    owner = thread
    queue = FlushQueue(number: number)
  }

  /// Returns a frame for a run.
  func frame(for node: Node, of engine: Engine, cause: UInt64?, outer: Frame?) -> Frame {
    guard let frame = spare.take() else {
      return Frame(engine: engine, node: node, cause: cause, isTracking: true, outer: outer)
    }
    frame.reuse(for: node, cause: cause, outer: outer)
    return frame
  }

  /// Keeps the frame of a run that has ended for reuse, unless something else references it.
  func recycle(_ frame: consuming Frame) {
    frame.end()
    guard spare == nil, !frame.engine.isClosed, isKnownUniquelyReferenced(&frame) else { return }
    frame.clear()
    spare = frame
  }

  /// Releases the spare frame, which retains the engine.
  func end() { spare = nil }

  /// Removes and returns what waits, but for what was made on no actor if the thread is going to flush.
  fileprivate func popWaiting() -> [Node] {
    if queue.isEmpty, signals.isEmpty { return [] }
    var waiting = queue.popAll() + signals
    for node in signals { node.hosting?.isSignalled = false }
    signals = []
    if isFree { return waiting }
    let isOfActor = waiting.partition { $0.home != nil }
    for node in waiting[..<isOfActor] {
      if let hosting = node.hosting {
        hosting.isSignalled = true
        signals.append(node)
      } else {
        queue.insert(node)
      }
    }
    return Array(waiting[isOfActor...])
  }

  /// Whether a flush may begin.
  var isFree: Bool { !isFlushing && runs == 0 && holds == 0 && !isPaused }
}

/// The queues of all threads.
struct ThreadFlushes {
  private var flushes: [UInt: ThreadFlush] = [:]
  private var last = ThreadFlush(thread: 0, number: 0)
  private var made = 0

  /// The queue of the current thread.
  var own: ThreadFlush {
    mutating get {
      let thread = RecursiveLock.currentThread
      if last.thread == thread { return last }
      last = flushes[thread] ?? make(for: thread)
      return last
    }
  }

  private mutating func make(for thread: UInt) -> ThreadFlush {
    // Remove the entries of threads with nothing to run, because the threads may be gone.
    if flushes.count >= 64 {
      flushes = flushes.filter { !$0.value.isFree || !$0.value.queue.isEmpty || !$0.value.signals.isEmpty }
    }
    made += 1
    let flush = ThreadFlush(thread: thread, number: made)
    flushes[thread] = flush
    return flush
  }

  /// Removes and returns what waits in the queues of threads that do not flush now. What waits in one need not be of the actor whose
  /// code the thread runs by the time at which it does.
  mutating func popWaiting() -> [Node] {
    flushes.values.flatMap { $0.isFlushing ? [] : $0.popWaiting() }
  }

  /// Releases everything that retains the engine.
  func end() {
    for flush in flushes.values { flush.end() }
  }
}

extension Engine {
  /// Delays what is out of date on this thread, until ``release()`` has been called as often.
  func hold() { withLock { $0.hold() } }

  /// Ends a hold; the outermost one runs what is out of date.
  func release() {
    let state = lock()
    state.endHold()
    flushAndUnlock(state)
  }

  /// Runs everything that is out of date, unless a run, a transaction or a hold is in progress; its end will
  /// do so.
  func flush() {
    flushAndUnlock(lock())
  }

  /// The same, called under the lock, which it releases.
  ///
  /// It reads the clock once per run: the end of a run is the beginning of the next. The engine's work
  /// between two runs, some 100 ns, counts towards the second.
  ///
  /// - Parameter moment: The time of the system's clock, if it was just read.
  func flushAndUnlock(_ state: EngineState, from moment: UInt64? = nil) {
    let own = state.own
    if !state.abandoned.isEmpty { state.endAbandoned() }
    if !departed.isEmpty || state.objects.departures.mayForget { state.forgetDeparted() }
    state.sweep()
    if state.hasReports { state.appendReports() }
    if state.isOverdue { state.queueWhatIsOverdue(own) }
    guard own.isFree, !state.core.isInTransaction, !isClosed,
      !own.queue.isEmpty || !own.signals.isEmpty
    else { return unlock() }
    own.isFlushing = true
    let outer = Frame.current
    var moment = moment
    while let node = state.nextToRun(own) {
      invariant(own.holds == 0, "nothing runs while an object is being changed")
      guard let frame = state.start(node, of: self, within: outer, own) else { continue }
      unlock()
      moment = run(node, frame, within: outer, own, from: moment)
      _ = lock()
      own.recycle(frame)
    }
    if !own.signals.isEmpty { signalHosts(state, own) }
    if !state.abandoned.isEmpty { state.endAbandoned() }
    unlock()
  }
}

extension EngineState {
  /// The queue of the current thread.
  @inline(__always)
  var own: ThreadFlush {
    checkLock()
    return flushes.own
  }

  /// Begins a hold of the current thread.
  func hold() {
    let own = own
    if own.holds == 0 { own.hasWrittenInHolds = false }
    holds += 1
    own.holds += 1
  }

  /// Records a write while a thread has a hold.
  func markHeldWrite() { own.hasWrittenInHolds = true }

  /// Runs code whose events are not writes of the app, so that no later write counts as a continuation of
  /// them.
  func withoutWriting(_ body: () -> Void) {
    if holds == 0 { return body() }
    let own = own
    let hadWritten = own.hasWrittenInHolds
    body()
    own.hasWrittenInHolds = hadWritten
  }

  /// Ends a hold of the current thread, without running anything.
  func endHold() {
    holds -= 1
    own.holds -= 1
  }

  /// Whether a write continues the one before it on the same thread, because both are within one hold. The
  /// log records this, because otherwise nothing would explain why no projection ran between the two.
  @inline(__always)
  var continuesWrite: Bool { continuesLast || holds > 0 && isInWrite }

  private var isInWrite: Bool {
    let own = own
    return own.holds > 0 && own.hasWrittenInHolds
  }

  /// Takes the next node to run; ends the flush if there is none.
  fileprivate func nextToRun(_ own: ThreadFlush) -> Node? {
    while !own.queue.isEmpty, let node = own.queue.next() {
      if own.queue.rounds >= FlushQueue.maximumRounds { stopEndlessFlush(own, at: node) }
      if own.queue.isStopped(node) {
        markStopped(node)
        continue
      }
      // A node that runs on another thread checks at the end of its run whether it must run again.
      guard !node.isDisposed, !node.isRunning, node.derived == nil || isAwaited(derived: node),
        !holdsBack(node)
      else { continue }
      own.queue.trail?.running = node.order
      return node
    }
    own.queue.endFlush()
    own.isFlushing = false
    return nil
  }

}

/// The nodes that wait to run, in order of creation.
///
/// A node runs at most once a round. If it is invalidated again after it ran, it waits for the next round, so
/// a callback that invalidates itself shows as a growing number of rounds. The queue's data about a node is
/// stored in the node, so that the usual flush of one node needs no table.
struct FlushQueue {
  /// A flush with more rounds than this counts as endless.
  static let maximumRounds = 100

  /// A flush with more calls of one receiver in later rounds than this counts as endless, too, if the receiver
  /// leads to its own calls: one that sets what it receives twice doubles them with each round.
  static let maximumCalls = 10_000

  /// The only waiting node, as in most flushes.
  private var sole: Node?
  private var waiting: Heap<Entry> = []
  private var nextRound: [Node] = []
  /// The rounds of the present flush after the first.
  private(set) var rounds = 0
  /// What led to what in the present flush; nil in its first round, after which most flushes end.
  private(set) var trail: FlushTrail?
  /// The number of the current round among the rounds of all flushes.
  private var round: UInt64

  /// Creates an empty queue. `number` keeps its rounds distinct from those of other queues.
  init(number: Int) { round = UInt64(number) << 40 | 1 }

  private struct Entry: Comparable {
    let node: Node

    static func == (a: Entry, b: Entry) -> Bool { a.node.order == b.node.order }
    static func < (a: Entry, b: Entry) -> Bool { a.node.order < b.node.order }
  }

  @inline(__always)
  var isEmpty: Bool { sole == nil && waiting.isEmpty && nextRound.isEmpty }

  /// Adds a node, unless its host runs it.
  mutating func insert(_ node: Node) {
    if node.isQueued || node.hosting != nil { return }
    node.isQueued = true
    if node.lastRound == round {
      nextRound.append(node)
    } else if sole == nil, waiting.isEmpty {
      sole = node
    } else {
      if let first = sole.take() { waiting.insert(Entry(node: first)) }
      waiting.insert(Entry(node: node))
    }
  }

  /// Records that a node runs, whether from the queue, with its parent or because it was read.
  mutating func countRun(_ node: Node) { node.lastRound = round }

  /// Takes the next node that is out of date. If the caller does not run it, it may still run in this round.
  mutating func next() -> Node? {
    while true {
      if sole == nil, waiting.isEmpty, !nextRound.isEmpty {
        rounds += 1
        round += 1
        for node in nextRound { waiting.insert(Entry(node: node)) }
        nextRound.removeEach()
      }
      guard let node = sole.take() ?? waiting.popMin()?.node else { return nil }
      // It ran outside the queue while it waited, and has been invalidated again since.
      if node.lastRound == round, node.isDirty {
        nextRound.append(node)
        continue
      }
      node.isQueued = false
      node.checkState()
      if node.isDirty { return node }
    }
  }

  /// Counts calls of a receiver in later rounds before they are made, and returns their number so far.
  mutating func countCalls(_ count: Int, of node: Node) -> Int {
    rounds > 0 ? makeTrail().count(count, of: node.order) : 0
  }

  /// The trail of the present flush.
  mutating func makeTrail() -> FlushTrail {
    if let trail { return trail }
    let made = FlushTrail()
    trail = made
    return made
  }

  /// Whether a node must not run again in the present flush.
  @inline(__always)
  func isStopped(_ node: Node) -> Bool { trail.map { $0.stopped.contains(node.order) } ?? false }

  /// Counts rounds anew, after some nodes were stopped.
  mutating func restartRounds() { rounds = 1 }

  /// Removes and returns all waiting nodes.
  mutating func popAll() -> [Node] {
    let nodes = [sole.take()].compactMap { $0 } + waiting.unordered.map(\.node) + nextRound
    waiting = []
    nextRound = []
    for node in nodes { node.isQueued = false }
    return nodes
  }

  /// Ends the flush, so that its nodes may run in the next one. The queue must be empty.
  mutating func endFlush() {
    rounds = 0
    if trail != nil { trail = nil }
    round += 1
  }
}
