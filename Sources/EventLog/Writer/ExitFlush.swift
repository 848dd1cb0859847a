#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Hands what is queued to the operating system when the process ends by `exit` or by the return of its main function, so that
/// the events of the last ``LogOptions/flushInterval`` are not lost where nobody closed the log.
///
/// Other threads run on meanwhile, and the sealing threads must. It closes nothing: threads that still append get no error, and
/// the log is one that was not closed. It waits for a second at most, as a device may be stuck, and a thread that has stopped
/// within an append holds its log for ever. A process that is killed, crashes or calls `_exit` does not come here.
enum ExitFlush {
  private struct Living {
    var cores: [ObjectIdentifier: WriterCore] = [:]
    /// The process that registered: the child of a fork has the handler, but no sealing threads.
    var process: pid_t?
  }

  private static let living = Lock(Living())
  private static let patience: UInt64 = 1_000_000_000

  /// Includes a writer until it is forgotten.
  static func add(_ core: WriterCore) {
    let isFirst = living.withLock { living in
      let isFirst = living.process == nil
      // The writers of a forked process's parent have no sealing threads here.
      if living.process != getpid() { living.cores = [:] }
      living.process = getpid()
      living.cores[ObjectIdentifier(core)] = core
      return isFirst
    }
    if isFirst { atexit { ExitFlush.flush() } }
  }

  /// Leaves a writer out whose log is closed.
  static func forget(_ core: WriterCore) {
    living.withLock { $0.cores[ObjectIdentifier(core)] = nil }
  }

  private static func flush() {
    let cores = living.withLockIfFree { $0.process == getpid() ? Array($0.cores.values) : [] }
    let deadline = monotonicNow() &+ patience
    // All are queued before one is waited for, so that a stuck device holds up its own log only.
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
  /// Queues the open chunk, and returns the last event that is queued; nil where that would have to wait.
  fileprivate func queueOpenChunk() -> UInt64? {
    stage.withLockIfFree { stage -> UInt64? in
      // While there is no room, pushing would wait for it.
      if monitor.withLock({ $0.isFull }) { return nil }
      try? push(&stage)
      return stage.nextSeq - 1
    } ?? nil
  }

  /// Waits until an event is written, but no longer than to a time.
  fileprivate func waitUntilWritten(_ last: UInt64, until deadline: UInt64) {
    monitor.wait { state -> Turn<Void> in
      let isOver = state.writtenSeq >= last || state.failure != nil || state.stall != nil || state.isFinished
      return isOver || monotonicNow() >= deadline ? .go(()) : .waitUntil(deadline)
    }
  }
}
