import Synchronization
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// Every file call, and every pointer it needs, is in this file.

/// A file of the operating system, released with the object if not before.
final class SystemLogFile: LogFile {
  private let descriptor: FileDescriptor
  private let path: FilePath
  private let isClosed = Atomic<Bool>(false)

  private init(_ descriptor: FileDescriptor, path: FilePath) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Creates a file that only its owner may read, or replaces what is there if asked to.
  static func create(_ path: String, replacing: Bool) throws(Errno) -> SystemLogFile {
    let path = FilePath(path)
    let options: FileDescriptor.OpenOptions = [
      .create, .closeOnExec, replacing ? .truncate : .exclusiveCreate,
    ]
    let descriptor = try errno {
      try FileDescriptor.open(path, .readWrite, options: options, permissions: [.ownerReadWrite])
    }
    return SystemLogFile(descriptor, path: path)
  }

  /// Opens a file to read.
  static func open(_ path: String) throws(Errno) -> SystemLogFile {
    let path = FilePath(path)
    let descriptor = try errno { try FileDescriptor.open(path, .readOnly, options: [.closeOnExec]) }
    return SystemLogFile(descriptor, path: path)
  }

  func write(_ bytes: [UInt8], from index: Int, at offset: UInt64) throws(Errno) -> Int {
    try errno {
      try bytes.withUnsafeBytes { buffer in
        try descriptor.write(
          toAbsoluteOffset: Int64(clamping: offset), UnsafeRawBufferPointer(rebasing: buffer[index...]),
          retryOnInterrupt: false)
      }
    }
  }

  func read(_ count: Int, at offset: UInt64) throws(Errno) -> [UInt8] {
    try errno {
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        initialized = try descriptor.read(
          fromAbsoluteOffset: Int64(clamping: offset), into: room, retryOnInterrupt: false)
      }
    }
  }

  func size() throws(Errno) -> UInt64 {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw Self.last }
    return UInt64(clamping: status.st_size)
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
      if Self.last != .interrupted { throw Self.last }
    }
  }

  func syncDirectory() throws(Errno) {
    let parent = path.removingLastComponent()
    let name = parent.isEmpty ? FilePath(".") : parent
    let directory = try Self.errno { try FileDescriptor.open(name, .readOnly, options: [.closeOnExec]) }
    defer { try? directory.close() }
    if fsync(directory.rawValue) != 0 {
      // Some file systems cannot sync a directory and say so with EINVAL: there is nothing more to do.
      if Self.last != .invalidArgument { throw Self.last }
    }
  }

  deinit { try? close() }

  func close() throws(Errno) {
    // Twice would close whatever got the number meanwhile.
    if isClosed.exchange(true, ordering: .relaxed) { return }
    try errno { try descriptor.close() }
  }

  private static var last: Errno {
    #if canImport(Darwin)
      Errno(rawValue: Darwin.errno)
    #elseif canImport(Glibc)
      Errno(rawValue: Glibc.errno)
    #else
      Errno(rawValue: Musl.errno)
    #endif
  }

  private func errno<T>(_ body: () throws -> T) throws(Errno) -> T { try Self.errno(body) }

  // SystemPackage throws nothing but Errno, untyped.
  private static func errno<T>(_ body: () throws -> T) throws(Errno) -> T {
    do { return try body() } catch { throw error as? Errno ?? .ioError }
  }
}
