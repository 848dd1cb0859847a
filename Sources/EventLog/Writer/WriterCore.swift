import Synchronization

/// The part of a writer that outlives its facade: the stage, the queue and the sealing thread.
final class WriterCore: Sendable {
  let stage: Lock<Stage>
  let monitor: Monitor<SealState>
  let path: String
  let options: LogOptions
  /// Set while the state in `monitor` has a failure, is closing or waits for space, so that the hot path need
  /// not take the lock of `monitor`.
  let isStopped = Atomic<Bool>(false)
  /// Set when the log begins to close.
  let isClosed = Atomic<Bool>(false)
  /// The sealing thread, once it runs.
  private let sealingThread = Atomic<UInt>(0)
  private let flushNanoseconds: UInt64
  private let retryNanoseconds: UInt64
  private let blockEvents: Int
  private let blockBytes: Int
  /// If a chunk has at most this many events after its first, and fewer bytes than `quickBytes`, one more row
  /// of a fixed size does not fill it.
  private let quickEvents: UInt
  private let quickBytes: Int

  init(path: String, options: LogOptions, nextSeq: UInt64 = 1) {
    self.path = path
    self.options = options
    stage = Lock(
      Stage(path: path, nextSeq: nextSeq, timeUnit: options.timeUnit, tableBytes: options.tableBytes))
    monitor = Monitor(SealState(after: nextSeq - 1))
    flushNanoseconds = options.flushInterval.nanoseconds
    retryNanoseconds = options.retryInterval.nanoseconds
    blockEvents = min(max(options.blockEvents, 1), LogFormat.eventsMax)
    // A segment ends only between blocks, so blocks must not be much larger than it. Rows take some four
    // times the bytes of their block.
    let segmentBytes = min(max(options.segmentBytes ?? .max, 1), 1 << 20)
    blockBytes = min(max(options.blockBytes, 1), 4 * segmentBytes)
    quickEvents = UInt(max(blockEvents - 2, 0))
    quickBytes = blockBytes - StagingBuffer.rowBytesMax
  }

  // MARK: For the appending threads

  /// The seq of the last event. Call it with the stage locked.
  @inline(__always)
  var lastSeq: UInt64 { stage.underLock { $0.nextSeq &- 1 } }

  /// Stages one row under the lock. Waits while the queue is full. Cost: that of `body` and some 20 ns.
  func append(_ body: (inout Stage) throws(LogError) -> UInt64) throws(LogError) -> UInt64 {
    checkMayWait()
    stage.lock.lock()
    defer { stage.lock.unlock() }
    return try appendUnderLock(body)
  }

  /// Stages one row. Call it with the stage locked.
  @inline(__always)
  func appendUnderLock(_ body: (inout Stage) throws(LogError) -> UInt64) throws(LogError) -> UInt64 {
    try stage.underLock { stage throws(LogError) in
      if isStopped.load(ordering: .relaxed) { try checkStopped(stage) }
      let seq = try body(&stage)
      if stage.chunk.events == 1 { startTimer() }
      if isFull(stage.chunk) { try push(&stage) }
      return seq
    }
  }

  /// Stages one row of a fixed size if that is all there is to do. Returns false and does nothing if the body
  /// refuses, if the log takes no events now, or if the event may be the first or the last of its chunk; then
  /// call ``appendUnderLock(_:)``. Call it with the stage locked.
  @inline(__always)
  func appendQuickly(_ body: (inout Stage) -> Bool) -> Bool {
    if isStopped.load(ordering: .relaxed) { return false }
    return stage.underLock { stage in
      // For the first event of a chunk the count wraps around, and so compares as too large.
      UInt(bitPattern: stage.chunk.events &- 1) < quickEvents && stage.chunk.rows.count < quickBytes
        && stage.chunk.items < StageLimit.chunkItemsMax - 1 && body(&stage)
    }
  }

