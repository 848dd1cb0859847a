import EventLog
import ReplayAnalysis
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Set by the handler of a signal that asks the process to end.
private let isAsked = Atomic<Bool>(false)

/// Deletes unfinished files, switches colours off, and erases the rest of the line. Then the signal takes its
/// default action. A signal handler: nothing here allocates memory or takes a lock.
private func endCleanly(_ number: Int32) {
  UnfinishedFiles.deleteAll()
  let bytes: StaticString = "\u{1B}[0m\r\u{1B}[K"
  if isatty(2) == 1 || isatty(1) == 1 {
    _ = write(isatty(2) == 1 ? 2 : 1, bytes.utf8Start, bytes.utf8CodeUnitCount)
  }
  signal(number, SIG_DFL)
  raise(number)
}

/// Handles the signals that ask the process to end. By default they end it after a cleanup; a command may
/// catch them and end by itself.
enum Interrupts {
  /// Makes Ctrl-C, `kill` and a closed terminal end the process as usual, but first resets the colour, erases
  /// the progress line and deletes unfinished files.
  static func endCleanlyOnSignals() {
    UnfinishedFiles.prepare()
    let ends = [SIGINT, SIGTERM, SIGHUP]
    for number in ends {
      // Signals that are ignored already, as by nohup, stay ignored.
      let before = signal(number, SIG_IGN)
      if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number) { endCleanly($0) }
      }
    }
    unblock(ends)
  }

  /// The parent process may have blocked the signals, as the threads of a pool do.
  private static func unblock(_ numbers: [Int32]) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Lets a command that runs indefinitely end by itself on Ctrl-C and `kill`, and if `hangingUp` when its
  /// terminal closes.
  static func catchAll(hangingUp: Bool = false) {
    let ends = [SIGINT, SIGTERM] + (hangingUp ? [SIGHUP] : [])
    // Initialises the global before a handler may use it, since a handler must not.
    isAsked.store(false, ordering: .relaxed)
    for number in ends { signal(number) { _ in isAsked.store(true, ordering: .relaxed) } }
    unblock(ends)
  }

  /// Whether Ctrl-C was pressed, or a signal asked the process to end.
  static var isPending: Bool { isAsked.load(ordering: .relaxed) }
}
