import EventLog
import HeapModule

/// What one thread has to run: what its own changes have made out of date.
///
/// Bodies read the objects that a thread has just changed, so they run there; another thread may be changing others.
final class ThreadFlush {
  let thread: UInt
  @exclusivity(unchecked) var queue: FlushQueue
  @exclusivity(unchecked) var isFlushing = false
  /// How many runs are under way on the thread.
  @exclusivity(unchecked) var runs = 0
  /// How many sets are between their store and the end of the class's `didSet`, and mutations between their beginning and end.
  @exclusivity(unchecked) var holds = 0
  /// Whether there was a write in them.
  @exclusivity(unchecked) var hasWrittenInHolds = false
  /// Whether a drive has yet to find out whether the next write belongs to the last.
  @exclusivity(unchecked) var isPaused = false
  /// The cleanups of nodes that the thread has ended, until it has released the lock.
  @exclusivity(unchecked) var cleanups: [() -> Void] = []
  /// A used frame, for the next run.
  @exclusivity(unchecked) private var spare: Frame?

  init(thread: UInt, number: Int) {
    self.thread = thread
    queue = FlushQueue(number: number)
  }

  /// The frame for a run.
  func frame(for node: Node, of engine: Engine, cause: UInt64?, outer: Frame?) -> Frame {
    guard let frame = spare.take() else {
      return Frame(engine: engine, node: node, cause: cause, isTracking: true, outer: outer)
    }
    frame.reuse(for: node, cause: cause, outer: outer)
    return frame
  }

  /// Keeps the frame of a run that has ended for the next run, unless it is referenced elsewhere.
  func recycle(_ frame: consuming Frame) {
    frame.end()
    guard spare == nil, !frame.engine.isClosed, isKnownUniquelyReferenced(&frame) else { return }
    frame.clear()
    spare = frame
  }

  /// Releases the spare frame, which retains the engine.
  func end() { spare = nil }

  /// Whether a flush may begin.
  var isFree: Bool { !isFlushing && runs == 0 && holds == 0 && !isPaused }
}

/// What all threads have to run, by thread.
struct ThreadFlushes {
  private var flushes: [UInt: ThreadFlush] = [:]
  private var last = ThreadFlush(thread: 0, number: 0)
  private var made = 0

  /// What the current thread has to run.
  var own: ThreadFlush {
    mutating get {
      let thread = RecursiveLock.currentThread
      if last.thread == thread { return last }
      last = flushes[thread] ?? make(for: thread)
      return last
    }
  }

  private mutating func make(for thread: UInt) -> ThreadFlush {
    // Removes entries of threads that have nothing to run, since the threads may be gone.
    if flushes.count >= 64 { flushes = flushes.filter { !$0.value.isFree || !$0.value.queue.isEmpty } }
    made += 1
    let flush = ThreadFlush(thread: thread, number: made)
    flushes[thread] = flush
    return flush
  }

  /// Takes over what other threads have left in their queues, for a flush of the whole session.
  mutating func adoptWaiting() {
    let own = own
    for other in flushes.values where other !== own && other.isFree && !other.queue.isEmpty {
      for node in other.queue.takeAll() { own.queue.insert(node) }
    }
  }

  /// Releases what retains the engine.
  func end() {
    for flush in flushes.values { flush.end() }
  }
}

extension Engine {
  /// Holds back what is out of date on this thread, until ``release()`` was called as often.
  func hold() { withLock { $0.hold() } }

  /// Ends a hold; the outermost one runs what is out of date.
  func release() {
    withLock { $0.endHold() }
    flush()
  }

  /// Runs all that is out of date, unless a run, a transaction or a hold is under way, the end of which does it.
  func flush() {
    flushAndUnlock(lock())
  }

  /// The same, under the lock, which it gives back.
  ///
  /// One look at the clock a run: the end of a run is the beginning of the next. What the engine does between two
  /// runs, some 100 ns, counts as part of the second.
  ///
  /// - Parameter moment: The present time of the system's clock, if it was just read.
  func flushAndUnlock(_ state: EngineState, from moment: UInt64? = nil) {
    let own = state.own
    if !state.abandoned.isEmpty { state.endAbandoned() }
    if !departed.isEmpty || state.objects.departures.mayForget { state.forgetDeparted() }
    state.sweep()
    guard own.isFree, state.core.openTransactions == 0, !own.queue.isEmpty, !isClosed else { return unlock() }
    own.isFlushing = true
    let outer = Frame.current
    var moment = moment
    while let node = state.nextToRun(own) {
      guard let frame = state.start(node, of: self, within: outer, own) else { continue }
      unlock()
      moment = run(node, frame, within: outer, own, from: moment)
      _ = lock()
      own.recycle(frame)
    }
    if !state.abandoned.isEmpty { state.endAbandoned() }
    unlock()
  }

  /// Counts calls of a receiver. Returns false, and reports it, if the receiver seems to set what it receives without
  /// end.
  func mayCall(_ node: Node, times: Int) -> Bool {
    withLock { state in
      if state.own.queue.noteCalls(times) { return true }
      state.diagnostics.report(
        "stopped after \(FlushQueue.maximumCalls) calls: \(node.name) keeps setting what it receives")
      return false
    }
  }
}