  /// Queues the open chunk for the sealing thread, and waits for room in the queue. While the disk is full it
  /// does not wait: the chunk stays open, and accepts events up to its limit. Call it with the stage locked.
  func push(_ stage: inout Stage) throws(LogError) {
    checkMayWait()
    if stage.chunk.isEmpty { return }
    // The stage stays locked during the wait, which keeps chunks in order. Therefore the sealing thread must
    // never wait for the stage.
    let failure: LogError?? = monitor.wait { state -> LogError?? in
      if let failure = state.failure { return .some(failure) }
      if state.isFull {
        if state.stall == nil { return nil }
        // The chunk is sealed as soon as there is space.
        state.deadline = 0
        return .some(nil)
      }
      state.push(stage.popChunk(reusing: state.popSpare()))
      return .some(nil)
    }
    if case .some(.some(let failure)) = failure { throw failure }
  }

  /// Checks that this is not the sealing thread: a thread that has the stage may be waiting for that one.
  @inline(__always)
  func checkMayWait() {
    invariant(
      sealingThread.load(ordering: .relaxed) != RecursiveLock.currentThread,
      "the sealing thread never waits for the stage")
  }

  /// Whether the open chunk is full, so that the next event must wait until it is queued.
  private func isFull(_ chunk: Chunk) -> Bool {
    chunk.events >= blockEvents || chunk.rows.count >= blockBytes || chunk.items >= StageLimit.chunkItemsMax
  }

  private func startTimer() {
    let deadline = monotonicNow() &+ flushNanoseconds
    monitor.withLock { $0.deadline = deadline }
  }

  /// Throws if no event can be taken now. Call it with the stage locked. It is not inlined, because appends
  /// call it only while the log is stopped, which is rare.
  @inline(never)
  func checkStopped(_ stage: borrowing Stage) throws(LogError) {
    let isOver = isFull(stage.chunk)
    let failure: LogError? = monitor.withLock { state in
      if let failure = state.failure { return failure }
      if state.isClosing || isClosed.load(ordering: .relaxed) { return closedError }
      // The queue is bounded even while the disk is full, and no event waits for space then.
      return isOver && state.isFull ? state.stall : nil
    }
    if let failure { throw failure }
  }

  private var closedError: LogError {
    LogError(.closed, path: path, message: "the log was closed; the event was not recorded")
  }

  /// Waits until the condition is true. Throws the failure if the condition cannot become true, at all or
  /// before there is space on the disk.
  func waitUntil(_ level: Durability, _ condition: (SealState) -> Bool) throws(LogError) {
    let tries = monitor.withLock { $0.askRetry() }
    let failure: LogError?? = monitor.wait { state -> LogError?? in
      if let failure = state.failure { return .some(failure) }
      if level == .synced, let failure = state.syncFailure { return .some(failure) }
      if condition(state) { return .some(nil) }
      if let stall = state.stall, state.tries > tries { return .some(stall) }
      return nil
    }
    if case .some(.some(let failure)) = failure { throw failure }
  }

  // MARK: The sealing thread

  /// Seals and syncs until the log is closed.
  func run(_ sealer: consuming Sealer) {
    sealingThread.store(RecursiveLock.currentThread, ordering: .relaxed)
    var sealer = sealer
    sealer.output.patience = LogOutput.Patience(wait: waitForSpace, end: endStall)
    while true {
      let work: SealState.Work = monitor.wait { $0.nextWork() }
      do {
        switch work {
        case .seal(let chunk): try seal(chunk, &sealer)
        case .sealOpenChunk: try sealOpenChunk(&sealer)
        case .sync(let number, let seq):
          if try sync(&sealer) {
            monitor.withLock { $0.markSynced(number, upTo: seq) }
          } else {
            try sealer.beginSegment(durableSeq: syncedSeq, isSynced: false)
          }
        case .close:
          // No thread appends any more, so locking the stage cannot deadlock.
          if !hasFailed, let chunk = stage.withLock({ popOpenChunk(&$0) }) { try seal(chunk, &sealer) }
          close(&sealer)
          return
        }
      } catch {
        fail(error)
      }
    }
  }

