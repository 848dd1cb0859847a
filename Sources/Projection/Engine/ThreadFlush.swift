import EventLog

/// What one thread has to run: what its own changes have made out of date.
///
/// Bodies read the objects that a thread has just changed, so they run there; another thread may be changing others.
final class ThreadFlush {
  let thread: UInt
  @exclusivity(unchecked) var queue: FlushQueue
  @exclusivity(unchecked) var isFlushing = false
  /// How many runs are under way on the thread.
  @exclusivity(unchecked) var runs = 0
  /// How many sets are between their store and the end of the user's `didSet`.
  @exclusivity(unchecked) var holds = 0
  /// What nodes wanted done that the thread has ended, until it gives back the lock.
  @exclusivity(unchecked) var cleanups: [() -> Void] = []
  /// A frame that has served, for the next run.
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

  /// Takes back the frame of a run that has ended, unless somebody has kept it.
  func recycle(_ frame: consuming Frame) {
    frame.end()
    guard spare == nil, !frame.engine.isClosed, isKnownUniquelyReferenced(&frame) else { return }
    frame.clear()
    spare = frame
  }

  /// Lets go of the frame, which holds the engine.
  func end() { spare = nil }

  /// Whether a flush may begin.
  var isFree: Bool { !isFlushing && runs == 0 && holds == 0 }
}

extension Engine {
  /// What the current thread has to run. Called under the lock.
  var own: ThreadFlush {
    let thread = RecursiveLock.currentThread
    if lastFlush.thread == thread { return lastFlush }
    lastFlush = flushes[thread] ?? makeFlush(for: thread)
    return lastFlush
  }

  private func makeFlush(for thread: UInt) -> ThreadFlush {
    // Threads come and go, and leave nothing to do behind.
    if flushes.count >= 64 { flushes = flushes.filter { !$0.value.isFree || !$0.value.queue.isEmpty } }
    flushesMade += 1
    let flush = ThreadFlush(thread: thread, number: flushesMade)
    flushes[thread] = flush
    return flush
  }

  /// Takes over what other threads have left to run, as what the session as a whole waits for. Called under the lock.
  func adoptWaiting() {
    let own = own
    for other in flushes.values where other !== own && other.isFree && !other.queue.isEmpty {
      for node in other.queue.takeAll() { own.queue.insert(node) }
    }
  }

  /// Holds back what is out of date on this thread, until ``release()`` was called as often.
  func hold() { lock.withLock { own.holds += 1 } }

  /// Ends a hold, and runs what is out of date if it was the outermost.
  func release() {
    lock.withLock { own.holds -= 1 }
    flush()
  }
}
