import Synchronization

/// What outlives the facade: the stage, the queue, and the thread that seals.
final class WriterCore: Sendable {
  let stage: Lock<Stage>
  let monitor = Monitor(SealState())
  let path: String
  let options: LogOptions
  /// Set once `monitor`'s state has a failure or is closing, so that the hot path need not ask it.
  let isStopped = Atomic<Bool>(false)
  private let flushNanoseconds: UInt64
  private let blockEvents: Int
  private let blockBytes: Int

  init(path: String, options: LogOptions) {
    self.path = path
    self.options = options
    stage = Lock(Stage(path: path))
    let (seconds, attoseconds) = options.flushInterval.components
    flushNanoseconds =
      UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    blockEvents = min(max(options.blockEvents, 1), LogFormat.eventsMax)
    blockBytes = min(max(options.blockBytes, 1), 4 << 20)
  }

  // MARK: For the threads that append

  /// Stages one row under the lock. Waits while the queue is full. Cost: what `body` costs and some 20 ns.
  @inline(__always)
  func append(_ body: (inout Stage) throws(LogError) -> UInt64) throws(LogError) -> UInt64 {
    try stage.withLock { stage throws(LogError) in
      if isStopped.load(ordering: .relaxed) { throw stopError() }
      let seq = try body(&stage)
      if stage.chunk.events == 1 { startTimer() }
      if stage.chunk.events >= blockEvents || stage.chunk.rows.count >= blockBytes
        || stage.chunk.items >= StageLimit.chunkItemsMax
      {
        try push(&stage)
      }
      return seq
    }
  }

  /// Hands the open chunk to the thread that seals, and waits for room. Call it with the stage locked.
  func push(_ stage: inout Stage) throws(LogError) {
    if stage.chunk.isEmpty { return }
    let spare = monitor.withLock { $0.takeSpare() }
    let chunk = stage.takeChunk(reusing: spare)
    // Holding the stage while waiting keeps the order. The sealing thread takes the stage only when the
    // queue is empty, and then nobody waits here.
    let failure: LogError?? = monitor.wait { state -> LogError?? in
      if let failure = state.failure { return .some(failure) }
      if state.isFull { return nil }
      state.push(chunk)
      return .some(nil)
    }
    if case .some(.some(let failure)) = failure { throw failure }
  }

  private func startTimer() {
    let deadline = monotonicNow() &+ flushNanoseconds
    monitor.withLock { $0.deadline = deadline }
  }

  func stopError() -> LogError {
    monitor.withLock { $0.failure }
      ?? LogError(.closed, path: path, message: "the log was closed; the event was not recorded")
  }

  /// Waits until the state says so, or throws why it never will.
  func waitUntil(_ condition: (SealState) -> Bool) throws(LogError) {
    let failure: LogError?? = monitor.wait { state -> LogError?? in
      if let failure = state.failure { return .some(failure) }
      return condition(state) ? .some(nil) : nil
    }
    if case .some(.some(let failure)) = failure { throw failure }
  }

  // MARK: The thread that seals

  /// Works until the log is closed.
  func run(_ sealer: consuming Sealer) {
    var sealer = sealer
    while true {
      let work: SealState.Work = monitor.wait { $0.nextWork() }
      do {
        switch work {
        case .seal(let chunk): try seal(chunk, &sealer)
        case .sealOpenChunk:
          let chunk = stage.withLock { stage in
            monitor.withLock { state -> Chunk? in
              // A chunk that was queued meanwhile is older than the open one.
              state.chunks.isEmpty && !stage.chunk.isEmpty ? stage.takeChunk(reusing: state.takeSpare()) : nil
            }
          }
          if let chunk { try seal(chunk, &sealer) }
        case .sync(let number, let seq):
          try sealer.sync()
          monitor.withLock { $0.noteSync(number, upTo: seq) }
        case .close:
          close(&sealer)
          return
        }
      } catch {
        fail(error)
      }
    }
  }

  private func seal(_ chunk: Chunk, _ sealer: inout Sealer) throws(LogError) {
    let durable = monitor.withLock { $0.syncedSeq }
    try sealer.write(chunk, durableSeq: durable)
    monitor.withLock { state in
      state.writtenSeq = chunk.lastSeq
      state.recycle(chunk.rows.bytes)
    }
  }

  private func close(_ sealer: inout Sealer) {
    if monitor.withLock({ $0.failure }) == nil {
      do { try sealer.finish() } catch { fail(error) }
    }
    do { try sealer.closeFile() } catch { fail(error) }
    monitor.withLock { $0.isFinished = true }
  }

  private func fail(_ error: LogError) {
    isStopped.store(true, ordering: .relaxed)
    monitor.withLock { state in
      if state.failure == nil { state.failure = error }
    }
  }
}