extension EngineState {
  /// What the current thread has to run.
  @inline(__always)
  var own: ThreadFlush { flushes.own }

  /// Begins a hold of the current thread.
  fileprivate func hold() {
    let own = own
    if own.holds == 0 { own.hasWrittenInHolds = false }
    holds += 1
    own.holds += 1
  }

  /// Notes a write while some thread holds.
  func noteHeldWrite() { own.hasWrittenInHolds = true }

  /// Makes events that touch the state and are no writes of the app, so that no write is made in one go with them.
  func withoutWriting(_ body: () -> Void) {
    if holds == 0 { return body() }
    let own = own
    let hadWritten = own.hasWrittenInHolds
    body()
    own.hasWrittenInHolds = hadWritten
  }

  /// Ends a hold of the current thread, and runs nothing.
  func endHold() {
    holds -= 1
    own.holds -= 1
  }

  /// Whether a write now is made in one go with the one before of its thread: within a hold, in which there was one. The log says
  /// so, since nobody could tell otherwise why nothing ran between the two.
  @inline(__always)
  var continuesWrite: Bool { isDrivenOn || holds > 0 && isInWrite }

  private var isInWrite: Bool {
    let own = own
    return own.holds > 0 && own.hasWrittenInHolds
  }

  /// Takes the next node that has something to do; ends the flush when there is none.
  fileprivate func nextToRun(_ own: ThreadFlush) -> Node? {
    while !own.queue.isEmpty, let node = own.queue.next() {
      if own.queue.rounds >= FlushQueue.maximumRounds {
        stopEndlessFlush(own, at: node)
        break
      }
      // A node that runs on another thread checks at the end of its run whether it must run again.
      guard !node.isDisposed, !node.isRunning, node.derived == nil || isAwaited(derived: node),
        !holdsBack(node)
      else { continue }
      return node
    }
    own.queue.endFlush()
    own.isFlushing = false
    return nil
  }

  private func stopEndlessFlush(_ own: ThreadFlush, at first: Node) {
    var names: [String] = []
    var next: Node? = first
    while let node = next {
      if names.count < 20 { names.append(node.name) }
      node.isDirty = false
      node.invalidatedBy = nil
      next = own.queue.next()
    }
    diagnostics.report(
      "stopped after \(FlushQueue.maximumRounds) rounds: these keep waking each other: "
        + names.joined(separator: ", "))
  }
}

/// The nodes that wait to run, earliest created first.
///
/// A node runs at most once a round. One that is invalidated again after it ran waits for the next round, so a
/// callback that invalidates itself shows as a growing number of rounds. What the queue knows of a node is stored in
/// the node, so that the usual flush, of one node, uses no table.
struct FlushQueue {
  /// After this many rounds a flush is taken for endless.
  fileprivate static let maximumRounds = 100

  /// After this many calls of receivers in later rounds too: a receiver that sets twice what it receives doubles the
  /// calls with each round.
  fileprivate static let maximumCalls = 10_000

  /// The only waiting node, as in most flushes.
  private var sole: Node?
  private var waiting: Heap<Entry> = []
  private var nextRound: [Node] = []
  fileprivate private(set) var rounds = 0
  private var calls = 0
  /// The number of the present round among all rounds of all flushes.
  private var round: UInt64

  /// Creates an empty queue, one of many: its rounds have numbers of their own.
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

  /// Notes that a node runs, whether in its turn, with its parent or because it was read.
  mutating func noteRun(_ node: Node) { node.lastRound = round }

  /// Takes the next that is out of date. A node that is not run then may still run in this round.
  mutating func next() -> Node? {
    while true {
      if sole == nil, waiting.isEmpty, !nextRound.isEmpty {
        rounds += 1
        round += 1
        for node in nextRound { waiting.insert(Entry(node: node)) }
        nextRound.removeEach()
      }
      guard let node = sole.take() ?? waiting.popMin()?.node else { return nil }
      // It ran outside its turn while it waited, and was invalidated again since.
      if node.lastRound == round, node.isDirty {
        nextRound.append(node)
        continue
      }
      node.isQueued = false
      if node.isDirty { return node }
    }
  }

  /// Counts calls of a receiver that are about to be made; returns false if the flush is taken for endless.
  mutating func noteCalls(_ count: Int) -> Bool {
    if rounds > 0 { calls += count }
    return calls <= Self.maximumCalls
  }

  /// Takes out all that waits.
  mutating func takeAll() -> [Node] {
    let nodes = [sole.take()].compactMap { $0 } + waiting.unordered.map(\.node) + nextRound
    waiting = []
    nextRound = []
    for node in nodes { node.isQueued = false }
    return nodes
  }

  /// Ends the flush, so that its nodes may run in the next. The queue must be empty.
  mutating func endFlush() {
    rounds = 0
    calls = 0
    round += 1
  }
}
