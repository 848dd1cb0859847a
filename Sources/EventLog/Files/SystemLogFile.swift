import Synchronization
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Every call on the bytes of a file, and every pointer it needs, is in this file.

/// A file of the operating system, released with the object if not before.
final class SystemLogFile: LogFile {
  private let descriptor: FileDescriptor
  private let isClosed = Atomic<Bool>(false)

  /// Takes over an open file.
  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// The number of the open file, for a signal handler.
  var number: Int32 { descriptor.rawValue }

  /// Keeps other writers out until the file is closed or the process ends, however it ends.
  ///
  /// Throws `Errno.wouldBlock` if another writer has the file, after a tenth of a second: a process that this one starts
  /// holds a copy of all that is open until it becomes another program, also of a lock that was given back meanwhile.
  /// Where the file system has no locks there is none.
  func lock() throws(Errno) {
    var patience = 20
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      switch SystemErrno.last {
      case .interrupted: continue
      case .wouldBlock where patience > 0:
        patience -= 1
        usleep(5000)
      case .notSupported, .invalidArgument, .noLocks: return
      case let error: throw error
      }
    }
  }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int {
    try SystemErrno.of {
      try bytes.withUnsafeBytes { buffer in
        try descriptor.write(
          toAbsoluteOffset: Int64(clamping: offset), UnsafeRawBufferPointer(rebasing: buffer[index...]),
          retryOnInterrupt: false)
      }
    }
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    try SystemErrno.of {
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        initialized = try descriptor.read(
          fromAbsoluteOffset: Int64(clamping: offset), into: room, retryOnInterrupt: false)
      }
    }
  }

  func size() throws(Errno) -> UInt64 { UInt64(clamping: try status().st_size) }

  /// Whether it is a file, and no device or pipe.
  func isRegular() throws(Errno) -> Bool { try status().st_mode & S_IFMT == S_IFREG }

  private func status() throws(Errno) -> stat {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw SystemErrno.last }
    return status
  }

  func sync() throws(Errno) {
    while true {
      #if canImport(Darwin)
        // fsync on Apple's systems stops at the drive's cache.
        let result = fcntl(descriptor.rawValue, F_FULLFSYNC)
      #else
        let result = fdatasync(descriptor.rawValue)
      #endif
      if result == 0 { return }
      // Only an interrupted call did nothing; any other failure may have dropped dirty pages.
      if SystemErrno.last != .interrupted { throw SystemErrno.last }
    }
  }

  func truncate(to size: UInt64) throws(Errno) {
    while ftruncate(descriptor.rawValue, off_t(clamping: size)) != 0 {
      if SystemErrno.last != .interrupted { throw SystemErrno.last }
    }
  }

  deinit { try? close() }

  func close() throws(Errno) {
    // Twice would close whatever got the number meanwhile.
    if isClosed.exchange(true, ordering: .relaxed) { return }
    try SystemErrno.of { try descriptor.close() }
  }
}

/// What the operating system said went wrong.
enum SystemErrno {
  /// The error of the last call on this thread.
  static var last: Errno {
    #if canImport(Darwin)
      Errno(rawValue: Darwin.errno)
    #elseif canImport(Glibc)
      Errno(rawValue: Glibc.errno)
    #else
      Errno(rawValue: Musl.errno)
    #endif
  }

  /// Gives what a call of SystemPackage throws its type: it throws nothing but `Errno`, untyped.
  static func of<T>(_ body: () throws -> T) throws(Errno) -> T {
    do { return try body() } catch { throw error as? Errno ?? .ioError }
  }
}
