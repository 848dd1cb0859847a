import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Set by the handler of Ctrl-C.
private let interrupted = Atomic<Bool>(false)

extension Platform {
  /// Lets a command that runs for ever end by itself when Ctrl-C asks it to.
  static func catchInterrupts() {
    // The handler must not be the first to touch it.
    interrupted.store(false, ordering: .relaxed)
    // Whoever started the tool may have had them blocked.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in interrupted.store(true, ordering: .relaxed) }
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Whether Ctrl-C was pressed.
  static var isInterrupted: Bool { interrupted.load(ordering: .relaxed) }

  static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
