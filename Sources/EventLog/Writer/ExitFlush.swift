#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes queued events to the file when the process ends by `exit` or by returning from its main function,
/// so that the events of the last ``LogOptions/flushInterval`` are not lost if the app did not close the log.
///
/// Other threads, also the sealing threads, still run at this time. The logs are not closed: threads that
/// still append get no error, and the log counts as not closed. The wait is limited to one second, because a
/// device may be stuck, and a thread that stopped within an append holds its log's lock for ever. If the
/// process is killed, crashes or calls `_exit`, this does not run.
enum ExitFlush {
  private struct Living {
    var cores: [ObjectIdentifier: WriterCore] = [:]
    /// The process that registered the handler. A forked child inherits the handler, but not the sealing
    /// threads.
    var process: pid_t?
  }

  private static let living = Lock(Living())
  private static let patience: UInt64 = 1_000_000_000

  /// Registers a writer until it is forgotten.
  static func add(_ core: WriterCore) {
    let isFirst = living.withLock { living in
      let isFirst = living.process == nil
      // The writers that a forked process inherited have no sealing threads here.
      if living.process != getpid() { living.cores = [:] }
      living.process = getpid()
      living.cores[ObjectIdentifier(core)] = core
      return isFirst
    }
    if isFirst { atexit { ExitFlush.flush() } }
  }

  /// Removes a writer whose log is closed.
  static func forget(_ core: WriterCore) {
    living.withLock { $0.cores[ObjectIdentifier(core)] = nil }
  }

  private static func flush() {
    let cores = living.withLockIfFree { $0.process == getpid() ? Array($0.cores.values) : [] }
    let deadline = monotonicNow() &+ patience
    // Queue all chunks before waiting for any, so that a stuck device delays only its own log.
    var waiting = cores ?? []
    var queued: [(core: WriterCore, last: UInt64)] = []
    while !waiting.isEmpty, monotonicNow() < deadline {
      waiting.removeAll { core in
        guard let last = core.queueOpenChunk() else { return false }
        queued.append((core, last))
        return true
      }
      if !waiting.isEmpty { usleep(1000) }
    }
    for (core, last) in queued { core.waitUntilWritten(last, until: deadline) }
  }
}

extension WriterCore {
  /// Queues the open chunk, and returns the seq of the last event; nil if that would have to wait.
  fileprivate func queueOpenChunk() -> UInt64? {
    stage.withLockIfFree { stage -> UInt64? in
      // If the queue is full, pushing would wait for room.
      if monitor.withLock({ $0.isFull }) { return nil }
      try? push(&stage)
      return stage.nextSeq - 1
    } ?? nil
  }

  /// Waits until an event is written, at most until a deadline.
  fileprivate func waitUntilWritten(_ last: UInt64, until deadline: UInt64) {
    monitor.wait { state -> Turn<Void> in
      let isOver = state.writtenSeq >= last || state.failure != nil || state.stall != nil || state.isFinished
      return isOver || monotonicNow() >= deadline ? .go(()) : .waitUntil(deadline)
    }
  }
}