  private var hasFailed: Bool { monitor.withLock { $0.failure != nil } }

  private func sealOpenChunk(_ sealer: inout Sealer) throws(LogError) {
    guard let chunk = stage.withLockIfFree({ popOpenChunk(&$0) }) else {
      // A thread that holds the stage's lock may be waiting for room in the queue, which only this thread can
      // make. Try again soon instead of waiting for the lock.
      let soon = monotonicNow() &+ 100_000
      return monitor.withLock { $0.deadline = $0.deadline ?? soon }
    }
    if let chunk { try seal(chunk, &sealer) }
  }

  private func popOpenChunk(_ stage: inout Stage) -> Chunk? {
    monitor.withLock { state in
      // A chunk that was queued meanwhile is older than the open one, and must be sealed first.
      state.chunks.isEmpty && !stage.chunk.isEmpty ? stage.popChunk(reusing: state.popSpare()) : nil
    }
  }

  private func seal(_ chunk: Chunk, _ sealer: inout Sealer) throws(LogError) {
    try sealer.write(chunk, durableSeq: syncedSeq)
    monitor.withLock { state in
      state.writtenSeq = chunk.lastSeq
      state.recycle(chunk.rows.storage)
    }
    if sealer.isSegmentFull { try rotate(&sealer) }
  }

  private var syncedSeq: UInt64 { monitor.withLock { $0.syncedSeq } }

  private func rotate(_ sealer: inout Sealer) throws(LogError) {
    try sealer.finishSegment()
    let isSynced = try sync(&sealer)
    if isSynced { monitor.withLock { $0.markSynced(upTo: $0.writtenSeq) } }
    try sealer.beginSegment(durableSeq: syncedSeq, isSynced: isSynced)
  }

  /// Syncs the file. If that fails and the log can continue in another file, gives the file up and returns
  /// false.
  private func sync(_ sealer: inout Sealer) throws(LogError) -> Bool {
    do throws(LogError) {
      try sealer.output.sync()
      return true
    } catch {
      if sealer.output.rotation == nil { throw error }
      monitor.withLock { state in
        if state.syncFailure == nil { state.syncFailure = error }
      }
      return false
    }
  }

  private func close(_ sealer: inout Sealer) {
    if !hasFailed {
      do throws(LogError) {
        try sealer.finishSegment()
        if try sync(&sealer) { monitor.withLock { $0.markSynced(upTo: $0.writtenSeq) } }
      } catch { fail(error) }
    }
    do { try sealer.output.close() } catch { fail(error) }
    ExitFlush.forget(self)
    monitor.withLock { $0.isFinished = true }
  }

  /// Sleeps until the next attempt to write to a full disk; returns false if there is to be no other attempt.
  private func waitForSpace(_ error: LogError) -> Bool {
    let now = monotonicNow()
    let wasLast = monitor.withLock { $0.markDiskFull(error, retryAt: now &+ retryNanoseconds) }
    isStopped.store(true, ordering: .relaxed)
    if wasLast { return false }
    monitor.wait { state -> Turn<Void> in
      if state.isRetryDue(at: monotonicNow()) { return .go(()) }
      return .waitUntil(state.retryAt)
    }
    return true
  }

  private func endStall() {
    monitor.withLock { $0.stall = nil }
    isStopped.store(false, ordering: .sequentiallyConsistent)
    // A log that was closed meanwhile must not start to accept events again.
    if isClosed.load(ordering: .sequentiallyConsistent) {
      isStopped.store(true, ordering: .sequentiallyConsistent)
    }
  }

  private func fail(_ error: LogError) {
    isStopped.store(true, ordering: .relaxed)
    monitor.withLock { state in
      if state.failure == nil { state.failure = error }
    }
  }
}

extension Duration {
  /// The duration in whole nanoseconds; 0 for a negative one.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : whole &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
