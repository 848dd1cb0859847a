import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// This file contains the code that runs in a signal handler, and its pointers. The handler calls only write,
// nanosleep, sigaction and raise, takes no lock and allocates nothing.

/// Writes a ring of segments to a file when the process crashes.
enum CrashHandler {
  private static let signals = [SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE, SIGTRAP]

  /// Installs the handler for a ring, replacing an earlier ring.
  static func install(_ ring: SegmentRing, _ file: SystemLogFile, flushNanoseconds: UInt64) {
    installed.withLock { installed in
      crash.descriptor = file.number
      crash.patience = flushNanoseconds
      crash.isFrozen = UnsafeRawPointer(Unmanaged.passUnretained(ring).toOpaque())
      crash.slots = ring.slots
      let isFirst = installed == nil
      // Retains both objects, because the handler may run at any time.
      installed = (ring, file)
      isArmed.store(true, ordering: .sequentiallyConsistent)
      if isFirst { for number in signals { takeOver(number) } }
    }
  }

  /// Removes a ring from the handler. The dump file remains, empty if there was no crash.
  static func forget(_ ring: SegmentRing) {
    installed.withLock { installed in
      if installed?.0 === ring { isArmed.store(false, ordering: .sequentiallyConsistent) }
    }
  }

  private static func takeOver(_ number: Int32) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { handle($0) }
    #else
      action.__sigaction_handler.sa_handler = { handle($0) }
    #endif
    action.sa_flags = Int32(SA_ONSTACK)
    sigemptyset(&action.sa_mask)
    sigaction(number, &action, crash.previous + Int(number))
  }
}

/// The data that the handler uses, prepared before it is installed.
private struct Crash {
  var descriptor: Int32 = -1
  /// The longest time that the sealing thread needs to write queued chunks, in nanoseconds.
  var patience: UInt64 = 0
  var isFrozen: UnsafeRawPointer?
  var slots: UnsafeMutablePointer<SegmentRing.Slot>?
  let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
}

private nonisolated(unsafe) var crash = Crash()
private let isArmed = Atomic<Bool>(false)
private let installed = Lock<(SegmentRing, SystemLogFile)?>(nil)

/// The signal handler. The first thread that crashes writes the dump; others wait for it.
private func handle(_ number: Int32) {
  if isArmed.exchange(false, ordering: .sequentiallyConsistent) {
    if let ring = crash.isFrozen {
      Unmanaged<SegmentRing>.fromOpaque(ring)._withUnsafeGuaranteedRef {
        $0.isFrozen.store(true, ordering: .sequentiallyConsistent)
      }
    }
    // During the pause the sealing thread continues, and adds the queued chunks to the ring.
    pause(min(crash.patience * 3, 500_000_000))
    dump()
  } else {
    pause(500_000_000)
  }
  sigaction(number, crash.previous + Int(number), nil)
  raise(number)
}

/// Writes the segments in order of their numbers.
private func dump() {
  guard let slots = crash.slots else { return }
  var last: UInt = 0
  while true {
    var next: Int?
    var lowest = UInt.max
    for index in 0..<SegmentRing.slotsMax {
      let number = slots[index].number.load(ordering: .acquiring)
      if number > last, number < lowest { (next, lowest) = (index, number) }
    }
    guard let next else { return }
    last = lowest
    guard var address = UnsafeRawPointer(bitPattern: slots[next].address.load(ordering: .acquiring)) else {
      continue
    }
    var left = Int(slots[next].count.load(ordering: .acquiring))
    while left > 0 {
      let count = write(crash.descriptor, address, left)
      if count < 0 {
        if errno == EINTR { continue }
        return
      }
      address += count
      left -= count
    }
  }
}

private func pause(_ nanoseconds: UInt64) {
  let span = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  // A signal may end the pause early, which is harmless.
  withUnsafePointer(to: span) { _ = nanosleep($0, nil) }
}
