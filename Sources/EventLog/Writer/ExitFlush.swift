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
      living.cores[ObjectIdentifier(core)] = core
      defer { living.process = getpid() }
      return living.process == nil
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
    for core in cores ?? [] { core.flush(until: deadline) }
  }
}

extension WriterCore {
  /// Queues the open chunk and waits until all that is queued is written, but no longer than to a time.
  fileprivate func flush(until deadline: UInt64) {
    var last: UInt64?
    repeat {
      last =
        stage.withLockIfFree { stage -> UInt64? in
          // While there is no room, pushing would wait for it.
          if monitor.withLock({ $0.isFull }) { return nil }
          try? push(&stage)
          return stage.nextSeq - 1
        } ?? nil
      if last == nil { usleep(1000) }
    } while last == nil && monotonicNow() < deadline
    guard let last else { return }
    monitor.wait { state -> Turn<Void> in
      let isOver = state.writtenSeq >= last || state.failure != nil || state.stall != nil || state.isFinished
      return isOver || monotonicNow() >= deadline ? .go(()) : .waitUntil(deadline)
    }
  }
}
