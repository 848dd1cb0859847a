import EventLog
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Set by the handler of Ctrl-C.
private let interrupted = Atomic<Bool>(false)

/// The signal that asked the process to end, set by its handler and never cleared; 0 for none.
private let terminated = Atomic<Int32>(0)

/// Files in the making removed, colours off, and the rest of the line erased; then the signal does what it always does.
/// Nothing here allocates or locks.
private func endCleanly(_ number: Int32) {
  UnfinishedFiles.deleteAll()
  let bytes: StaticString = "\u{1B}[0m\r\u{1B}[K"
  if isatty(2) == 1 || isatty(1) == 1 {
    _ = write(isatty(2) == 1 ? 2 : 1, bytes.utf8Start, bytes.utf8CodeUnitCount)
  }
  signal(number, SIG_DFL)
  raise(number)
}

/// The signals that ask the process to end: by default they end it cleanly, and a command may end by itself instead.
enum Interrupts {
  /// Lets Ctrl-C, `kill` and a terminal that is closed end the process as they always do, but not in the middle of a
  /// colour or of a line of progress, and with nothing left of a file that is not whole.
  static func endCleanlyOnSignals() {
    UnfinishedFiles.prepare()
    let ends = [SIGINT, SIGTERM, SIGHUP]
    for number in ends {
      // What is ignored already, as by nohup, stays ignored.
      let before = signal(number, SIG_IGN)
      if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number) { endCleanly($0) }
      }
    }
    unblock(ends)
  }

  /// The parent process may have blocked signals, as threads of a pool do.
  private static func unblock(_ numbers: [Int32]) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Lets a command that runs for ever end by itself when Ctrl-C or `kill` asks it to, or also that the
  /// terminal is closed.
  static func catchAll(hangingUp: Bool = false) {
    let ends = hangingUp ? [SIGTERM, SIGHUP] : [SIGTERM]
    // The handlers must not be the first to touch them.
    interrupted.store(false, ordering: .relaxed)
    _ = terminated.load(ordering: .relaxed)
    signal(SIGINT) { _ in interrupted.store(true, ordering: .relaxed) }
    for number in ends {
      signal(number) { terminated.store($0, ordering: .relaxed) }
    }
    unblock([SIGINT] + ends)
  }

  /// Forgets that Ctrl-C was pressed: it ended what it was to end. Nothing takes back what ends the process.
  static func forgetLast() { interrupted.store(false, ordering: .relaxed) }

  /// Whether Ctrl-C was pressed, or the process was asked to end.
  static var isPending: Bool {
    interrupted.load(ordering: .relaxed) || terminated.load(ordering: .relaxed) > 0
  }

  /// Lets the signal that asked the process to end, if one did, end it as it always does.
  static func endAsAsked() {
    let number = terminated.load(ordering: .relaxed)
    guard number > 0 else { return }
    signal(number, SIG_DFL)
    raise(number)
  }
}
