// This file contains all calls of the operating system on names, directories and the bytes of files, and
// their pointers.

import Synchronization
import SystemPackage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The operating system's files.
package struct SystemFileSystem: LogFileSystem {
  package init() {}

  package func create(_ path: String, replacing: Bool) throws(Errno) -> any LogFile {
    try createFile(path, replacing: replacing)
  }

  func createFile(_ path: String, replacing: Bool = false) throws(Errno) -> SystemLogFile {
    let options: FileDescriptor.OpenOptions = replacing ? [.create] : [.create, .exclusiveCreate]
    let file = try open(path, .readWrite, options)
    try file.lock()
    // Truncate only after the lock is taken, because another writer may have the file open.
    if replacing { try file.truncate(to: 0) }
    return file
  }

  package func open(_ path: String) throws(Errno) -> any LogFile { try open(path, .readOnly, []) }

  package func openToWrite(_ path: String) throws(Errno) -> any LogFile {
    let file = try open(path, .readWrite, [])
    // A device or a pipe cannot hold a log, and must not be replaced.
    if try !file.isRegular() { throw .invalidArgument }
    try file.lock()
    return file
  }

  private func open(
    _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
  ) throws(Errno) -> SystemLogFile {
    let descriptor = try SystemErrno.of {
      try FileDescriptor.open(
        FilePath(path), mode, options: options.union(.closeOnExec),
        permissions: options.contains(.create) ? [.ownerReadWrite] : nil)
    }
    return SystemLogFile(descriptor)
  }

  package func rename(_ path: String, to newPath: String) throws(Errno) {
    #if canImport(Darwin)
      let result = Darwin.rename(path, newPath)
    #elseif canImport(Glibc)
      let result = Glibc.rename(path, newPath)
    #else
      let result = Musl.rename(path, newPath)
    #endif
    if result != 0 { throw SystemErrno.last }
  }

  package func renameNew(_ path: String, to newPath: String) throws(Errno) {
    // Creating a hard link fails atomically if the name is taken, while a rename would replace that file.
    if link(path, newPath) == 0 { return try remove(path) }
    switch SystemErrno.last {
    case .notPermitted, .notSupported, .noFunction, .tooManyLinks:
      // Some file systems have no hard links.
      if (try? identity(of: newPath)) != nil { throw .fileExists }
      try rename(path, to: newPath)
    case let error: throw error
    }
  }

  package func withoutLinks(_ path: String) -> String {
    var path = path
    // The limit ends a cycle of links; opening the file then fails.
    for _ in 0..<40 {
      let target = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        buffer.withMemoryRebound(to: CChar.self) { buffer in
          if let start = buffer.baseAddress { count = max(0, readlink(path, start, buffer.count)) }
        }
      }
      if target.isEmpty { break }
      let name = String(decoding: target, as: UTF8.self)
      path = name.hasPrefix("/") ? name : LogPath(path).directory + "/" + name
    }
    return path
  }

  package func remove(_ path: String) throws(Errno) {
    if unlink(path) != 0 { throw SystemErrno.last }
  }

  package func names(in directory: String) throws(Errno) -> [String] {
    guard let stream = opendir(directory) else { throw SystemErrno.last }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { buffer in
        String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func identity(of path: String) throws(Errno) -> FileIdentity {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemErrno.last }
    return FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  package func syncDirectory(_ directory: String) throws(Errno) {
    let handle = try SystemErrno.of {
      try FileDescriptor.open(FilePath(directory), .readOnly, options: [.closeOnExec])
    }
    defer { try? handle.close() }
    if fsync(handle.rawValue) != 0 {
      // EINVAL means that the file system cannot sync directories, so there is nothing more to do.
      if SystemErrno.last != .invalidArgument { throw SystemErrno.last }
    }
  }
}

/// A file of the operating system. It is closed with the object if not earlier.
final class SystemLogFile: LogFile {
  private let descriptor: FileDescriptor
  private let isClosed = Atomic<Bool>(false)

  /// Takes over an open file.
  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  /// The file descriptor, for a signal handler.
  var number: Int32 { descriptor.rawValue }

  /// Locks the file against other writers until it is closed or the process ends.
  ///
  /// Throws `Errno.wouldBlock` if another writer holds the lock for a tenth of a second. It waits because a
  /// child process has copies of all open files until it calls `exec`, including those whose lock has been
  /// released meanwhile. On a file system without locks it does nothing.
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

  /// Whether it is a regular file, not a device or pipe.
  fileprivate func isRegular() throws(Errno) -> Bool { try status().st_mode & S_IFMT == S_IFREG }

  private func status() throws(Errno) -> stat {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw SystemErrno.last }
    return status
  }

  func sync() throws(Errno) {
    while true {
      #if canImport(Darwin)
        // On Apple platforms, fsync only reaches the drive's cache.
        let result = fcntl(descriptor.rawValue, F_FULLFSYNC)
      #else
        let result = fdatasync(descriptor.rawValue)
      #endif
      if result == 0 { return }
      // Only an interrupted call is tried again, because any other failure may have dropped dirty pages.
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
    // A second `close` would close another file that has got the same descriptor meanwhile.
    if isClosed.exchange(true, ordering: .relaxed) { return }
    try SystemErrno.of { try descriptor.close() }
  }
}

/// The errors of the operating system.
private enum SystemErrno {
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

  /// Adds the error type to calls of SystemPackage, which throw only `Errno` but are declared without a type.
  static func of<T>(_ body: () throws -> T) throws(Errno) -> T {
    do { return try body() } catch { throw error as? Errno ?? .ioError }
  }
}
